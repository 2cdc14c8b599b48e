import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { diagnose } from "../../../src/ollama/failures/failures";
import { ConnectionError, ErrorLine, StatusError } from "../../../src/ollama/wire/wireErrors";
import type { FailureKind } from "../../../src/shared/events";
import type { Fault } from "../../support/scriptedServer";
import { addressOf, failure, READ_FILE, reply, startWire } from "./fixture";

const NO_PARTIAL = { text: "", thinking: "" };

test("not running: the address and how to start Ollama are named, and the next message works once it runs", async (context) => {
  const wire = await startWire(context);
  wire.server.refuseConnections();
  const failed = await failure(wire);
  assert.equal(failed.kind, "not_running");
  assert.ok(failed.message.includes(wire.server.url), failed.message);
  assert.match(failed.message, /ollama serve/);
  assert.doesNotMatch(failed.message, /fetch failed/);
  await wire.server.acceptConnections();
  await reply(wire);
});

test("S04: on another machine than the person's own the failure says which one was tried, and what to change", async (context) => {
  const wire = await startWire(context, { client: { machine: "the WSL machine Ubuntu" } });
  wire.server.refuseConnections();
  const { message } = await failure(wire);
  assert.match(message, /the WSL machine Ubuntu, where Loom runs/);
  assert.match(message, /address .* in Loom's settings/);
});

for (const [platform, way] of [
  ["darwin", /Open the Ollama app/],
  ["win32", /Start menu/],
  ["linux", /systemctl start ollama/],
  ["freebsd", /ollama serve/],
] as const)
  test(`not running on ${platform}: the way to start it there`, () => {
    const error = new ConnectionError("ECONNREFUSED", "open", new Error("connect ECONNREFUSED"));
    const address = addressOf("127.0.0.1");
    assert.match(diagnose(error, { address, platform }).failure.message, way);
    const remote = diagnose(error, { address: addressOf("http://10.0.0.7"), platform }).failure.message;
    assert.match(remote, /http:\/\/10\.0\.0\.7:11434/);
    assert.match(remote, /OLLAMA_HOST=0\.0\.0\.0/);
  });

test("model missing: its name and the command that gets it; after that the next message works", async (context) => {
  const wire = await startWire(context);
  const failed = await failure(wire, { model: "qwen9:1b" });
  assert.equal(failed.kind, "model_missing");
  assert.match(failed.message, /`ollama pull qwen9:1b`/);
  wire.server.addModel({ name: "qwen9:1b" });
  await reply(wire, { model: "qwen9:1b" });
});

test("model missing: also when it goes away after it was known", async (context) => {
  const wire = await startWire(context);
  await reply(wire);
  wire.server.removeModel("scripted");
  assert.equal((await failure(wire)).kind, "model_missing");
});

test("A09: a model without tools is refused before anything is sent, and works without tools", async (context) => {
  const wire = await startWire(context, { models: [{ name: "scripted", capabilities: ["completion"] }] });
  const failed = await failure(wire);
  assert.equal(failed.kind, "no_tools");
  assert.match(failed.message, /^scripted cannot call tools/);
  assert.match(failed.message, /Choose another model/);
  assert.equal(wire.server.chats().length, 0);
  await reply(wire, { tools: [] });
  wire.server.addModel({ name: "scripted" });
  await reply(wire);
});

test("A09: a server that refuses tools without having said so is understood, and asked once", async (context) => {
  const models = [{ name: "scripted", capabilities: ["completion"] }];
  const wire = await startWire(context, { version: "0.5.0", models });
  const failed = await failure(wire);
  assert.equal(failed.kind, "no_tools");
  assert.match(failed.message, /^scripted cannot/);
  assert.equal(wire.server.chats().length, 1);
});

test("A09: a refusal to think leads to one retry without, which is remembered", async (context) => {
  const models = [{ name: "scripted", capabilities: ["completion", "tools", "thinking"] }];
  const wire = await startWire(context, { models });
  wire.server.playFault("/api/chat", {
    kind: "status",
    status: 400,
    body: { error: '"scripted" does not support thinking' },
  });
  await reply(wire);
  await reply(wire);
  const thinks = wire.server.chats().map(({ request }) => request.think);
  assert.deepEqual(thinks, [true, undefined, undefined]);
});

test("A09: a server that goes on refusing to think is not asked a third time", async (context) => {
  const models = [{ name: "scripted", capabilities: ["completion", "tools", "thinking"] }];
  const wire = await startWire(context, { models });
  const body = { error: '"scripted" does not support thinking' };
  wire.server.playFault("/api/chat", { kind: "status", status: 400, body }, 5);
  const failed = await failure(wire);
  assert.equal(failed.kind, "no_thinking");
  assert.match(failed.message, /scripted/);
  assert.equal(wire.server.chats().length, 2);
});

describe("a status", () => {
  for (const [status, error, kind, words] of [
    [400, "invalid options: num_predict", "server_error", /invalid options/],
    [401, "unauthorized", "unauthorized", /token/],
    [403, "ollama cloud is disabled: remote model is unavailable", "unauthorized", /local model/],
    [404, "model 'scripted' not found", "model_missing", /ollama pull scripted/],
    [404, 'model "scripted" not found, try pulling it first', "model_missing", /ollama pull scripted/],
    [429, "you have reached your hourly usage limit", "busy", /hourly usage limit/],
    [
      500,
      "model requires more system memory (5.6 GiB) than is available (3.1 GiB)",
      "load_failed",
      /num_ctx 4096/,
    ],
    [
      500,
      "model runner has unexpectedly stopped, this may be due to resource limitations",
      "load_failed",
      /smaller/,
    ],
    [500, "no user query found in messages", "template", /ollama pull scripted/],
    [
      500,
      'template: :3:5: executing "" at <index .Messages 0>: error calling index',
      "template",
      /another model/,
    ],
    [502, "cannot reach the remote model", "server_error", /status 502/],
    [503, "server busy, please try again.  maximum pending requests exceeded", "busy", /Wait a moment/],
  ] as const satisfies readonly (readonly [number, string, FailureKind, RegExp])[])
    test(`${status} (${error.slice(0, 40)}) is ${kind}, asked once, with the model or the address in the sentence`, async (context) => {
      const wire = await startWire(context);
      wire.server.playFault("/api/chat", { kind: "status", status, body: { error } });
      const failed = await failure(wire);
      assert.equal(failed.kind, kind);
      assert.match(failed.message, words);
      assert.match(failed.message, /scripted|127\.0\.0\.1/);
      assert.deepEqual(failed.partial, NO_PARTIAL);
      assert.equal(wire.server.chats().length, 1);
      assert.ok(wire.log.some((line) => line.includes(`status ${status}`)));
      await reply(wire);
    });

  test("401 with an address to sign in names it", async (context) => {
    const wire = await startWire(context);
    const body = { error: "unauthorized", signin_url: "https://ollama.com/connect?x" };
    wire.server.playFault("/api/chat", { kind: "status", status: 401, body });
    assert.match((await failure(wire)).message, /https:\/\/ollama\.com\/connect\?x/);
  });

  for (const [name, fault] of [
    ["a page", { kind: "status", status: 502, body: "<html>Bad gateway</html>" }],
    ["404 page not found", { kind: "status", status: 404, body: "404 page not found" }],
  ] as const satisfies readonly (readonly [string, Fault])[])
    test(`${name} is not Ollama`, async (context) => {
      const wire = await startWire(context);
      wire.server.playFault("/api/chat", fault);
      const failed = await failure(wire);
      assert.equal(failed.kind, "wrong_address");
      assert.match(failed.message, /not Ollama.*11434/s);
    });

  test("a redirect is named with its target", () => {
    const { failure: failed } = diagnose(new StatusError(301, "", "https://ollama.example.com/api/chat"), {
      address: addressOf("http://ollama.example.com"),
      platform: "linux",
    });
    assert.equal(failed.kind, "wrong_address");
    assert.match(failed.message, /https:\/\/ollama\.example\.com\/api\/chat/);
  });
});

describe("a tool call that Ollama could not parse", () => {
  const error = 'error parsing tool call: raw=\'{"path": "periwinkle-7\', err=unexpected end of JSON input';

  test("is tried once more, and its contents stay out of the log", async (context) => {
    const wire = await startWire(context);
    wire.server.playFault("/api/chat", { kind: "status", status: 500, body: { error } });
    await reply(wire);
    assert.equal(wire.server.chats().length, 2);
    assert.doesNotMatch(wire.log.join("\n"), /periwinkle/);
  });

  test("fails after that, with what to ask for", async (context) => {
    const wire = await startWire(context);
    wire.server.playFault("/api/chat", { kind: "status", status: 500, body: { error } }, 5);
    const failed = await failure(wire);
    assert.equal(failed.kind, "tool_parse");
    assert.match(failed.message, /smaller step/);
    assert.equal(wire.server.chats().length, 2);
  });

  for (const written of [
    "model x not found, try pulling it first",
    "the input length exceeds the context length",
    "x does not support tools",
    "invalid think value",
    "no space left on device",
  ])
    test(`is not taken for what the model wrote: ${written}`, () => {
      const error = new ErrorLine(
        `error parsing tool call: raw='{"new": "${written}', err=unexpected end of JSON input`,
      );
      const address = addressOf("127.0.0.1");
      assert.equal(diagnose(error, { address, model: "x", platform: "linux" }).failure.kind, "tool_parse");
    });

  test("is not tried again once something of the answer was shown", async (context) => {
    const wire = await startWire(context, { brain: () => ({ content: "Now I edit.", toolCalls: [] }) });
    wire.server.playFault("/api/chat", { kind: "error", afterChunks: 1, message: error });
    const failed = await failure(wire, { tools: [READ_FILE] });
    assert.equal(failed.kind, "tool_parse");
    assert.equal(wire.server.chats().length, 1);
  });
});

for (const [code, kind] of [
  ["ENOTFOUND", "wrong_address"],
  ["EHOSTUNREACH", "not_running"],
  ["ETIMEDOUT", "not_running"],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", "wrong_address"],
  ["ERR_SSL_WRONG_VERSION_NUMBER", "wrong_address"],
  ["HPE_INVALID_CONSTANT", "wrong_address"],
] as const)
  test(`the connection error ${code} is ${kind} and names the address`, () => {
    const error = new ConnectionError(code, "open", new Error("some cause"));
    const { failure: failed } = diagnose(error, { address: addressOf("box.lan"), platform: "linux" });
    assert.equal(failed.kind, kind);
    assert.match(failed.message, /http:\/\/box\.lan:11434/);
  });
