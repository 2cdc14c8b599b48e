import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { diagnose } from "../../../src/ollama/failures";
import { parseOverflow } from "../../../src/ollama/overflow";
import { ConnectionError, StatusError } from "../../../src/ollama/wireErrors";
import type { FailureKind } from "../../../src/shared/events";
import type { Fault } from "../../support/scriptedServer";
import { addressOf, chat, failure, NEVER, READ_FILE, reply, startWire, user } from "./fixture";

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
  assert.equal(wire.server.requestsTo("/api/chat").length, 0);
  await reply(wire, { tools: [] });
});

test("A09: a server that refuses tools without having said so is understood, and asked once", async (context) => {
  const models = [{ name: "scripted", capabilities: ["completion"] }];
  const wire = await startWire(context, { version: "0.5.0", models });
  const failed = await failure(wire);
  assert.equal(failed.kind, "no_tools");
  assert.match(failed.message, /^scripted cannot/);
  assert.equal(wire.server.requestsTo("/api/chat").length, 1);
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

describe("window exceeded", () => {
  const long = user("word ".repeat(3000));
  for (const { version, native, knowsNumbers } of [
    { version: "0.24.0", native: false, knowsNumbers: false },
    { version: "0.34.2", native: false, knowsNumbers: true },
    { version: "0.34.2", native: true, knowsNumbers: true },
  ])
    test(`${version}${native ? " native" : ""}: the refusal is understood, ${knowsNumbers ? "with" : "without"} numbers`, async (context) => {
      const wire = await startWire(context, { version, models: [{ name: "scripted", native }] });
      const { kind, message, outcome } = await failure(wire, { messages: [long], numCtx: 2048 });
      assert.equal(kind, "window_exceeded");
      assert.match(message, /2048 tokens of scripted/);
      assert.match(message, /Compact|num_ctx/);
      const seen = wire.server.chats()[0];
      const expected = { promptTokens: seen?.promptTokens, numCtx: 2048 };
      assert.deepEqual(outcome.overflow, knowsNumbers ? expected : {});
      assert.equal(wire.server.chats().length, 1, "the client itself does not try again");
    });

  const nested = JSON.stringify({
    error: {
      code: 400,
      message: "request (351 tokens) exceeds the available context size (256 tokens), try increasing it",
      type: "exceed_context_size_error",
      n_prompt_tokens: 351,
      n_ctx: 256,
    },
  });
  for (const [text, overflow] of [
    ["the input length exceeds the context length", {}],
    [nested, { promptTokens: 351, numCtx: 256 }],
    [
      "request (351 tokens) exceeds the available context size (256 tokens), try increasing it",
      { promptTokens: 351, numCtx: 256 },
    ],
    [
      "the prompt is longer than the context length currently available to the model; shorten the prompt, reduce history",
      {},
    ],
    [
      "input length (9000 tokens) exceeds the model's maximum context length (8192 tokens)",
      { promptTokens: 9000, numCtx: 8192 },
    ],
    ["model runner has unexpectedly stopped", undefined],
    ["{}", undefined],
  ] as const)
    test(`the text ${text.slice(0, 50)}… means ${JSON.stringify(overflow)}`, () => {
      assert.deepEqual(parseOverflow(text), overflow);
    });

  test("an error line in the stream means the same", async (context) => {
    const wire = await startWire(context);
    const message = "input length (9000 tokens) exceeds the model's maximum context length (8192 tokens)";
    wire.server.playFault("/api/chat", { kind: "error", afterChunks: 0, message });
    const { kind, outcome } = await failure(wire);
    assert.equal(kind, "window_exceeded");
    assert.deepEqual(outcome.overflow, { promptTokens: 9000, numCtx: 8192 });
  });
});

describe("breaking off in mid-answer", () => {
  const brain = (): { content: string; chunkSize: number } => ({ content: "one two three", chunkSize: 4 });
  for (const [name, fault, kind, words] of [
    [
      "A07: an error line",
      { kind: "error", afterChunks: 3, message: "runner stopped" },
      "server_error",
      /runner stopped/,
    ],
    [
      "A07: a reset",
      { kind: "reset", afterChunks: 3 },
      "interrupted_stream",
      /broke in the middle.*ECONNRESET/,
    ],
    ["an end without done", { kind: "eof", afterChunks: 3 }, "interrupted_stream", /without its end/],
    ["a garbage line", { kind: "garbage", afterChunks: 3 }, "interrupted_stream", /not Ollama's format/],
  ] as const)
    test(`${name} keeps the partial answer, warns nowhere but in the failure, and the next message works`, async (context) => {
      const warn = context.mock.method(console, "warn", () => undefined);
      const print = context.mock.method(console, "log", () => undefined);
      const wire = await startWire(context, { brain });
      wire.server.playFault("/api/chat", fault);
      const { outcome, text } = await chat(wire);
      assert.ok(outcome.type === "failed");
      assert.equal(outcome.failure.kind, kind);
      assert.match(outcome.failure.message, words);
      assert.match(outcome.failure.message, /try again/i);
      assert.deepEqual(outcome.partial, { text: "one two thre", thinking: "" });
      assert.equal(text, "one two thre");
      assert.equal(warn.mock.callCount() + print.mock.callCount(), 0);
      assert.equal(wire.server.chats().length, 1, "nothing is sent twice");
      assert.equal((await reply(wire)).text, "one two three");
    });

  test("A07: calls that came before the break are not handed out", async (context) => {
    const call = { name: "read_file", arguments: { path: "a" } };
    const wire = await startWire(context, { brain: () => ({ content: "x", toolCalls: [call] }) });
    wire.server.playFault("/api/chat", { kind: "reset", afterChunks: 2 });
    const { outcome } = await failure(wire);
    assert.ok(!("reply" in outcome) && !JSON.stringify(outcome).includes("read_file"));
  });

  test("a line that is cut by the end of the stream is no garbage but an end without done", async (context) => {
    const wire = await startWire(context);
    wire.server.playFault("/api/chat", { kind: "status", status: 200, body: '{"message":{"content":"hal' });
    assert.match((await failure(wire)).message, /without its end/);
  });

  test("blank lines between chunks do no harm", async (context) => {
    const warn = context.mock.method(console, "warn", () => undefined);
    const wire = await startWire(context, { brain });
    wire.server.playFault("/api/chat", { kind: "garbage", afterChunks: 1, line: "\n \n" });
    assert.equal((await reply(wire)).text, "one two three");
    assert.equal(warn.mock.callCount(), 0);
  });
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
    [500, "no user query found in messages", "server_error", /no user query/],
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
      assert.equal(wire.server.requestsTo("/api/chat").length, 1);
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

  test("is not tried again once something of the answer was shown", async (context) => {
    const wire = await startWire(context, { brain: () => ({ content: "Now I edit.", toolCalls: [] }) });
    wire.server.playFault("/api/chat", { kind: "error", afterChunks: 1, message: error });
    const failed = await failure(wire, { tools: [READ_FILE] });
    assert.equal(failed.kind, "tool_parse");
    assert.equal(wire.server.chats().length, 1);
  });
});

test("a connection closed before the answer is no bare error", async (context) => {
  const wire = await startWire(context);
  await reply(wire);
  wire.server.playFault("/api/chat", { kind: "reset", afterChunks: 0 });
  const failed = await failure(wire);
  assert.equal(failed.kind, "interrupted_stream");
  assert.match(failed.message, /closed the connection before it answered/);
  await reply(wire);
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

test("faults of /api/show and /api/version before a chat: the chat goes on, or says what is wrong, and the next one works", async (context) => {
  for (const path of ["/api/show", "/api/version"])
    for (const fault of [
      { kind: "status", status: 500, body: { error: "boom" } },
      { kind: "reset", afterChunks: 0 },
      { kind: "reset", afterChunks: 1 },
      { kind: "eof", afterChunks: 1 },
      { kind: "status", status: 401, body: { error: "unauthorized" } },
    ] as const satisfies readonly Fault[]) {
      const wire = await startWire(context);
      wire.server.playFault(path, fault);
      const { outcome } = await chat(wire);
      if (outcome.type === "failed") {
        assert.notEqual(outcome.failure.kind, "internal", `${path} ${JSON.stringify(fault)}`);
        assert.equal(wire.server.chats().length, 0);
      } else assert.equal(fault.kind, "status");
      await wire.model.chat(
        {
          model: "scripted",
          numCtx: 4096,
          messages: [user("x")],
          tools: [],
          maxReplyTokens: 9,
          thinking: "default",
        },
        () => undefined,
        NEVER,
      );
      assert.ok(wire.server.chats().length >= 1);
    }
});
