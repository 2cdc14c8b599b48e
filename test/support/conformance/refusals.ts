import assert from "node:assert/strict";
import { test } from "node:test";
import type { Conformance } from "./suite";
import { assistant, errorOf, readFileTool, user } from "./wire";

/** The texts with which servers refuse what they or the model can't do. */
export function refusalsSuite({ wire, saw }: Conformance): void {
  const messages = [user("Hello.")];

  test("a model that is not there: 404 with its name", async () => {
    const answer = await wire().chat({ messages, model: "no-such-model" });
    assert.equal(answer.status, 404);
    assert.match(errorOf(answer), /^model ['"]no-such-model['"] not found/);
    saw("a model that is not there", errorOf(answer));
  });

  test("a model that can't be given tools: 400 with its whole name", async () => {
    const { plainModel } = wire().target;
    const answer = await wire().chat({ messages, model: plainModel, tools: [readFileTool()] });
    assert.equal(answer.status, 400);
    assert.equal(errorOf(answer), `registry.ollama.ai/library/${plainModel}:latest does not support tools`);
  });

  test("a model that can't think: 400 for think: true and for a level, none for false", async () => {
    for (const think of [true, "high"]) {
      const answer = await wire().chat({ messages, think });
      assert.equal(answer.status, 400);
      assert.equal(errorOf(answer), `"${wire().target.toolModel}" does not support thinking`);
    }
    assert.equal((await wire().chat({ messages, think: false })).status, 200);
  });

  test("arguments of a call that are no object: 400", async () => {
    const call = { function: { name: "read_file", arguments: '{"path":"a.ts"}' } };
    const answer = await wire().chat({ messages: [...messages, { ...assistant(""), tool_calls: [call] }] });
    assert.equal(answer.status, 400);
    saw("arguments as a string", errorOf(answer));
  });
}
