import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { countPrompt, countTokens, tokenize } from "../../support/scriptedServer";
import { READ_FILE } from "./fixture";

describe("tokens", () => {
  test("joined, the tokens of any text are the text again", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => tokenize(text).join("") === text));
  });

  test("words, digits, indentation, Chinese and emoji count differently", () => {
    assert.equal(countTokens("the quick brown fox"), 4);
    assert.equal(countTokens("implementation"), 3);
    assert.equal(countTokens("48213"), 5);
    assert.equal(countTokens("if (x) {\n        return;\n}"), 11);
    assert.equal(countTokens("部署密码"), 4);
    assert.equal(countTokens("🚀"), 2);
  });

  test("thinking before the last user message and schema keywords that Ollama drops do not count", () => {
    const old = [
      { role: "user" as const, content: "a" },
      { role: "assistant" as const, content: "b", thinking: "a long thought about the question" },
    ];
    const next = { role: "user" as const, content: "c" };
    const plain = old.map(({ role, content }) => ({ role, content }));
    assert.ok(countPrompt({ messages: old }) > countPrompt({ messages: plain }));
    assert.equal(countPrompt({ messages: [...old, next] }), countPrompt({ messages: [...plain, next] }));
    const { parameters } = READ_FILE.function;
    const strict = {
      ...READ_FILE,
      function: { ...READ_FILE.function, parameters: { ...parameters, additionalProperties: false } },
    };
    const messages = [next];
    assert.equal(countPrompt({ messages, tools: [READ_FILE] }), countPrompt({ messages, tools: [strict] }));
    assert.ok(countPrompt({ messages, tools: [READ_FILE] }) > countPrompt({ messages }) + 40);
  });
});
