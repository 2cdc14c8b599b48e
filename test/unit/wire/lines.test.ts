import assert from "node:assert/strict";
import { test } from "node:test";
import { checkedLines } from "../../../src/ollama/wire/lines";

test("a line of 14 MB comes whole out of pieces that cut its characters, in a time that grows with its length only", async () => {
  const content = "größer 読み 🧵 ".repeat(700_000);
  const bytes = new TextEncoder().encode(`{"a":1}\n${JSON.stringify({ content })}\n{"b":2}`);
  let at = 0;
  const pieces = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.subarray(at, (at += 701)));
    },
  });
  const decoder = new TextDecoder();
  let text = "";
  for await (const lines of checkedLines(pieces)) text += decoder.decode(lines, { stream: true });
  const values = text.trimEnd().split("\n");
  assert.deepEqual([values.length, values[0], values[2]], [3, '{"a":1}', '{"b":2}']);
  assert.ok(values[1] === JSON.stringify({ content }));
});
