import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { splitWildcard, wildcardTest } from "../../../src/core/tools/wildcard";
import { MemoryWorkspace } from "../../support/memoryWorkspace";
import { toolCaller } from "../../support/toolCalls";

const TREE = {
  "README.md": "# Tea\nkettle\n",
  "src/a.ts": "const kettle = 1;\n",
  "src/deep/b.ts": "let x;\nkettle();\nkettle();\n",
};

function caller(files: Readonly<Record<string, string>> = TREE) {
  return toolCaller(new MemoryWorkspace({ files, folders: ["empty"] }));
}

for (const path of [undefined, "", ".", "./", "/"]) {
  test(`the whole workspace is listed for path ${JSON.stringify(path)}, upper levels first`, async () => {
    const { content, outcome, questions } = await caller()("list_files", path === undefined ? {} : { path });
    assert.equal(content, ".: 5 entries\nREADME.md\nsrc/\nsrc/a.ts\nsrc/deep/\nsrc/deep/b.ts");
    assert.deepEqual([outcome, questions], ["ok", []]);
  });
}

test("a folder, an empty folder, a file and a missing folder each get their own answer", async () => {
  const call = caller();
  assert.equal((await call("list_files", { path: "src/deep" })).content, "src/deep: 1 entry\nsrc/deep/b.ts");
  assert.equal((await call("list_files", { path: "empty" })).content, "empty is empty.");
  assert.match((await call("list_files", { path: "README.md" })).content, /is a file\. read_file/);
  assert.match((await call("list_files", { path: "nope" })).content, /nope does not exist/);
});

test("L02: a cut listing says how much is left out and how to narrow, and the last file is reached by a pattern", async () => {
  const names = Array.from({ length: 899 }, (_, index) => `file-${String(index).padStart(3, "0")}.txt`);
  const files = Object.fromEntries([...names, "zz-last.md"].map((name) => [`many/${name}`, ""]));
  const call = caller(files);
  const { content, summary } = await call("list_files", { path: "many" }, { maxCharacters: 2_000 });
  assert.ok(content.length <= 2_000);
  const shown = content.split("\n").filter((line) => line.startsWith("many/")).length;
  assert.match(content, /^many: 900 entries\n/);
  assert.ok(content.includes(`[${900 - shown} of 900 entries left out; narrow it with path`));
  assert.equal(summary, `900 entries, ${shown} shown`);
  const narrowed = await call("list_files", { path: "many/zz*" }, { maxCharacters: 2_000 });
  assert.equal(narrowed.content, "zz* in many: 1 entry\nmany/zz-last.md");
  assert.match((await call("list_files", { path: "*.md" })).content, /many\/zz-last\.md/);
});

test("a listing that was not counted to its end says so", async () => {
  const workspace = new MemoryWorkspace({ files: TREE });
  workspace.list = () =>
    Promise.resolve({ entries: ["a/"], total: 300_001, isTotalMinimum: true, ignoredFiles: 2 });
  const { content } = await toolCaller(workspace)("list_files", {});
  assert.match(
    content,
    /^\.: at least 300,001 entries\na\/\n\[300,000 of 300,001 entries left out.*\]\n\[2 ignored files not listed\]$/,
  );
});

test("wildcards: a pattern without a slash is a name at any depth, one with a slash is a path", () => {
  const cases: readonly (readonly [pattern: string, path: string, fits: boolean])[] = [
    ["*.ts", "src/a.ts", true],
    ["*.ts", "src/a.tsx", false],
    ["a*/*.ts", "abc/x.ts", true],
    ["a*/*.ts", "abc/d/x.ts", false],
    ["a/**/x.ts", "a/x.ts", true],
    ["a/**/x.ts", "a/b/c/x.ts", true],
    ["a/**", "a/b/c", true],
    ["?.c", "z/q.c", true],
    ["?.c", "qq.c", false],
    ["a+(b)[c]*", "a+(b)[c]d", true],
    ["src*", "src/", true],
    ["src/*.{ts,tsx}", "src/a.tsx", true],
    ["src/*.{ts,tsx}", "src/a.js", false],
    ["{src,test/{a,b}}/x.ts", "test/b/x.ts", true],
    ["*.{d.,}ts", "a/b.d.ts", true],
    ["{a}*", "{a}b", true],
    ["[id]*", "app/[id].tsx", true],
  ];
  for (const [pattern, path, fits] of cases)
    assert.equal(wildcardTest(pattern)(path), fits, `${pattern} ${path}`);
  assert.deepEqual(splitWildcard("src/x/*.ts"), { folder: "src/x", pattern: "*.ts" });
  assert.deepEqual(splitWildcard("/*/a"), { folder: "/", pattern: "*/a" });
  assert.equal(splitWildcard("src/x"), undefined);
  assert.deepEqual(splitWildcard("src/{a,b}/x.ts"), { folder: "src", pattern: "{a,b}/x.ts" });
});

test("wildcards: whatever the pattern, it fits what a regular expression would", () => {
  const piece = fc.constantFrom("a", "b", "/", "*", "**", "**/", "?");
  const text = fc.string({ unit: fc.constantFrom("a", "b", "/"), maxLength: 8 });
  const reference = (pattern: string) => {
    const inName = (name: string) => name.replace(/\*+|\?/g, (part) => (part === "?" ? "[^/]" : "[^/]*"));
    const source = pattern
      .split("/")
      .map((name, index, { length }) => {
        if (name === "**") return index < length - 1 ? "(?:.*/)?" : ".*";
        return inName(name) + (index < length - 1 ? "/" : "");
      })
      .join("");
    return new RegExp(pattern.includes("/") ? `^${source}/?$` : `(?:^|/)${source}/?$`);
  };
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 6 }), text, (pieces, path) => {
      const pattern = pieces.join("");
      fc.pre(!/\/\/|\/$|^$/.test(pattern) && !/\/\/|\/$/.test(path));
      assert.equal(wildcardTest(pattern)(path), reference(pattern).test(path), `${pattern} ${path}`);
    }),
    { numRuns: 3_000 },
  );
});

test("wildcards: a name that is made for it keeps no pattern busy", { timeout: 30_000 }, () => {
  assert.equal(wildcardTest(`${"*a".repeat(12)}*b`)("a".repeat(200)), false);
  assert.equal(wildcardTest(`${"*?".repeat(12)}b`)("a".repeat(200)), false);
});

test("matches are grouped by file with line numbers", async () => {
  const { content, summary } = await caller()("search_text", { pattern: "kettle" });
  assert.equal(
    content,
    '4 matches for "kettle" in the workspace, 3 files:\nREADME.md\n  2: kettle\nsrc/a.ts\n  1: const kettle = 1;\nsrc/deep/b.ts\n  2: kettle();\n  3: kettle();',
  );
  assert.equal(summary, "4 matches");
});

test("a search stays in its folder or file, takes text literally, and says when nothing is found", async () => {
  const call = caller();
  assert.match((await call("search_text", { pattern: "kettle()", path: "src" })).content, /^2 matches/);
  assert.match((await call("search_text", { pattern: "kettle", path: "README.md" })).content, /^1 match for/);
  assert.equal(
    (await call("search_text", { pattern: "teapot" })).content,
    'No matches for "teapot" in the workspace.',
  );
  assert.match((await call("search_text", { pattern: "x", path: "nope" })).content, /nope does not exist/);
});

test("a pattern that is found only as a regular expression is read as one, and the result says so", async () => {
  const call = caller();
  const { content } = await call("search_text", { pattern: "teapot|const \\w+" });
  assert.match(content, /^1 match for .* \(read as a regular expression\), 1 file:\nsrc\/a\.ts/);
  assert.match((await call("search_text", { pattern: "^kettle", is_regex: "true" })).content, /^3 matches/);
});

test("a cut search result is bounded and says how many matches are left out", async () => {
  const files = Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => [`f${index}.txt`, "needle here\nneedle there\n"]),
  );
  const { content } = await caller(files)("search_text", { pattern: "needle" }, { maxCharacters: 700 });
  assert.ok(content.length <= 700);
  const shown = content.split("\n").filter((line) => /^ {2}\d+: /.test(line)).length;
  assert.ok(content.endsWith(`[${80 - shown} matches left out; narrow it with path or a longer pattern]`));
});

test("a search that was cut by its number of matches says that there are more", async () => {
  const workspace = new MemoryWorkspace({ files: { "a.txt": "x\n".repeat(800) } });
  const { content } = await toolCaller(workspace)("search_text", { pattern: "x" }, { maxCharacters: 50_000 });
  assert.match(content, /^500 matches or more for/);
  assert.match(content, /\[More matches left out; narrow it/);
});

test("a failed search is told with its reason", async () => {
  const workspace = new MemoryWorkspace({});
  workspace.search = () => Promise.resolve({ error: "This is not a regular expression: x." });
  const { outcome, content } = await toolCaller(workspace)("search_text", { pattern: "(", is_regex: true });
  assert.deepEqual([outcome, content], ["error", "This is not a regular expression: x."]);
});
