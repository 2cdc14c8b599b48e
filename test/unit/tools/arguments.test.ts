import assert from "node:assert/strict";
import { test } from "node:test";
import { schemaTokens } from "../../../bench/tools";
import { createTools } from "../../../src/core/tools";
import { cleanPath } from "../../../src/core/tools/arguments";
import { plainName } from "../../../src/core/tools/plainName";
import type { JsonValue } from "../../../src/shared/events";
import { MemoryWorkspace } from "../../support/memoryWorkspace";
import { FakeShell, toolCaller } from "../../support/toolCalls";

const FILES = { "a.txt": "one\ntwo\nthree\n" };

function caller(files: Readonly<Record<string, string>> = FILES) {
  const workspace = new MemoryWorkspace({ files });
  const shell = new FakeShell();
  return { workspace, shell, call: toolCaller(workspace, shell) };
}

const READS: readonly (readonly [name: string, input: Readonly<Record<string, JsonValue>>])[] = [
  ["numbers in strings", { path: "a.txt", start_line: "2", end_line: " 3 " }],
  ["other names", { file_path: "a.txt", from_line: 2, to_line: 3 }],
  ["camel case", { filePath: "a.txt", startLine: 2.0, endLine: 3 }],
  ["a name in capitals", { FILENAME: "a.txt", Start_Line: 2, END: 3 }],
  ["arguments in an object", { arguments: { path: "a.txt", start_line: 2, end_line: 3 } }],
  ["JSON in a string", { arguments: '{"path":"a.txt","start_line":2,"end_line":3}' }],
  ["JSON in a string, twice", { input: '{"args":"{\\"path\\":\\"a.txt\\",\\"start_line\\":2}"}' }],
  ["fields that do not exist", { path: "a.txt", start_line: 2, encoding: "utf8", why: { a: [1] } }],
  ["a list of one", { path: ["a.txt"], start_line: [2] }],
  ["a path in quotes", { path: ' "a.txt" ', start_line: 2 }],
  [
    "optional fields that are null or empty",
    { path: "`a.txt`", start_line: 2, end_line: null, start_character: "" },
  ],
];

for (const [name, input] of READS) {
  test(`arguments are mended: ${name}`, async () => {
    const { call } = caller();
    const { content, outcome } = await call("read_file", input);
    assert.equal(outcome, "ok");
    assert.equal(content, "a.txt lines 2–3 of 3\ntwo\nthree");
  });
}

const EDITS: readonly Readonly<Record<string, JsonValue>>[] = [
  { path: "a.txt", old_string: "two", new_string: "2" },
  { file: "a.txt", oldText: "two", newText: "2" },
  { path: "a.txt", search: "two", replace: "2" },
  { path: "a.txt", old_text: "two", new_text: 2 },
  { path: "a.txt", old_text: "two", new_text: "2", replace_all: "false" },
  { path: "a.txt", old_text: "two", new_text: "2", replaceAll: 0 },
];

for (const input of EDITS) {
  test(`arguments are mended: edit_file with ${Object.keys(input).join(", ")}`, async () => {
    const { call, workspace } = caller();
    assert.equal((await call("edit_file", input)).outcome, "ok");
    assert.equal(workspace.textOf("a.txt"), "one\n2\nthree\n");
  });
}

test("arguments are mended: a new file given by path and content alone", async () => {
  const { call, workspace } = caller();
  await call("edit_file", { path: "b.txt", content: "new\n" });
  assert.equal(workspace.textOf("b.txt"), "new\n");
  const again = await call("edit_file", { path: "b.txt", content: "other\n" });
  assert.equal(again.outcome, "error");
  assert.equal(workspace.textOf("b.txt"), "new\n");
});

test("arguments are mended: other names for a command and a pattern", async () => {
  const { call, shell } = caller();
  await call("bash", { cmd: "echo hi" });
  assert.equal(shell.requests[0]?.command, "echo hi");
  assert.match((await call("search_text", { query: "two", directory: "." })).content, /2: two/);
});

test("a field's own name wins over another name for it", async () => {
  const { call } = caller({ ...FILES, "b.txt": "b" });
  assert.match((await call("read_file", { file: "b.txt", path: "a.txt" })).content, /^a\.txt/);
});

const WRONG: readonly (readonly [tool: string, input: Readonly<Record<string, JsonValue>>, says: RegExp])[] =
  [
    ["read_file", {}, /^read_file needs path\. .*\{"path":"src\/main\.ts"\}/],
    ["read_file", { path: null }, /needs path/],
    ["read_file", { path: { a: 1 } }, /needs path as a string/],
    ["read_file", { path: ["a", "b"] }, /needs path as a string/],
    ["read_file", { path: "a.txt", start_line: "two" }, /needs start_line as a whole number/],
    ["read_file", { path: "a.txt", start_line: 1.5 }, /needs start_line as a whole number/],
    ["read_file", { path: "a.txt", start_line: true }, /needs start_line as a whole number/],
    ["read_file", { arguments: "not json" }, /needs path/],
    [
      "edit_file",
      { path: "a.txt", old_text: "two" },
      /needs new_text.*"old_text":"const a = 1;","new_text":"const a = 2;"/,
    ],
    ["edit_file", { path: "a.txt", old_text: "two", new_text: { b: 1 } }, /needs new_text as a string/],
    [
      "edit_file",
      { path: "a.txt", old_text: "o", new_text: "0", replace_all: "maybe" },
      /needs replace_all as true or false/,
    ],
    ["bash", {}, /needs command.*\{"command":"npm test"\}/],
    ["bash", { command: "  " }, /not empty/],
    ["search_text", { pattern: "" }, /not empty/],
  ];

for (const [tool, input, says] of WRONG) {
  test(`what cannot be mended gives the right form: ${tool} ${JSON.stringify(input)}`, async () => {
    const { call, workspace, shell } = caller();
    const result = await call(tool, input);
    assert.equal(result.outcome, "error");
    assert.match(result.content, says);
    assert.deepEqual(result.questions, []);
    assert.deepEqual([workspace.touched, shell.requests], [[], []]);
  });
}

test("a path loses the quotes around it and nothing else", () => {
  assert.deepEqual(['"a b.txt"', "'x'", "it's.txt", "`y`", " z ", '"', "a\nb"].map(cleanPath), [
    "a b.txt",
    "x",
    "it's.txt",
    "y",
    "z",
    '"',
    "a\nb",
  ]);
});

test("a path that was shown with its unseen characters spelled out is that path", () => {
  for (const path of ["a\u200cb.txt", "\u{1F468}\u200d\u{1F469}.md", "a\nb", "\u{10FFFD}", "\u{E0001}x"])
    assert.equal(cleanPath(plainName(path)), path);
  assert.equal(cleanPath("a\\u{zz}\\u{110000}"), "a\\u{zz}\\u{110000}");
});

test("the tools come in a fixed order, with the same small schemas every time", () => {
  const make = () =>
    createTools({
      workspace: new MemoryWorkspace(),
      shell: new FakeShell(),
      limits: { commandTimeLimitSeconds: 1 },
    });
  const schemas = make().map(({ schema }) => schema);
  assert.deepEqual(
    schemas.map(({ name }) => name),
    ["read_file", "list_files", "search_text", "edit_file", "bash"],
  );
  const json = JSON.stringify(schemas);
  assert.equal(json, JSON.stringify(make().map(({ schema }) => schema)));
  assert.ok(json.length < 2_000, `${json.length} characters`);
  for (const { parameters } of schemas) {
    for (const name of parameters.required) assert.ok(Object.hasOwn(parameters.properties, name));
  }
});

test("what every request carries of the tools stays within 900 tokens", () => {
  assert.ok(schemaTokens() > 100 && schemaTokens() <= 900, `${schemaTokens()} tokens`);
});
