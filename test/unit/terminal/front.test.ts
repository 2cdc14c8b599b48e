import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { describe, test, type TestContext } from "node:test";
import { CheckpointStore } from "../../../src/node/files/checkpointStore";
import { createWorkspace } from "../../../src/node/files/workspace";
import { plainPrinter } from "../../../src/terminal/printer";
import { TerminalFront } from "../../../src/terminal/front";
import { bash, edit, play } from "../../support/playedTurns";
import { callOf, ScriptedModel } from "../../support/scriptedModel";
import { startSession } from "../../support/sessionFixture";

const NOTHING_KEPT = {
  parts: { store: new CheckpointStore("/dev/null/nowhere"), workspace: createWorkspace(() => []) },
  answer: () => Promise.resolve(""),
};

function startFront(json = false) {
  const lines: string[] = [];
  const front = new TerminalFront({
    print: (text) => lines.push(text),
    json,
    ask: () => Promise.resolve(false),
    newSession: () => startSession(new ScriptedModel(), { settings: { numCtx: 2048 } }).session,
    restoring: NOTHING_KEPT,
  });
  return { front, said: () => lines.splice(0).join("") };
}

describe("pins in the terminal", () => {
  test("are set, listed with their numbers, and taken back by number", async () => {
    const { front, said } = startFront();
    await front.handle("/pins");
    assert.equal(said(), "Nothing is pinned.\n");
    await front.handle("/pin The port is 48213.");
    await front.handle("/pin Never touch legacy/.");
    said();
    await front.handle("/pins");
    assert.equal(said(), "1. The port is 48213.\n2. Never touch legacy/.\n");
    await front.handle("/unpin 1");
    await front.handle("/pins");
    assert.match(said(), /Unpinned\.\n1\. Never touch legacy\/\.\n$/);
    await front.close();
  });

  test("say why when there is nothing to pin, too much, or no such number", async () => {
    const { front, said } = startFront();
    await front.handle("/pin");
    assert.match(said(), /no text to pin/);
    await front.handle(`/pin ${"one more word ".repeat(200)}`);
    assert.match(said(), /at most 204 fit/);
    for (const number of ["1", "zero", ""]) {
      await front.handle(`/unpin ${number}`);
      assert.match(said(), /There is no pin .*\/pins shows them/);
    }
    await front.close();
  });

  test("are events of the log in JSON", async () => {
    const { front, said } = startFront(true);
    said();
    await front.handle("/pin The port is 48213.");
    const [pinned] = said()
      .trim()
      .split("\n")
      .map((line): unknown => JSON.parse(line));
    assert.ok(typeof pinned === "object" && pinned !== null && "type" in pinned && pinned.type === "pinned");
    await front.close();
  });
});

describe("a compaction in the terminal", () => {
  test("is asked for with a focus, shown, and undone: the next request is as if it had not been", async () => {
    const long = "and then it goes on with the next line of it ".repeat(20);
    const model = new ScriptedModel([{ text: long }, { text: long }, { text: "- the port is 48213" }]);
    const lines: string[] = [];
    const front = new TerminalFront({
      print: (text) => lines.push(text),
      json: false,
      ask: () => Promise.resolve(false),
      newSession: () => startSession(model, { settings: { numCtx: 16_384, keepMessages: 1 } }).session,
      restoring: NOTHING_KEPT,
    });
    const said = () => lines.splice(0).join("");
    await front.handle("/undo");
    assert.match(said(), /nothing is compacted/);
    await front.handle("/compact");
    assert.match(said(), /^There is nothing to compact yet.*\n\[ctx .*\]\n$/, "and no line says that it is");
    for (const text of ["My port is 48213.", "and then?"]) await front.handle(text);
    await front.handle("/context");
    assert.match(said(), /largest:\n +\d+ {2}\w.*a compaction now: 3 messages summarised, 1 kept/s);
    await front.handle("/compact the API");
    assert.match(model.requests.at(-1)?.messages.at(-1)?.content ?? "", /concerns this: the API/);
    const shown = said();
    assert.equal(shown.match(/\[compacting/g)?.length, 1);
    assert.match(shown, /\[compacting 3 messages, ctx .*\n\[compacted 3 messages/);
    await front.handle("/summary");
    assert.match(said(), /- the port is 48213/);
    await front.handle("/undo");
    assert.match(said(), /^\[compaction undone\]\n\[ctx \d+\/16384\]\n$/);
    model.then({ text: "Third." });
    await front.handle("third");
    assert.equal(model.requests.at(-1)?.messages[1]?.content, "My port is 48213.");
    await front.close();
  });
});

for (const json of [false, true])
  test(`what a model writes and calls is no order to the terminal (${json ? "JSON" : "text"})`, async () => {
    const hostile = "a\u001b[2Jb\u001b]0;title\u0007c\u009b31md\u202ee\rf\bg\r\nh";
    const lines: string[] = [];
    const model = new ScriptedModel([
      { text: hostile, toolCalls: [callOf(`echo${hostile}`, { text: hostile })] },
      { text: hostile },
    ]);
    const front = new TerminalFront({
      print: (text) => lines.push(text),
      json,
      ask: () => Promise.resolve(false),
      newSession: () => startSession(model).session,
      restoring: NOTHING_KEPT,
    });
    await front.handle("go");
    await front.close();
    const printed = lines.join("");
    assert.doesNotMatch(printed, /[^\P{Cc}\n]|\u202E/u);
    assert.match(printed, /\\u001b\[2Jb/);
    if (!json) return;
    const texts = printed
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { type: string; text?: string })
      .filter(({ type }) => type === "assistant_message")
      .map(({ text }) => text);
    assert.deepEqual(texts, [hostile, hostile], "the log says what was written");
  });

describe("restoring in the terminal", () => {
  /** A front over real files whose model makes these calls in one turn; `answers` are the person's. */
  async function playTurn(context: TestContext, ...answers: readonly string[]) {
    const calls = [edit("a.txt", "one", "1"), edit("made.txt", "", "m\n"), bash("sh rest.sh")];
    const lines: string[] = [];
    const questions: string[] = [];
    const files = { "a.txt": "one\ntwo\n", "b.txt": "b\n", "rest.sh": "for f in b*; do rm $f; done" };
    const { model, parts, store, tools, pathOf } = await play(context, files, []);
    model.then({ toolCalls: calls }, { text: "Done." });
    const front = new TerminalFront({
      print: (text) => lines.push(text),
      json: false,
      ask: () => Promise.resolve(true),
      newSession: () => startSession(model, { tools, checkpoints: store }).session,
      restoring: {
        parts,
        answer(question) {
          questions.push(question);
          return Promise.resolve(answers[questions.length - 1] ?? "");
        },
      },
    });
    await front.handle("change it");
    const textOf = (name: string) => readFile(pathOf(name), "utf8").catch(() => undefined);
    const texts = () => Promise.all(["a.txt", "made.txt", "b.txt"].map(textOf));
    return { front, questions, pathOf, texts, said: () => lines.splice(0).join("") };
  }

  test("the turn's files are shown with their differences, come back after a yes, and that can be undone", async (t) => {
    const { front, questions, said, texts } = await playTurn(t, "", "y", "y");
    assert.match(said(), /^\[changed: a\.txt, made\.txt, b\.txt; \/restore takes it back\]$/m);
    await front.handle("/restore");
    const shown = said();
    assert.match(
      shown,
      /^a\.txt is restored \(\+1 −1\)\n.*^ {2}-1\n {2}\+one$.*^b\.txt comes back.*^made\.txt did not exist and is deleted/ms,
    );
    assert.match(shown, /Nothing was restored\.\n$/);
    assert.deepEqual(await texts(), ["1\ntwo\n", "m\n", undefined]);
    await front.handle("/restore");
    assert.match(
      said(),
      /\[files taken back: a\.txt \(restored\), b\.txt \(recreated\), made\.txt \(deleted\)/,
    );
    assert.deepEqual(await texts(), ["one\ntwo\n", undefined, "b\n"]);
    await front.handle("/restore undo");
    assert.deepEqual(await texts(), ["1\ntwo\n", "m\n", undefined]);
    assert.deepEqual(questions, [
      "Restore all of them? [y/N] ",
      "Restore all of them? [y/N] ",
      "Restore all of them? [y/N] ",
    ]);
    await front.close();
  });

  test("what was changed since is kept unless the person says otherwise for that file", async (t) => {
    const { front, questions, said, texts, pathOf } = await playTurn(t, "y", "", "o");
    await writeFile(pathOf("a.txt"), "1, mine\ntwo\n");
    await writeFile(pathOf("made.txt"), "mine\n");
    await front.handle("/restore");
    assert.deepEqual(questions.slice(1), Array(2).fill("[K]eep it, or [o]verwrite it? "));
    assert.match(
      said(),
      /^a\.txt was changed after Loom changed it\.\na\.txt is kept as it is\.\nmade\.txt was changed/m,
    );
    assert.deepEqual(await texts(), ["1, mine\ntwo\n", undefined, "b\n"]);
    await front.close();
  });

  test("without anything to restore that is said", async () => {
    const { front, said } = startFront();
    for (const command of ["/restore", "/restore undo"]) {
      await front.handle(command);
      assert.match(said(), /There is nothing to restore/);
    }
    await front.close();
  });
});

test("one line is printed for each compaction, however often its progress is told", () => {
  const lines: string[] = [];
  const print = plainPrinter((text) => lines.push(text));
  const phase = { name: "compacting", since: 0, messages: 9, used: 3_470, window: 4_096 } as const;
  print({ type: "phase_changed", phase: { ...phase, part: 1, parts: 1 } });
  for (const part of [1, 1, 2, 2]) {
    print({ type: "phase_changed", phase: { ...phase, part, parts: 2, writtenTokens: part } });
  }
  print({ type: "phase_changed", phase: { name: "idle" } });
  print({ type: "phase_changed", phase: { ...phase, part: 1, parts: 1 } });
  const line = "[compacting 9 messages, ctx 3470/4096]\n";
  assert.deepEqual(lines, [line, line]);
});

test("a message that begins with a path is a message, also where the path begins like a command", async () => {
  const model = new ScriptedModel([{ text: "I see." }]);
  const session = startSession(model).session;
  const front = new TerminalFront({
    print: () => undefined,
    json: false,
    ask: () => Promise.resolve(false),
    newSession: () => session,
    restoring: NOTHING_KEPT,
  });
  await front.handle("/clear/cache.ts is wrong");
  assert.ok(
    session.events.some((event) => event.type === "user_message" && event.text.startsWith("/clear/")),
  );
  await front.close();
});
