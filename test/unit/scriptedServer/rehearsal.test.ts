import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";
import { assistantMessage, rawChat, type Json, type RawChat } from "../../support/rawClient";
import { REHEARSAL_INTRODUCTION, REHEARSAL_MODEL, startRehearsalServer } from "../../support/rehearsal";
import { askedFacts, factIn } from "../../support/rehearsal/facts";
import { filesNamed, wishesOf } from "../../support/rehearsal/wishes";
import { countTokens, isInWindow, type ScriptedServer } from "../../support/scriptedServer";

const tool = (name: string) => ({ type: "function", function: { name, parameters: { type: "object" } } });
const TOOLS = ["read_file", "list_files", "search_text", "edit_file", "bash"].map(tool);
const SYSTEM = { role: "system", content: "You are Loom, a coding agent." };
const NUM_CTX = 4096;

describe("the rehearsal model", () => {
  let server: ScriptedServer;
  let messages: Json[];
  beforeEach(async () => {
    server = await startRehearsalServer();
    messages = [SYSTEM];
  });
  afterEach(async () => server.close());

  const send = async (): Promise<RawChat> => {
    const body = {
      model: REHEARSAL_MODEL,
      messages,
      tools: TOOLS,
      options: { num_ctx: NUM_CTX },
      think: true,
    };
    const chat = await rawChat(server, body);
    assert.equal(chat.status, 200);
    messages.push(assistantMessage(chat));
    return chat;
  };

  /** One turn as an agent would run it: each call is answered by `results` until there are no more calls. */
  const say = async (text: string, results: (call: Json) => string = () => "done"): Promise<RawChat> => {
    messages.push({ role: "user", content: text });
    for (let round = 0; round < 10; round++) {
      const chat = await send();
      if (chat.toolCalls.length === 0) return chat;
      for (const call of chat.toolCalls) {
        const content = results({ name: call.function.name, ...(call.function.arguments as object) });
        messages.push({ role: "tool", content, tool_name: call.function.name, tool_call_id: call.id });
      }
    }
    return assert.fail("the calls never end");
  };
  const callsMade = (): unknown[] =>
    messages.flatMap((message) =>
      ((message["tool_calls"] ?? []) as RawChat["toolCalls"]).map(({ function: call }) => [
        call.name,
        call.arguments,
      ]),
    );

  test("says in its first answer, and only there, that it is no AI", async () => {
    assert.ok((await say("Hello")).content.startsWith(REHEARSAL_INTRODUCTION));
    assert.ok(!(await say("Hello again")).content.includes(REHEARSAL_INTRODUCTION));
  });

  test("reads the files that are named, two in one reply, and says what came", async () => {
    const chat = await say(
      "Please read src/a.ts, `notes.md` and lib/c.py.",
      (call) => `// ${String(call["path"])}\nx`,
    );
    assert.deepEqual(
      callsMade(),
      ["src/a.ts", "notes.md", "lib/c.py"].map((path) => ["read_file", { path }]),
    );
    assert.equal((messages[2]?.["tool_calls"] as unknown[]).length, 2);
    assert.match(chat.content, /lib\/c\.py gave 2 lines, the first of them: \/\/ lib\/c\.py/);
    assert.notEqual(chat.thinking, "");
  });

  test("looks before it edits, runs, searches and lists as told", async () => {
    await say('Replace "red" with "blue" in src/colour.ts');
    await say('Create new.md with "hello there"');
    await say("Run `npm test`, then search for `TODO`.");
    await say("What files are in src?");
    assert.deepEqual(callsMade(), [
      ["read_file", { path: "src/colour.ts" }],
      ["edit_file", { path: "src/colour.ts", old_text: "red", new_text: "blue" }],
      ["edit_file", { path: "new.md", old_text: "", new_text: "hello there" }],
      ["search_text", { pattern: "TODO" }],
      ["bash", { command: "npm test" }],
      ["list_files", { path: "src" }],
    ]);
  });

  test("knows a fact while it is in the window, and no longer when Ollama has dropped it", async () => {
    await say("The deploy password is periwinkle-7. Please remember it.");
    assert.match(
      (await say("What is the deploy password?")).content,
      /The deploy password is periwinkle-7\./,
    );
    const file = Array.from({ length: 70 }, (_, line) => `const value${line} = compute(${line});`).join("\n");
    assert.ok(countTokens(file) > 700 && countTokens(file) < 900);
    for (const name of ["a", "b", "c", "d", "e"]) await say(`Read src/${name}.ts.`, () => file);
    const answer = await say("What is the deploy password?");
    const last = server.chats().at(-1);
    assert.ok(last && last.promptTokens > NUM_CTX && !isInWindow(last, "periwinkle-7"));
    assert.match(answer.content, /I don't know the deploy password/);
  });

  test("finds facts in a summary message and in tool results", async () => {
    const summary =
      "[Context summary — earlier messages were compacted to save space.]\n\n- The deploy password is periwinkle-7.";
    messages.push({ role: "user", content: summary });
    const chat = await say(
      "Read config.json and tell me the port and the deploy password.",
      () => '{\n  "port": 48213,\n}',
    );
    assert.match(chat.content, /The port is 48213\.\nThe deploy password is periwinkle-7\./);
    assert.ok(!chat.content.includes(REHEARSAL_INTRODUCTION));
  });

  test("goes on with a request that a compaction in mid-turn has quoted, without repeating its calls", async () => {
    const summary =
      "[Context summary — x]\n\n- Called read_file.\n\nFiles read or changed:\n- a.ts\n- b.ts\n\nThe user's current request, word for word:\nRead a.ts, b.ts and c.ts.";
    messages.push({ role: "user", content: summary });
    const chat = await send();
    assert.deepEqual(
      chat.toolCalls.map((call) => call.function.arguments),
      [{ path: "c.ts" }],
    );
  });

  for (const form of ["isolated", "in place"] as const)
    test(`summarises by copying and calls nothing when asked ${form}`, async () => {
      await say("The deploy password is periwinkle-7.");
      await say("Read src/a.ts.", () => "const a = 1;");
      const instruction =
        "Summarise the conversation above as notes for yourself. Name the paths of files such as x.md.\nUse at most 40 words.";
      const asked = [...messages, { role: "user", content: instruction }];
      const body = { model: REHEARSAL_MODEL, options: { num_ctx: NUM_CTX } };
      const chat = await rawChat(
        server,
        form === "isolated"
          ? { ...body, messages: asked.slice(1) }
          : { ...body, messages: asked, tools: TOOLS, think: true },
      );
      assert.match(chat.content, /^- The deploy password is periwinkle-7\.$/m);
      assert.match(chat.content, /^- Called read_file on src\/a\.ts\.$/m);
      assert.ok(chat.content.split(/\s+/).length <= 40 + 6);
      assert.equal(chat.toolCalls.length, 0);
    });

  test("says so when a tool is not offered", async () => {
    const body = { model: REHEARSAL_MODEL, messages: [{ role: "user", content: "Read a.ts" }] };
    assert.match((await rawChat(server, body)).content, /not offered a tool read_file/);
  });
});

describe("what the rehearsal model understands", () => {
  test("questions for facts", () => {
    assert.deepEqual(askedFacts("What is the deploy password?"), ["deploy password"]);
    assert.deepEqual(askedFacts("What was the deploy password that I told you at the start?"), [
      "deploy password",
    ]);
    assert.deepEqual(askedFacts("Thanks. Do you remember what the deploy password is?"), ["deploy password"]);
    assert.deepEqual(askedFacts("What are the port and the table?"), ["port", "table"]);
    assert.deepEqual(askedFacts("The deploy password is periwinkle-7. Remember it."), []);
    assert.deepEqual(askedFacts("Which port did I say?"), []);
  });

  test("facts as people and files write them", () => {
    for (const [text, thing, value] of [
      ["The deploy password is periwinkle-7.", "deploy password", "periwinkle-7"],
      ["port is 48213, table is `t_ord_7`, never touch legacy/", "table", "t_ord_7"],
      ["export const PORT = 8080;\n", "port", "8080"],
      ["What is the port? The port is 1. Later the port is 2 and that is final.", "port", "2"],
      ["I don't know what the port is.", "port", undefined],
      ["What is the port?", "port", undefined],
    ] as const)
      assert.equal(factIn(text, thing), value, text);
  });

  test("files by their names, and nothing that only looks like one", () => {
    assert.deepEqual(
      filesNamed("See src/a.ts, ./lib/b.test.ts and README.md (not https://x.org/c.ts, e.g. v1.2)."),
      ["src/a.ts", "./lib/b.test.ts", "README.md"],
    );
    assert.deepEqual(wishesOf("Run `cat src/a.ts`"), [
      { tool: "bash", arguments: { command: "cat src/a.ts" } },
    ]);
  });
});
