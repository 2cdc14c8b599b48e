import assert from "node:assert/strict";
import { test } from "node:test";
import { SECRET_FILES } from "../../../src/core/approvals/secrets";
import { chooseAddress, DEFAULT_ADDRESS } from "../../../src/ollama/address";
import { readSettings, type SettingSource } from "../../../src/vscode/settingValues";
import type { AddressAnswer } from "../../../src/vscode/workspaceAddress";

function sourceOf(values: Readonly<Record<string, unknown>>, ollamaHost?: string): SettingSource {
  return {
    workspaceAddress: { value: undefined, answerTo: () => undefined },
    set: (id) => values[id],
    chooseAddress: (text) => chooseAddress({ field: "loom.address", text }, ollamaHost),
    defaultAddress: DEFAULT_ADDRESS,
  };
}

test("without any setting the defaults hold and nothing is named", () => {
  assert.deepEqual(readSettings(sourceOf({})), {
    values: {
      address: { url: "http://127.0.0.1:11434", isLoopback: true },
      namedByWorkspace: undefined,
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

/** What the settings come to when the workspace names an address, with the answers that the person gave before. */
function readWithNamed(
  value: unknown,
  answers: Readonly<Record<string, AddressAnswer>> = {},
  own: Readonly<Record<string, unknown>> = { address: "http://mine:1" },
) {
  return readSettings({
    ...sourceOf(own),
    workspaceAddress: { value, answerTo: (url) => answers[url] },
  });
}

test("S03: an address that the workspace names is used only after exactly that one was agreed to", () => {
  const cases: readonly (readonly [
    Readonly<Record<string, AddressAnswer>>,
    string,
    AddressAnswer | undefined,
  ])[] = [
    [{}, "http://mine:1", undefined],
    [{ "http://theirs:2": "refuse" }, "http://mine:1", "refuse"],
    [{ "http://theirs:2": "use" }, "http://theirs:2", "use"],
    // Another port, host, path or scheme is another address.
    [{ "http://theirs:3": "use" }, "http://mine:1", undefined],
    [{ "http://theirs:2/path": "use" }, "http://mine:1", undefined],
    [{ "https://theirs:2": "use" }, "http://mine:1", undefined],
    [{ "http://theirs:2": "use", "http://theirs:3": "refuse" }, "http://theirs:2", "use"],
  ];
  for (const [answers, used, answer] of cases) {
    const { values, bad } = readWithNamed("http://theirs:2", answers);
    assert.deepEqual(bad, []);
    assert.equal(values.address.url, used);
    assert.deepEqual(values.namedByWorkspace, { url: "http://theirs:2", isLoopback: false, answer });
  }
});

test("S03: an address of the workspace's that means the person's own, or nothing, is no question", () => {
  for (const value of ["mine:1", " http://mine:1/ ", "http://MINE:1/api", "", "  ", null, undefined]) {
    const { values, bad } = readWithNamed(value);
    assert.deepEqual([values.address.url, values.namedByWorkspace, bad], ["http://mine:1", undefined, []]);
  }
  // An empty one does not bring back the environment's or the default in place of the person's own.
  assert.equal(
    readSettings({ ...sourceOf({}, "env:5"), workspaceAddress: { value: "", answerTo: () => "use" } }).values
      .address.url,
    "http://env:5",
  );
});

for (const [what, value] of [
  ["no address", "my server"],
  ["a password", "http://me:periwinkle-7@127.0.0.1:11434@theirs"],
  ["another scheme", "file:///etc/passwd"],
  ["no text", { url: "http://theirs:2" }],
  [
    "more than can be shown",
    `http://127.0.0.1.${"a".repeat(60)}.${"b".repeat(60)}.${"c".repeat(60)}.${"d".repeat(20)}.theirs`,
  ],
  ["more than can be shown once it is spelled out", `http://theirs/${"ä".repeat(100)}`],
] as const)
  test(`S03: an address of the workspace's with ${what} is named and never used, whatever was agreed to`, () => {
    const { values, bad } = readSettings({
      ...sourceOf({ address: "http://mine:1" }),
      workspaceAddress: { value, answerTo: () => "use" },
    });
    assert.deepEqual([values.address.url, values.namedByWorkspace], ["http://mine:1", undefined]);
    assert.deepEqual(
      bad.map(({ id, usedInstead }) => [id, usedInstead]),
      [["address", "http://mine:1"]],
    );
    assert.doesNotMatch(JSON.stringify(bad.map(({ expected }) => expected)), /periwinkle/);
  });

for (const [value, shown] of [
  ["127.0.0.1.theirs.example", "http://127.0.0.1.theirs.example:11434"],
  ["http://\u0430pple.example", "http://xn--pple-43d.example:11434"],
  ["http://theirs.example/\u202egpj.x", "http://theirs.example:11434/%E2%80%AEgpj.x"],
  ["http://theirs.example/?q=1#x", "http://theirs.example:11434"],
  ["http://theirs.ex\u200bample", "http://theirs.example:11434"],
] as const)
  test(`S03: what is asked about is the address that requests would go to: ${JSON.stringify(value)}`, () => {
    const { values } = readWithNamed(value);
    assert.equal(values.namedByWorkspace?.url, shown);
  });
