import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parseOverflow } from "../../../src/ollama/failures/overflow";
import { failure, startWire, user } from "./fixture";

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
