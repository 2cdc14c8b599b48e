import assert from "node:assert/strict";
import { test } from "node:test";
import type { Conformance } from "./suite";
import { assistant, cachedOf, countOf, readFileTool, sentences, user } from "./wire";

/** What prompt_eval_count counts, and what of a prompt is read again. */
export function countsSuite({ wire, saw }: Conformance): void {
  const question = user(sentences(12, "Harbour"));

  test("prompt_eval_count is the whole prompt, whether it is cached or not", async () => {
    await wire().unload();
    const first = await wire().chat({ messages: [question] });
    const again = await wire().chat({ messages: [question] });
    assert.equal(countOf(again), countOf(first));
    saw("prompt_eval_cached_count", cachedOf(again) === undefined ? "absent" : "a part of prompt_eval_count");
    if (cachedOf(again) === undefined) return;
    assert.equal(cachedOf(first), 0);
    assert.equal(cachedOf(again), countOf(first) - 1, "the last token is always read");
  });

  test("what is appended is counted, and all before it is not read again", async () => {
    const before = await wire().chat({ messages: [question] });
    const longer = [question, assistant("It does."), user("Go on.")];
    const appended = await wire().chat({ messages: longer });
    const grown = countOf(appended) - countOf(before);
    assert.ok(grown > 0 && grown < 40, `${grown} tokens more`);
    const cached = cachedOf(appended);
    // The head of the reply stands in both prompts, so all of the first but some marks at its end is reused.
    if (cached !== undefined) assert.ok(cached >= countOf(before) - 8, `${cached} cached`);
    else
      assert.ok(
        readTime(appended.final) < readTime((await fresh()).final) / 2,
        "appended text is read alone",
      );
  });

  test("a summary asked for at the end of the array reads only what is new, one asked for alone reads all of it again", async () => {
    const tools = [readFileTool()];
    const array = [
      { role: "system", content: "You help with code. Be brief." },
      question,
      assistant("It does."),
    ];
    const instruction = user("Summarise the conversation above as notes.");
    await wire().unload();
    const before = await wire().chat({ messages: array.slice(0, -1), tools });
    const inPlace = await wire().chat({ messages: [...array, instruction], tools });
    const isolated = await wire().chat({ messages: [...array.slice(1), instruction] });
    const [cached, alone] = [cachedOf(inPlace), cachedOf(isolated)];
    if (cached !== undefined)
      assert.ok(cached >= countOf(before) - 8, `${cached} of ${countOf(before)} cached`);
    if (alone !== undefined) assert.ok(alone < 16, `${alone} cached`);
    assert.ok(readTime(inPlace.final) < readTime(isolated.final), "and the durations say so too");
  });

  /** The same prompt as above behind another beginning. */
  function fresh() {
    const messages = [
      { role: "system", content: "Be brief." },
      question,
      assistant("It does."),
      user("Go on."),
    ];
    return wire().chat({ messages });
  }

  test("a changed beginning makes the server read everything again", async () => {
    const before = await wire().chat({ messages: [question] });
    const changed = await fresh();
    assert.ok(countOf(changed) > countOf(before));
    const cached = cachedOf(changed);
    if (cached !== undefined) assert.ok(cached < 16, `${cached} cached`);
  });

  test("tools are counted, by the same number of tokens with every message", async () => {
    const tools = [readFileTool()];
    const [short, other] = [user("Hello."), user("What is new?")];
    const raised =
      (await wire().count({ messages: [short], tools })) - (await wire().count({ messages: [short] }));
    assert.ok(raised > 20, `${raised} tokens for a tool`);
    const again =
      (await wire().count({ messages: [other], tools })) - (await wire().count({ messages: [other] }));
    assert.equal(again, raised);
  });

  test("schema keywords that Ollama does not know cost nothing", async () => {
    const messages = [user("Hello.")];
    const odd = readFileTool({
      default: "a default that would take many tokens",
      minLength: 3,
      pattern: "^[a-z]+$",
    });
    assert.equal(
      await wire().count({ messages, tools: [odd] }),
      await wire().count({ messages, tools: [readFileTool()] }),
    );
  });

  test("a call and its result are in the prompt and are counted", async () => {
    const tools = [readFileTool()];
    const asked = [user("Read a.ts.")];
    const called = [...asked, { ...assistant(""), tool_calls: [callOf({ path: "src/deep/down/a.ts" })] }];
    const resultOf = (content: string) => [
      ...called,
      { role: "tool", content, tool_name: "read_file", tool_call_id: "call_1" },
    ];
    const counts: number[] = [];
    for (const messages of [asked, called, resultOf("const a = 1;"), resultOf(sentences(4, "Lighthouse"))])
      counts.push(await wire().count({ messages, tools }));
    const [question = 0, call = 0, short = 0, long = 0] = counts;
    assert.ok(call >= question + 8, `the call: ${question} to ${call}`);
    assert.ok(short >= call + 4, `the result: ${call} to ${short}`);
    assert.ok(long >= short + 20, `a longer result: ${short} to ${long}`);
  });

  test("thinking is absent where a model can't think: no field in the answer, no token in the prompt", async () => {
    const messages = [user("Hello.")];
    const plain = await wire().chat({ messages });
    const off = await wire().chat({ messages, think: false });
    assert.equal(plain.thinking + off.thinking, "");
    assert.equal(countOf(off), countOf(plain));
  });
}

function callOf(input: object): object {
  return { id: "call_1", function: { name: "read_file", arguments: input } };
}

function readTime(final: Readonly<Record<string, unknown>>): number {
  const time = final["prompt_eval_duration"];
  assert.ok(typeof time === "number", JSON.stringify(final));
  return time;
}
