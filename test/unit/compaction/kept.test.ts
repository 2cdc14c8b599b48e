import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { keepFacts, keepWords, keySentences, withoutPastedBlocks } from "../../../src/core/compaction/kept";
import { DEFAULT_RATES, estimateText } from "../../../src/core/window/estimate";
import { renderSummaryMessage, SUMMARY_SENTENCE } from "../../../src/core/window/summaryMessage";
import type { ToolFacts } from "../../../src/shared/events";
import { stamp } from "../../support/conversations";

describe("what the person typed", () => {
  test("is kept word for word and in order while it fits", () => {
    const typed = ["The deploy password is periwinkle-7.", "Use tabs.", "Never touch legacy/."];
    assert.deepEqual(keepWords(typed, 400, DEFAULT_RATES), { words: typed, wordsCut: 0 });
  });

  test("C09: at the cap the oldest are cut to sentences with exact values and rules, then dropped, and the cut is counted", () => {
    const chat = "I was thinking about this on my way to work and it seemed a nice idea to me.";
    const typed = [
      `${chat} The port is 48213. ${chat}`,
      `${chat} Never touch legacy/. ${chat}`,
      `${chat} The table is t_ord_7.`,
    ];
    const { words, wordsCut } = keepWords(typed, 50, DEFAULT_RATES);
    assert.deepEqual(words, ["The port is 48213.", "Never touch legacy/.", "The table is t_ord_7."]);
    assert.equal(wordsCut, 3);
    const narrow = keepWords(typed, 30, DEFAULT_RATES);
    assert.deepEqual(narrow, { words: ["Never touch legacy/.", "The table is t_ord_7."], wordsCut: 3 });
  });

  test("stays within the cap whatever was typed", () => {
    const typed = Array.from(
      { length: 60 },
      (_, index) => `Set option_${index} to ${index * 7919}. ` + "x".repeat(index * 9),
    );
    const cap = 300;
    const { words, wordsCut } = keepWords(typed, cap, DEFAULT_RATES);
    assert.ok(words.reduce((sum, text) => sum + estimateText(text, DEFAULT_RATES), 0) <= cap);
    assert.ok(words.length > 0 && wordsCut > 0);
    assert.deepEqual(words.at(-1)?.startsWith("Set option_59"), true, "the newest stay");
  });

  test("is without pasted blocks, whose size is said", () => {
    const text = "Why does this fail?\n```ts\nconst a = 1;\nconst b = 2;\n```\nIt worked on Monday.";
    assert.equal(
      withoutPastedBlocks(text),
      "Why does this fail?\n[pasted block of 2 lines]\nIt worked on Monday.",
    );
    assert.equal(withoutPastedBlocks("see\n```\nnever closed\n"), "see\n[pasted block of 1 line]");
  });

  test("is listed once when it was typed twice", () => {
    assert.deepEqual(keepWords(["go on", "fix x", "go on"], 100, DEFAULT_RATES).words, ["fix x", "go on"]);
  });

  test("key sentences are those with values, paths, rules or decisions", () => {
    const text =
      "Hello there. We decided to ship on Friday. Nice weather. Look at src/a.ts! Is it so? Don't rename it.";
    assert.equal(keySentences(text), "We decided to ship on Friday. Look at src/a.ts! Don't rename it.");
  });
});

describe("facts kept by code", () => {
  const events = stamp([
    { type: "user_message", text: "first" },
    result({ kind: "read", path: "a.ts", hash: "1" }),
    result({ kind: "edit", path: "a.ts", hash: "2", added: 1, removed: 0, isNew: false }),
    result({ kind: "read", path: "b.ts", hash: "3" }),
    result({ kind: "read", path: "a.ts", hash: "2" }),
    result({ kind: "command", command: "npm test", exitCode: 1 }),
    result({ kind: "command", command: "npm test", exitCode: 0 }),
    { type: "user_message", text: "second" },
  ]);

  test("files are listed once, newest use last, and stay marked as changed", () => {
    const { files } = keepFacts(events, undefined, { words: 100, ledger: 100 }, DEFAULT_RATES);
    assert.deepEqual(files, [
      { path: "b.ts", hash: "3", changed: false },
      { path: "a.ts", hash: "2", changed: true },
    ]);
  });

  test("a command is listed with its newest exit code", () => {
    const { commands } = keepFacts(events, undefined, { words: 100, ledger: 100 }, DEFAULT_RATES);
    assert.deepEqual(commands, [{ command: "npm test", exitCode: 0 }]);
  });

  test("the current request is quoted whole and not listed among the words again", () => {
    const kept = keepFacts(events, "second", { words: 100, ledger: 100 }, DEFAULT_RATES);
    assert.equal(kept.request, "second");
    assert.deepEqual(kept.words, ["first"]);
    const text = renderSummaryMessage("- notes", kept);
    assert.ok(text.startsWith(`${SUMMARY_SENTENCE}\n\n- notes\n\n`));
    assert.equal(text.split("second").length, 2);
    assert.match(text, /npm test → exit code 0/);
  });

  test("what does not fit its cap is left out oldest first, and counted", () => {
    const { files, filesCut } = keepFacts(events, undefined, { words: 100, ledger: 26 }, DEFAULT_RATES);
    assert.deepEqual(
      files.map(({ path }) => path),
      ["a.ts"],
    );
    assert.equal(filesCut, 1);
  });

  function result(facts: ToolFacts) {
    return {
      type: "tool_result",
      callId: "c",
      name: "t",
      outcome: "ok",
      content: "",
      summary: "",
      facts,
    } as const;
  }
});
