import assert from "node:assert/strict";
import { test } from "node:test";
import { callsInText } from "../../../src/ollama/reply/callsInText";

const TOOLS = new Set(["read_file"]);
const CALL = '<tool_call>{"name":"read_file","arguments":{"path":"a.txt"}}</tool_call>';

// Each of these took minutes while the work grew with the square of the length, and the editor stood still meanwhile.
for (const [what, text] of [
  ["an opening tag again and again", "<function=read_file>".repeat(200_000)],
  ["the same after some words", `So: ${"<function=read_file>".repeat(200_000)}`],
  [
    "a parameter that is never closed",
    `<function=read_file>${"<parameter=path>".repeat(200_000)}</function>`,
  ],
  ["<tool_call> again and again", "<tool_call>".repeat(200_000)],
] as const) {
  test(`a reply that repeats ${what} is an answer, and found to be one at once`, () => {
    assert.equal(callsInText(text, TOOLS), undefined);
  });
}

test("a call behind very many empty lines is found at once", () => {
  const found = callsInText(`So:${"\n".repeat(500_000)}${CALL}`, TOOLS);
  assert.deepEqual(
    found?.calls.map(({ arguments: input }) => input),
    [{ path: "a.txt" }],
  );
});

test("several calls in <function=…> tags at the end of a reply are found with their parameters", () => {
  const call = (path: string) =>
    `<function=read_file>\n<parameter=path>\n${path}\n</parameter>\n</function>\n`;
  const found = callsInText(`I look.\n${call("a.txt")}${call("b <c> </d>.txt")}`, TOOLS);
  assert.equal(found?.text, "I look.");
  assert.deepEqual(
    found.calls.map(({ arguments: input }) => input),
    [{ path: "a.txt" }, { path: "b <c> </d>.txt" }],
  );
});
