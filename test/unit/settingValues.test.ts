import assert from "node:assert/strict";
import { test } from "node:test";
import { SECRET_FILES } from "../../src/core/approvals/secrets";
import { chooseAddress, DEFAULT_ADDRESS } from "../../src/ollama/address";
import { readSettings, type SettingSource } from "../../src/vscode/settingValues";

function sourceOf(values: Readonly<Record<string, unknown>>, ollamaHost?: string): SettingSource {
  return {
    set: (id) => values[id],
    chooseAddress: (text) => chooseAddress({ field: "loom.address", text }, ollamaHost),
    defaultAddress: DEFAULT_ADDRESS,
  };
}

test("without any setting the defaults hold and nothing is named", () => {
  assert.deepEqual(readSettings(sourceOf({})), {
    values: {
      address: { url: "http://127.0.0.1:11434", isLoopback: true },
      model: "",
      numCtx: 8192,
      isNumCtxSet: false,
      compactionThreshold: 0.8,
      keepMessages: 6,
      automaticCompaction: true,
      summaryRequest: "auto",
      thinking: "on",
      preload: true,
      silenceLimit: 0,
      cloudModels: "ask",
      roundLimit: 25,
      commandTimeLimit: 120,
      approvalMode: "ask",
      allowedCommands: [],
      secretFiles: SECRET_FILES,
    },
    bad: [],
  });
});

test("values inside their ranges are used as they are", () => {
  const { values, bad } = readSettings(
    sourceOf({
      address: "https://ollama.example.com/",
      model: " qwen3:8b ",
      numCtx: 2048,
      "compaction.threshold": 0.5,
      "compaction.keep": 1,
      "compaction.automatic": false,
      "compaction.request": "inPlace",
      thinking: "high",
      preload: false,
      silenceLimit: 20,
      cloudModels: "hide",
      roundLimit: 3,
      commandTimeLimit: 5,
      approvals: "readOnly",
      allowedCommands: ["git status"],
      secretFiles: ["*.secret"],
    }),
  );
  assert.deepEqual(bad, []);
  assert.equal(values.address.url, "https://ollama.example.com:443");
  assert.equal(values.model, "qwen3:8b");
  assert.equal(values.numCtx, 2048);
  assert.equal(values.compactionThreshold, 0.5);
  assert.equal(values.keepMessages, 1);
  assert.equal(values.automaticCompaction, false);
  assert.equal(values.summaryRequest, "inPlace");
  assert.deepEqual(
    [values.thinking, values.preload, values.silenceLimit, values.cloudModels],
    ["high", false, 20, "hide"],
  );
  assert.equal(values.roundLimit, 3);
  assert.equal(values.commandTimeLimit, 5);
  assert.equal(values.approvalMode, "readOnly");
  assert.deepEqual(values.allowedCommands, ["git status"]);
  assert.deepEqual(values.secretFiles, ["*.secret"]);
});

for (const [id, value] of [
  ["numCtx", 1],
  ["numCtx", "abc"],
  ["numCtx", 4096.5],
  ["numCtx", 1_048_577],
  ["compaction.threshold", 80],
  ["compaction.keep", 0],
  ["compaction.automatic", "yes"],
  ["compaction.request", "in_place"],
  ["thinking", true],
  ["preload", "no"],
  ["silenceLimit", -1],
  ["cloudModels", "allow"],
  ["roundLimit", []],
  ["commandTimeLimit", -1],
  ["approvals", "always"],
  ["model", 7],
] as const) {
  test(`${id} = ${JSON.stringify(value)} is named and the default used`, () => {
    const { values, bad } = readSettings(sourceOf({ [id]: value }));
    assert.deepEqual({ ...values, isNumCtxSet: false }, readSettings(sourceOf({})).values);
    assert.equal(bad.length, 1);
    assert.equal(bad[0]?.id, id);
    assert.equal(bad[0]?.value, value);
  });
}

test("an address that is none is named with a sentence, and the default address used", () => {
  const { values, bad } = readSettings(sourceOf({ address: "not an address" }));
  assert.equal(values.address.url, "http://127.0.0.1:11434");
  assert.deepEqual(
    bad.map(({ id, expected }) => [id, expected.kind]),
    [["address", "address"]],
  );
});

test("OLLAMA_HOST counts while no address is set, and only then", () => {
  assert.equal(readSettings(sourceOf({}, "0.0.0.0:9999")).values.address.url, "http://127.0.0.1:9999");
  const set = readSettings(sourceOf({ address: "http://127.0.0.1:1234" }, "0.0.0.0:9999"));
  assert.equal(set.values.address.url, "http://127.0.0.1:1234");
});
