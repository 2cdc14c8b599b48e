import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { rawChat, type Json } from "../../support/rawClient";
import { halfWindowCount, isInWindow, type ScriptedServer } from "../../support/scriptedServer";
import { useServer } from "./fixture";

let server: ScriptedServer;
const start = useServer((started) => (server = started));

const NUM_CTX = 256;
const options = { num_ctx: NUM_CTX };
const words = (count: number): string => "word ".repeat(count).trim();

/** About 350 tokens, the password in the first message of the user. */
const CONVERSATION = [
  { role: "system", content: "You are brief." },
  { role: "user", content: "The deploy password is periwinkle-7." },
  { role: "assistant", content: words(150) },
  { role: "user", content: words(150) },
  { role: "user", content: "Go on." },
];
const GIANT = [
  { role: "system", content: "You are brief." },
  { role: "user", content: `first ${words(600)} last` },
];

describe("a prompt that is too long", () => {
  test("loses its oldest messages in silence when truncate is absent, but never system and last message", async () => {
    await start();
    const chat = await rawChat(server, { messages: CONVERSATION, options });
    const [seen] = server.chats();
    assert.equal(chat.status, 200);
    assert.ok(seen && seen.promptTokens > NUM_CTX && seen.windowTokens <= NUM_CTX);
    assert.equal(chat.final["prompt_eval_count"], seen.windowTokens);
    assert.deepEqual(
      seen.windowedMessages.map((message) => message.content),
      [0, 3, 4].map((index) => CONVERSATION[index]?.content),
    );
    assert.ok(!isInWindow(seen, "periwinkle-7"));
  });

  test("is cut in the middle of its last message to half the window and two tokens since 0.30.11", async () => {
    await start();
    const chat = await rawChat(server, { messages: GIANT, options });
    assert.equal(chat.final["prompt_eval_count"], NUM_CTX / 2 + 2);
    assert.equal(halfWindowCount(NUM_CTX), NUM_CTX / 2 + 2);
    const [seen] = server.chats();
    assert.equal(seen?.windowedMessages.length, 1);
    assert.match(seen?.windowedMessages[0]?.content ?? "", /^(?: ?word)+ last$/);
    assert.ok(seen && !isInWindow(seen, "brief"));
  });

  for (const [version, count] of [
    ["0.24.0", NUM_CTX],
    ["0.30.5", NUM_CTX - 1],
  ] as const)
    test(`is cut to ${count} tokens of ${NUM_CTX} by ${version}`, async () => {
      await start({ version });
      const chat = await rawChat(server, { messages: GIANT, options });
      assert.equal(chat.final["prompt_eval_count"], count);
    });

  test("takes the tools with it when it is cut", async () => {
    let offered = -1;
    await start({
      brain: ({ tools }) => {
        offered = tools.length;
        return { content: "x" };
      },
    });
    const tools = [{ type: "function", function: { name: "look", parameters: { type: "object" } } }];
    await rawChat(server, { messages: GIANT, options, tools });
    assert.equal(offered, 0);
    await rawChat(server, { messages: CONVERSATION.slice(0, 2), options, tools });
    assert.equal(offered, 1);
  });

  test("is refused with truncate false: numbers in a JSON string since llama-server, a plain sentence before", async () => {
    await start();
    const chat = await rawChat(server, { messages: CONVERSATION, options, truncate: false });
    assert.equal(chat.status, 400);
    const inner = (JSON.parse(String(chat.final["error"])) as { error: Json }).error;
    assert.equal(inner["type"], "exceed_context_size_error");
    assert.deepEqual([inner["n_prompt_tokens"], inner["n_ctx"]], [server.chats()[0]?.promptTokens, NUM_CTX]);
    assert.equal(server.chats()[0]?.windowTokens, 0);
    await server.close();
    await start({ version: "0.24.0" });
    const old = await rawChat(server, { messages: CONVERSATION, options, truncate: false });
    assert.deepEqual([old.status, old.final["error"]], [400, "the input length exceeds the context length"]);
    await server.close();
    await start({ version: "0.12.5" });
    assert.equal((await rawChat(server, { messages: CONVERSATION, options, truncate: false })).status, 200);
  });

  test("is refused without truncate when it would be cut and shift is off, or the model is rendered natively", async () => {
    await start({ models: [{ name: "scripted" }, { name: "native", native: true }] });
    const shiftOff = await rawChat(server, { messages: GIANT, options, shift: false });
    assert.equal(shiftOff.status, 400);
    assert.match(
      String(shiftOff.final["error"]),
      /^the prompt is longer than the context length currently available/,
    );
    const native = await rawChat(server, { model: "native", messages: GIANT, options });
    assert.match(String(native.final["error"]), /exceed_context_size_error/);
  });

  test("that lost its user message is refused by templates that need one", async () => {
    await start({ models: [{ name: "scripted", needsUserMessage: true }] });
    const call = { function: { name: "look", arguments: {} } };
    const messages = [
      { role: "user", content: "Look." },
      { role: "assistant", content: "", tool_calls: [call] },
      { role: "tool", content: words(200) },
      { role: "assistant", content: "", tool_calls: [call] },
      { role: "tool", content: words(200) },
    ];
    const chat = await rawChat(server, { messages, options });
    assert.deepEqual([chat.status, chat.final["error"]], [500, "no user query found in messages"]);
  });
});

describe("a reply that reaches the end of the window", () => {
  test("ends with length when shift is off, and runs over it when shift is on", async () => {
    await start({ brain: () => ({ content: words(400) }) });
    const messages = [{ role: "user", content: "Tell me everything." }];
    const stopped = await rawChat(server, { messages, options, shift: false });
    assert.equal(stopped.final["done_reason"], "length");
    assert.equal(used(stopped.final), NUM_CTX);
    const shifted = await rawChat(server, { messages, options });
    assert.equal(shifted.final["done_reason"], "stop");
    assert.ok(used(shifted.final) > NUM_CTX);
  });
});

function used(final: Json): number {
  return Number(final["prompt_eval_count"]) + Number(final["eval_count"]);
}
