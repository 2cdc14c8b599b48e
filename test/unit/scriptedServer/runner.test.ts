import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { assistantMessage, rawChat } from "../../support/rawClient";
import { createGate, type ScriptedServer } from "../../support/scriptedServer";
import { useServer } from "./fixture";

let server: ScriptedServer;
const start = useServer((started) => (server = started));

const options = { num_ctx: 4096 };
const SYSTEM = { role: "system", content: "You answer in one sentence. ".repeat(40) };
const user = (content: string) => ({ role: "user", content });

describe("the prompt cache", () => {
  test("saves everything but what was appended, and the duration tells", async () => {
    await start({ speeds: { readTokensPerSecond: 100 } });
    const messages = [SYSTEM, user("One?")];
    const first = await rawChat(server, { messages, options });
    assert.equal(first.final["prompt_eval_cached_count"], 0);
    const next = [...messages, assistantMessage(first), user("Two?")];
    const second = await rawChat(server, { messages: next, options });
    const count = Number(second.final["prompt_eval_count"]);
    const read = count - Number(second.final["prompt_eval_cached_count"]);
    const used = Number(first.final["prompt_eval_count"]) + Number(first.final["eval_count"]);
    assert.equal(read, count - used);
    assert.equal(second.final["prompt_eval_duration"], (read / 100) * 1e9);
    const again = await rawChat(server, { messages: next, options });
    assert.equal(again.final["prompt_eval_cached_count"], count - 1);
  });

  test("is of no use to a prompt that begins differently, and keeps the earlier one only in new engines", async () => {
    for (const [version, expected] of [
      ["0.34.2", "kept"],
      ["0.24.0", "gone"],
    ] as const) {
      await start({ version });
      const messages = [SYSTEM, user("One?")];
      await rawChat(server, { messages, options });
      await rawChat(server, { messages: [user("Something else.")], options });
      await rawChat(server, { messages, options });
      const [, other, again] = server.chats();
      assert.ok(other && other.cachedTokens <= 3);
      assert.equal(again && again.cachedTokens > 100 ? "kept" : "gone", expected);
      await server.close();
    }
  });

  test("is left out of the reports of versions that do not know it; 0.30.0 counts only what it read", async () => {
    await start({ version: "0.30.0" });
    const messages = [SYSTEM, user("One?")];
    await rawChat(server, { messages, options });
    const again = await rawChat(server, { messages, options });
    assert.equal(again.final["prompt_eval_count"], 1);
    assert.equal("prompt_eval_cached_count" in again.final, false);
  });
});

describe("the runner", () => {
  test("is reloaded by another num_ctx or shift, and by nothing else", async () => {
    await start({ speeds: { loadSeconds: 7 } });
    const messages = [SYSTEM, user("One?")];
    const ask = async (body: object) => rawChat(server, { messages, options, ...body });
    const first = await ask({});
    await ask({ options: { ...options, num_predict: 5, temperature: 0 } });
    await ask({ options: { num_ctx: 2048 } });
    await ask({ options: { num_ctx: 2048 }, shift: false });
    assert.equal(first.final["load_duration"], 7e9);
    assert.deepEqual(
      server.chats().map(({ loaded, reloaded }) => [loaded, reloaded]),
      [
        [true, false],
        [false, false],
        [true, true],
        [true, true],
      ],
    );
    assert.deepEqual(
      server.chats().map((chat) => chat.cachedTokens > 0),
      [false, true, false, false],
    );
    assert.equal(server.reloads, 2);
  });

  test("keeps shift apart from loading in old engines", async () => {
    await start({ version: "0.24.0" });
    await rawChat(server, { messages: [user("a")], options });
    await rawChat(server, { messages: [user("a")], options, shift: false });
    assert.equal(server.reloads, 0);
  });

  test("is loaded by a request without messages, and unloaded by keep_alive 0", async () => {
    await start();
    const load = await rawChat(server, { messages: [], options });
    assert.equal(load.final["done_reason"], "load");
    await rawChat(server, { messages: [user("a")], options });
    assert.equal(server.chats()[0]?.loaded, false);
    const unload = await rawChat(server, { messages: [], keep_alive: 0 });
    assert.equal(unload.final["done_reason"], "unload");
    await rawChat(server, { messages: [user("a")], options });
    assert.equal(server.chats()[1]?.loaded, true);
    assert.equal(server.chats().length, 2);
  });

  test("answers one request after the other; one that was waiting and gave up is skipped", async () => {
    const gate = createGate();
    const answered: number[] = [];
    await start({
      brain: async ({ index }) => {
        if (index === 0) await gate.opened;
        answered.push(index);
        return { content: "x" };
      },
    });
    const body = { messages: [user("a")], options };
    const first = rawChat(server, body);
    await server.waitForChat(1);
    const abort = new AbortController();
    const request = {
      method: "POST",
      body: JSON.stringify({ model: "scripted", ...body }),
      signal: abort.signal,
    };
    const second = assert.rejects(fetch(`${server.url}/api/chat`, request));
    await server.waitForChat(2);
    const third = rawChat(server, body);
    await server.waitForChat(3);
    assert.equal(server.chats()[2]?.status, undefined);
    abort.abort();
    await second;
    await server.waitForAbort();
    gate.open();
    await Promise.all([first, third]);
    assert.deepEqual(answered, [0, 2]);
  });

  test("with room for two, two run at once; beyond the queue the server is busy", async () => {
    const gate = createGate();
    await start({ parallel: 2, maxQueue: 3, brain: async () => gate.opened.then(() => ({ content: "x" })) });
    const body = { messages: [user("a")], options };
    const chats = [rawChat(server, body)];
    await server.waitForChat(1);
    chats.push(rawChat(server, body));
    await server.waitForChat(2);
    chats.push(rawChat(server, body));
    await server.waitForChat(3);
    const refused = await rawChat(server, body);
    assert.equal(refused.status, 503);
    gate.open();
    assert.deepEqual(
      (await Promise.all(chats)).map((chat) => chat.status),
      [200, 200, 200],
    );
  });
});
