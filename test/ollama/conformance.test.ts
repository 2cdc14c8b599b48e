import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { plainModel, toolModel } from "../../scripts/ollama/recipe";
import { startScriptedModels } from "../support/conformance/scripted";
import { describeConformance } from "../support/conformance/suite";
import { get } from "../support/rawClient";

const url = process.env["LOOM_TEST_OLLAMA"] ?? "";

const real = describeConformance("conformance of the real server", () =>
  Promise.resolve({ url, toolModel, plainModel, close: () => Promise.resolve() }),
);

// The same tests again on the scripted server, told to be of the same version: so it is known to tell the truth.
const scripted = describeConformance("conformance of the scripted server in the same version", async () => {
  const { version } = await get({ url }, "/api/version");
  return startScriptedModels({ version: String(version) });
});

describe("the scripted server", () => {
  test("does what the real one does wherever versions differ", () => {
    assert.ok(Object.keys(real).length > 0);
    assert.deepEqual(scripted, real);
  });
});
