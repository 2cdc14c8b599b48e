import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { chat, failure, reply, startWire } from "./fixture";

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
    [
      "an end without done",
      { kind: "eof", afterChunks: 3 },
      "interrupted_stream",
      /broke the answer of scripted off/,
    ],
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
    assert.match((await failure(wire)).message, /broke the answer of scripted off/);
  });

  test("blank lines between chunks do no harm", async (context) => {
    const warn = context.mock.method(console, "warn", () => undefined);
    const wire = await startWire(context, { brain });
    wire.server.playFault("/api/chat", { kind: "garbage", afterChunks: 1, line: "\n \n" });
    assert.equal((await reply(wire)).text, "one two three");
    assert.equal(warn.mock.callCount(), 0);
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
