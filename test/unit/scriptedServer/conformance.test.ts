import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { startScriptedModels } from "../../support/conformance/scripted";
import { describeConformance, type Behaviour } from "../../support/conformance/suite";

const CURRENT: Behaviour = {
  prompt_eval_cached_count: "a part of prompt_eval_count",
  "a prompt that is too long, truncate: false": "400 with its numbers in JSON",
  "one message that is too long, truncate and shift absent": "cut to half the window and two tokens",
  "one message that is too long, truncate absent, shift: false":
    "400, the prompt is longer than the context length currently available to the model",
  "context_length in /api/ps": "what was allocated",
  "another shift": "loads the model anew",
  "two requests at once": "one after the other",
  "a model that is not there": "model 'no-such-model' not found",
  "arguments as a string": "Value looks like object, but can't find closing '}' symbol",
};

const OLD_ENGINE: Behaviour = {
  prompt_eval_cached_count: "absent",
  "a prompt that is too long, truncate: false": "400, a sentence",
  "one message that is too long, truncate and shift absent": "cut to the whole window",
  "one message that is too long, truncate absent, shift: false": "cut to the whole window",
  "context_length in /api/ps": "what was allocated",
  "two requests at once": "one after the other",
  "a model that is not there": "model 'no-such-model' not found",
  "arguments as a string": "Value looks like object, but can't find closing '}' symbol",
};

for (const [version, expected] of [
  ["0.34.2", CURRENT],
  ["0.24.0", OLD_ENGINE],
] as const) {
  const seen = describeConformance(`conformance of the scripted server in version ${version}`, () =>
    startScriptedModels({ version }),
  );

  describe(`version ${version}`, () => {
    test("behaves as that version of Ollama is known to", () => assert.deepEqual(seen, expected));
  });
}
