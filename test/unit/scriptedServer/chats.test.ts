import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { get, post, rawChat, type Json } from "../../support/rawClient";
import { createGate, isInWindow, scriptReplies, type ScriptedServer } from "../../support/scriptedServer";
import { READ_FILE, useServer } from "./fixture";

let server: ScriptedServer;
const start = useServer((started) => (server = started));

const HELLO = { messages: [{ role: "user", content: "Hello there" }], options: { num_ctx: 2048 } };

describe("catalogue", () => {
  const models = [
    {
      name: "big:8b",
      family: "llama",
      contextLength: 131_072,
      capabilities: ["completion", "tools", "thinking"],
      modelfileNumCtx: 8192,
    },
    { name: "small", capabilities: ["completion"], allocated: 2048, size: 1000, onGpu: 0.5 },
  ];

  test("version, list and details are those of a real server", async () => {
    await start({ models, reportedVersion: "0.0.0" });
    assert.deepEqual(await get(server, "/api/version"), { version: "0.0.0" });
    const tags = (await get(server, "/api/tags"))["models"] as Json[];
    assert.deepEqual(
      tags.map((model) => model["name"]),
      ["big:8b", "small:latest"],
    );
    const show = (await (await post(server, "/api/show", { model: "big:8b" })).json()) as Json;
    assert.equal((show["model_info"] as Json)["llama.context_length"], 131_072);
    assert.deepEqual(show["capabilities"], ["completion", "tools", "thinking"]);
    assert.match(String(show["parameters"]), /^num_ctx +8192$/m);
    const gone = await post(server, "/api/show", { model: "gone" });
    assert.deepEqual([gone.status, await gone.json()], [404, { error: "model 'gone:latest' not found" }]);
  });

  test("ps shows what was allocated, not what was asked", async () => {
    await start({ models });
    assert.deepEqual(await get(server, "/api/ps"), { models: [] });
    await rawChat(server, { ...HELLO, model: "small", options: { num_ctx: 16_384 } });
    const [loaded] = (await get(server, "/api/ps"))["models"] as Json[];
    assert.equal(loaded?.["context_length"], 2048);
    assert.equal(loaded?.["size_vram"], Math.round(Number(loaded?.["size"]) / 2));
    await rawChat(server, { model: "small", messages: [], keep_alive: 0 });
    assert.deepEqual(await get(server, "/api/ps"), { models: [] });
  });

  test("what a model cannot do is refused with Ollama's words", async () => {
    await start({ models });
    const tools = await rawChat(server, { ...HELLO, model: "small", tools: [READ_FILE] });
    assert.equal(tools.status, 400);
    assert.equal(tools.final["error"], "registry.ollama.ai/library/small:latest does not support tools");
    const thinking = await rawChat(server, { ...HELLO, model: "small", think: true });
    assert.equal(thinking.final["error"], '"small" does not support thinking');
    assert.equal((await rawChat(server, { ...HELLO, model: "small", think: false })).status, 200);
    const missing = await rawChat(server, { ...HELLO, model: "gone" });
    assert.deepEqual([missing.status, missing.final["error"]], [404, "model 'gone' not found"]);
  });

  test("arguments that come back as a string are refused; an unknown role is not", async () => {
    await start();
    const call = { function: { name: "read_file", arguments: '{"path":"a"}' } };
    const chat = await rawChat(server, {
      messages: [{ role: "assistant", content: "", tool_calls: [call] }],
    });
    assert.equal(chat.status, 400);
    assert.equal(chat.final["error"], "Value looks like object, but can't find closing '}' symbol");
    const content = await rawChat(server, { messages: [{ role: "user", content: 5 }] });
    assert.match(String(content.final["error"]), /cannot unmarshal .* ChatRequest\.messages\.content/);
    assert.equal((await rawChat(server, { messages: [{ role: "robot", content: "" }] })).status, 200);
  });

  test("a wrong or missing token is answered 401", async () => {
    await start({ token: "secret" });
    assert.equal((await fetch(`${server.url}/api/tags`)).status, 401);
    const headers = { Authorization: "Bearer secret" };
    assert.equal((await fetch(`${server.url}/api/tags`, { headers })).status, 200);
  });

  test("a pull reports progress, goes on where a broken one stopped, and then the model is there", async () => {
    const gate = createGate();
    await start({
      pullable: [{ name: "fresh", size: 1000 }],
      beforePullLine: (line) => (line === 5 ? gate.opened : undefined),
    });
    const abort = new AbortController();
    const broken = await post(server, "/api/pull", { model: "fresh" }, { signal: abort.signal });
    const reader = broken.body?.getReader();
    await reader?.read();
    abort.abort();
    await server.waitForAbort();
    gate.open();
    const lines = (await (await post(server, "/api/pull", { model: "fresh" })).text())
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Json);
    assert.deepEqual(lines[0], { status: "pulling manifest" });
    const completed = lines.flatMap((line) => line["completed"] ?? []);
    assert.deepEqual(completed, [500, 600, 700, 800, 900, 1000]);
    assert.deepEqual(lines.at(-1), { status: "success" });
    assert.equal((await post(server, "/api/show", { model: "fresh" })).status, 200);
    const unknown = await (await post(server, "/api/pull", { model: "nowhere" })).text();
    assert.match(unknown, /"error":"pull model manifest: file does not exist"/);
  });
});

describe("chat", () => {
  test("streams thinking, text and calls in pieces and counts what a prompt of the same would hold", async () => {
    const thinking = { name: "scripted", capabilities: ["completion", "tools", "thinking"] };
    const reply = { thinking: "Let me look.", content: "I read it.", chunkSize: 4 };
    const toolCalls = [{ name: "read_file", arguments: { path: "a.ts" } }];
    await start({ models: [thinking], brain: () => ({ ...reply, toolCalls }) });
    const body = { ...HELLO, tools: [READ_FILE] };
    const chat = await rawChat(server, body);
    assert.deepEqual([chat.thinking, chat.content], ["Let me look.", "I read it."]);
    assert.equal(chat.lines.length, 3 + 3 + 1 + 1);
    assert.match(chat.toolCalls[0]?.id ?? "", /^call_\w{8}$/);
    assert.deepEqual(chat.toolCalls[0]?.function, {
      index: 0,
      name: "read_file",
      arguments: { path: "a.ts" },
    });
    assert.equal(chat.final["done_reason"], "stop");
    const [seen] = server.chats();
    assert.equal(chat.final["prompt_eval_count"], seen?.promptTokens);
    assert.ok(seen && seen.promptTokens > 100);
    const message = {
      role: "assistant",
      content: reply.content,
      thinking: reply.thinking,
      tool_calls: chat.toolCalls,
    };
    await rawChat(server, { ...body, messages: [...HELLO.messages, message] });
    const used = Number(chat.final["prompt_eval_count"]) + Number(chat.final["eval_count"]);
    // The end of line after the message, and the three tokens that open the next answer.
    assert.equal(server.chats()[1]?.promptTokens, used + 4);
  });

  test("one whole answer without streaming", async () => {
    await start({
      brain: scriptReplies([{ content: "All at once.", toolCalls: [{ name: "x", arguments: {} }] }]),
    });
    const chat = await rawChat(server, { ...HELLO, stream: false });
    assert.equal(chat.lines.length, 1);
    assert.equal(chat.content, "All at once.");
    assert.equal(chat.toolCalls.length, 1);
    assert.equal(chat.final["done"], true);
  });

  test("num_predict cuts a reply, and a call that is cut through does not arrive", async () => {
    const toolCalls = [{ name: "edit_file", arguments: { new_text: "word ".repeat(50) } }];
    await start({ brain: () => ({ content: "one two three four five", toolCalls }) });
    const short = await rawChat(server, { ...HELLO, options: { num_ctx: 2048, num_predict: 3 } });
    assert.deepEqual([short.content, short.final["done_reason"]], ["one two three", "length"]);
    assert.equal(short.final["eval_count"], 3);
    const half = await rawChat(server, { ...HELLO, options: { num_ctx: 2048, num_predict: 20 } });
    assert.equal(half.toolCalls.length, 0);
    assert.equal(half.final["done_reason"], "length");
  });

  test("thinks when think is absent only where the version does", async () => {
    const models = [{ name: "scripted", capabilities: ["completion", "thinking"] }];
    const thought: boolean[] = [];
    const brain = ({ thinks }: { thinks: boolean }) => {
      thought.push(thinks);
      return { content: "x" };
    };
    await start({ models, brain });
    await rawChat(server, HELLO);
    await rawChat(server, { ...HELLO, think: false });
    await server.close();
    await start({ models, brain, version: "0.12.0" });
    await rawChat(server, HELLO);
    assert.deepEqual(thought, [true, false, false]);
  });

  test("records what came: path, headers, body, and whether the window still holds a text", async () => {
    await start();
    await post(server, "/api/chat", { model: "scripted", ...HELLO }, { headers: { "X-Test": "1" } });
    await get(server, "/api/version");
    const [chat, version] = server.requests;
    assert.deepEqual([chat?.method, chat?.path, chat?.headers["x-test"]], ["POST", "/api/chat", "1"]);
    assert.deepEqual((chat?.body as Json)["messages"], HELLO.messages);
    assert.equal(version?.path, "/api/version");
    const [seen] = server.chats();
    assert.ok(seen && isInWindow(seen, "Hello there"));
    assert.ok(!isInWindow(seen, "periwinkle-7"));
  });

  test("a script that runs out is a problem of the test, and said", async () => {
    await start({ brain: scriptReplies([]) });
    const chat = await rawChat(server, HELLO);
    assert.equal(chat.status, 500);
    assert.match(server.problems[0]?.message ?? "", /only 0 replies/);
  });
});
