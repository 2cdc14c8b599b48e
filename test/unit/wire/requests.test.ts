import assert from "node:assert/strict";
import { test } from "node:test";
import type { ContextMessage } from "../../../src/core/window/messages";
import { Catalog } from "../../../src/ollama/models/capabilities";
import { Connection } from "../../../src/ollama/wire/connection";
import { OllamaModel } from "../../../src/ollama/ollamaModel";
import { OllamaServer } from "../../../src/ollama/server";
import type { SeenChat } from "../../support/scriptedServer";
import { NEVER, READ_FILE, SYSTEM, chat, reply, requestFor, startWire, user } from "./fixture";

function runnerOptions({ body }: SeenChat): unknown {
  const { options, truncate, shift, keep_alive } = body as Record<string, Record<string, unknown>>;
  return { num_ctx: options?.["num_ctx"], truncate, shift, keep_alive };
}

test("num_ctx, truncate and shift are the same on every request of a session, so that no request reloads the model", async (context) => {
  const wire = await startWire(context);
  await reply(wire);
  await reply(wire, { messages: [SYSTEM, user("hello"), user("more")] });
  await reply(wire, { tools: [], thinking: "off", maxReplyTokens: 200, messages: [user("Summarise.")] });
  await reply(wire, { thinking: "off", maxReplyTokens: 77 });
  const seen = wire.server.chats();
  assert.equal(seen.length, 4);
  for (const request of seen)
    assert.deepEqual(runnerOptions(request), {
      num_ctx: 4096,
      truncate: false,
      shift: false,
      keep_alive: undefined,
    });
  // Summaries too: what writes for minutes must be seen to write, and a format would keep tools from being called.
  assert.ok(seen.every(({ request, body }) => request.stream === true && !("format" in (body as object))));
  assert.equal(wire.server.reloads, 0);
});

test("num_predict is the room that the reply was given", async (context) => {
  const wire = await startWire(context, { brain: () => ({ content: "word ".repeat(50) }) });
  const cut = await reply(wire, { maxReplyTokens: 5 });
  assert.equal(cut.doneReason, "length");
  assert.equal(cut.usage.replyTokens, 5);
});

for (const [version, shift] of [
  ["0.5.0", false],
  ["0.24.0", false],
  ["0.30.0", undefined],
  ["0.30.7", undefined],
  ["0.30.8", false],
  ["0.34.2", false],
  ["0.0.0", false],
] as const)
  test(`shift is ${shift ?? "left out"} for Ollama ${version}, on all requests`, async (context) => {
    const wire = await startWire(context, { version });
    await reply(wire);
    await reply(wire, { tools: [] });
    for (const { body } of wire.server.chats()) {
      assert.equal((body as Record<string, unknown>)["shift"], shift);
      assert.equal((body as Record<string, unknown>)["truncate"], false);
    }
    assert.equal(wire.server.reloads, 0);
  });

const CALL: ContextMessage = {
  role: "assistant",
  source: "e3",
  content: "",
  thinking: "I should look.",
  toolCalls: [{ id: "r1.1", name: "read_file", arguments: { path: "a.txt" } }],
};

const RESULT: ContextMessage = {
  role: "tool",
  source: "e4",
  content: "one",
  toolName: "read_file",
  callId: "r1.1",
};

test("a request begins with the bytes of the one before it, and the server re-reads nothing", async (context) => {
  const wire = await startWire(context);
  await reply(wire, { messages: [SYSTEM, user("read a.txt")] });
  await reply(wire, { messages: [SYSTEM, user("read a.txt"), CALL, RESULT] });
  const [first, second] = wire.server.chats();
  assert.ok(first && second);
  const bytes = JSON.stringify(first.body);
  const start = bytes.slice(0, bytes.lastIndexOf('],"options"'));
  assert.ok(start.length > 100);
  assert.equal(JSON.stringify(second.body).slice(0, start.length), start);
  assert.ok(second.cachedTokens >= first.promptTokens, `${second.cachedTokens} of ${first.promptTokens}`);
});

test("keys of messages and tools have one order, whatever order they come in", async (context) => {
  const wire = await startWire(context);
  const { name, description, parameters } = READ_FILE;
  const turned = {
    parameters: {
      properties: { path: { description: "The path.", type: "string" as const } },
      required: parameters.required,
      type: parameters.type,
    },
    description,
    name,
  };
  await reply(wire, { messages: [SYSTEM, user("x"), CALL, RESULT] });
  const { toolCalls, thinking, content, source, role } = CALL;
  await reply(wire, {
    messages: [SYSTEM, user("x"), { toolCalls, thinking, content, source, role }, RESULT],
    tools: [turned],
  });
  const [first, second] = wire.server.chats();
  assert.equal(JSON.stringify(second?.body), JSON.stringify(first?.body));
});

const THINKING_MODEL = { name: "scripted", capabilities: ["completion", "tools", "thinking"] };

test("results go back with name and id, calls with an object, and thinking with its message", async (context) => {
  const wire = await startWire(context, { models: [THINKING_MODEL] });
  await reply(wire, { messages: [SYSTEM, user("x"), CALL, RESULT] });
  assert.deepEqual(wire.server.chats()[0]?.request.messages?.slice(2), [
    {
      role: "assistant",
      content: "",
      thinking: "I should look.",
      tool_calls: [{ id: "r1.1", function: { name: "read_file", arguments: { path: "a.txt" } } }],
    },
    { role: "tool", content: "one", tool_name: "read_file", tool_call_id: "r1.1" },
  ]);
});

test("A01: a call whose arguments could not be read goes back with an object, which the server accepts", async (context) => {
  const wire = await startWire(context);
  const unreadable: ContextMessage = {
    ...CALL,
    toolCalls: [{ id: "r1.1", name: "read_file", arguments: {}, unreadableArguments: "{path: a.txt" }],
  };
  await reply(wire, { messages: [SYSTEM, user("x"), unreadable, RESULT] });
  const [, , assistant] = wire.server.chats()[0]?.request.messages ?? [];
  assert.deepEqual(assistant?.tool_calls?.[0]?.function.arguments, {});
});

for (const { capabilities, family, effort, thinking, think } of [
  { capabilities: ["tools"], family: "llama", effort: undefined, thinking: "default", think: undefined },
  { capabilities: ["tools"], family: "llama", effort: undefined, thinking: "off", think: undefined },
  {
    capabilities: ["tools", "thinking"],
    family: "qwen3",
    effort: undefined,
    thinking: "default",
    think: true,
  },
  { capabilities: ["tools", "thinking"], family: "qwen3", effort: "low", thinking: "default", think: true },
  { capabilities: ["tools", "thinking"], family: "qwen3", effort: "off", thinking: "default", think: false },
  { capabilities: ["tools", "thinking"], family: "qwen3", effort: undefined, thinking: "off", think: false },
  {
    capabilities: ["tools", "thinking"],
    family: "gptoss",
    effort: undefined,
    thinking: "default",
    think: "medium",
  },
  {
    capabilities: ["tools", "thinking"],
    family: "gptoss",
    effort: "high",
    thinking: "default",
    think: "high",
  },
  { capabilities: ["tools", "thinking"], family: "gptoss", effort: "high", thinking: "off", think: "low" },
] as const)
  test(`think is ${think ?? "left out"} for ${family} (${capabilities.join(", ")}), setting ${effort ?? "on"}, request ${thinking}`, async (context) => {
    const wire = await startWire(context, {
      models: [{ name: "scripted", capabilities, family }],
      client: { preferences: () => ({ thinking: effort }) },
    });
    await reply(wire, { thinking });
    assert.equal(wire.server.chats()[0]?.request.think, think);
  });

test("capabilities and version are asked once for many chats", async (context) => {
  const wire = await startWire(context);
  await reply(wire);
  await reply(wire, { model: "scripted:latest" });
  await reply(wire);
  assert.equal(wire.server.requestsTo("/api/show").length, 1);
  assert.equal(wire.server.requestsTo("/api/version").length, 1);
});

test("a model that is replaced by another one of its name is known anew once the list or a download has been looked at", async (context) => {
  const { server, address } = await startWire(context, { pullable: [{ name: "scripted" }] });
  const catalog = new Catalog(new Connection({ address }));
  const [model, ollama] = [new OllamaModel({ address }, catalog), new OllamaServer({ address }, catalog)];
  await reply({ model });
  server.addModel(THINKING_MODEL);
  assert.equal((await ollama.status("scripted", NEVER)).state, "ready");
  await reply({ model });
  await ollama.pull("scripted", () => undefined, NEVER);
  await reply({ model });
  assert.deepEqual(
    server.chats().map(({ request }) => request.think),
    [undefined, true, undefined],
  );
  assert.equal(server.requestsTo("/api/version").length, 1);
});

test("a server before 0.6.4, which tells no capabilities, is asked with tools and without think", async (context) => {
  const wire = await startWire(context, { version: "0.5.0" });
  await reply(wire);
  const { body } = wire.server.chats()[0] ?? {};
  assert.equal((body as { tools: unknown[] }).tools.length, 1);
  assert.ok(!("think" in (body as object)));
});

test("M03: the allocated window is read from the server, also where it is smaller than asked", async (context) => {
  const wire = await startWire(context, { models: [{ name: "scripted", allocated: 2048 }] });
  assert.equal(await wire.model.allocatedNumCtx("scripted", NEVER), undefined, "nothing is loaded yet");
  await reply(wire, { numCtx: 4096 });
  assert.equal(await wire.model.allocatedNumCtx("scripted", NEVER), 2048);
  assert.equal(await wire.model.allocatedNumCtx("scripted:latest", NEVER), 2048);
});

test("the allocated window is undefined where the server is too old to say, or fails", async (context) => {
  const wire = await startWire(context, { version: "0.9.0" });
  await reply(wire);
  assert.equal(await wire.model.allocatedNumCtx("scripted", NEVER), undefined);
  wire.server.playFault("/api/ps", { kind: "reset", afterChunks: 0 });
  assert.equal(await wire.model.allocatedNumCtx("scripted", NEVER), undefined);
});

test("a token goes with every request, and without the right one the failure says so", async (context) => {
  const wire = await startWire(context, { token: "s3cret", client: { token: "s3cret" } });
  await reply(wire);
  await wire.ollama.listModels(NEVER);
  assert.ok(wire.server.requests.length >= 4);
  for (const { headers } of wire.server.requests) assert.equal(headers.authorization, "Bearer s3cret");
  const other = await startWire(context, { token: "s3cret" });
  const { outcome } = await chat(other);
  assert.ok(outcome.type === "failed");
  assert.equal(outcome.failure.kind, "unauthorized");
  assert.match(outcome.failure.message, /token/);
});

test("the log has a readable line for each request, and nothing of what was said", async (context) => {
  const wire = await startWire(context, { brain: () => ({ content: "the secret answer" }) });
  await reply(wire, { messages: [SYSTEM, user("periwinkle-7")] });
  const text = wire.log.join("\n");
  assert.match(text, /^POST \/api\/show scripted: ok, \d+ ms$/m);
  assert.match(
    text,
    /^POST \/api\/chat scripted, num_ctx 4096, 2 messages, 1 tools: \d+ \(0 cached\) \+ \d+ tokens, 0 calls, stop, .*\d+ ms$/m,
  );
  assert.doesNotMatch(text, /periwinkle|secret|You are Loom/);
});

test("requests to one model run one after the other, those to another beside them", async (context) => {
  const wire = await startWire(context, { models: [{ name: "scripted" }, { name: "other" }] });
  const order: string[] = [];
  wire.server.setBrain(({ request }) => {
    const asked = request.messages?.at(-1)?.content ?? "";
    return {
      content: asked,
      before: async (piece) => {
        if (piece === 0 && asked === "first") await wire.server.waitForChat(2);
      },
    };
  });
  const ask = async (text: string, model: string): Promise<void> => {
    await wire.model.chat(requestFor({ model, messages: [user(text)] }), () => undefined, NEVER);
    order.push(text);
  };
  // The first answer waits until another chat has arrived: the one to the other model, since the second is held back.
  await Promise.all([ask("first", "scripted"), ask("second", "scripted"), ask("third", "other")]);
  assert.deepEqual(
    wire.server.chats().map(({ request }) => request.messages?.[0]?.content),
    ["first", "third", "second"],
  );
  assert.ok(order.indexOf("first") < order.indexOf("second"));
});
