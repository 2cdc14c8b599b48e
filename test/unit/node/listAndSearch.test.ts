import assert from "node:assert/strict";
import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { createWorkspace } from "../../../src/node/files/workspace";
import type { WorkspaceOptions } from "../../../src/node/files/workspace";
import { temporaryFolder } from "../../support/temporaryFolder";
import { toolCaller } from "../../support/toolCalls";

type Files = Readonly<Record<string, string | Uint8Array>>;

async function workspaceOf(context: TestContext, files: Files, options: WorkspaceOptions = {}) {
  const folder = await temporaryFolder(context, files);
  const workspace = createWorkspace(() => [{ name: "ws", path: folder }], options);
  return { folder, workspace, call: toolCaller(workspace) };
}

const skip = process.platform === "win32";

test(
  "L01: a link back to a parent folder is shown as a link and not followed, in listing and search",
  { skip },
  async (context) => {
    const { folder, call } = await workspaceOf(context, { "packages/a/x.txt": "needle\n" });
    await symlink("..", join(folder, "packages/self"));
    const list = await call("list_files", {});
    assert.equal(list.content, ".: 4 entries\npackages/\npackages/a/\npackages/self -> ..\npackages/a/x.txt");
    assert.match((await call("search_text", { pattern: "needle" })).content, /^1 match for/);
  },
);

test("L01: a stop ends a listing and a search", async (context) => {
  const { workspace } = await workspaceOf(context, { "a/b.txt": "x" });
  const signal = AbortSignal.abort();
  await assert.rejects(workspace.list(undefined, 10, signal));
  await assert.rejects(workspace.search({ pattern: "x", isRegExp: false, maxMatches: 5 }, signal));
  await assert.rejects(workspace.search({ pattern: "x", isRegExp: true, maxMatches: 5 }, signal));
});

test("L02: of 900 files on disk those that are cut are counted, and the last one is found by a pattern", async (context) => {
  const names = [
    ...Array.from({ length: 899 }, (_, index) => `n${String(index).padStart(3, "0")}.txt`),
    "zz-last.md",
  ];
  const { call } = await workspaceOf(context, Object.fromEntries(names.map((name) => [`d/${name}`, ""])));
  const { content } = await call("list_files", { path: "d" }, { maxCharacters: 3_000 });
  assert.match(content, /^d: 900 entries\n/);
  assert.match(content, /\[\d+ of 900 entries left out/);
  assert.match((await call("list_files", { path: "d/zz*" })).content, /^zz\* in d: 1 entry\nd\/zz-last\.md$/);
});

test("L03: ignored folders are one entry each, yet can be listed and searched by name", async (context) => {
  const many = Object.fromEntries(
    Array.from({ length: 300 }, (_, index) => [`node_modules/p${index}/index.js`, "needle\n"]),
  );
  const { call } = await workspaceOf(context, {
    ...many,
    ".gitignore": "node_modules\n*.log\n!keep.log\n/dist/\n",
    ".git/config": "needle\n",
    "dist/out.js": "needle\n",
    "src/dist/own.js": "needle\n",
    "debug.log": "needle\n",
    "keep.log": "needle\n",
    "src/.gitignore": "*.tmp\n",
    "src/a.tmp": "needle\n",
    "b.tmp": "needle\n",
  });
  const { content } = await call("list_files", {});
  assert.deepEqual(content.split("\n"), [
    ".: 10 entries",
    ".git/ (ignored)",
    ".gitignore",
    "b.tmp",
    "dist/ (ignored)",
    "keep.log",
    "node_modules/ (ignored)",
    "src/",
    "src/.gitignore",
    "src/dist/",
    "src/dist/own.js",
    "[2 ignored files not listed]",
  ]);
  assert.match(
    (await call("search_text", { pattern: "needle" })).content,
    /^3 matches for .*\nb\.tmp\n.*\nkeep\.log\n.*\nsrc\/dist\/own\.js\n/,
  );
  const inside = await call("list_files", { path: "node_modules/p7" });
  assert.equal(inside.content, "node_modules/p7: 1 entry\nnode_modules/p7/index.js");
  assert.match(
    (await call("search_text", { pattern: "needle", path: "node_modules" })).content,
    /^300 matches/,
  );
  assert.match((await call("search_text", { pattern: "needle", path: "debug.log" })).content, /^1 match/);
  assert.match((await call("list_files", { path: "dist*" })).content, /dist\/ \(ignored\)/);
});

test("what the settings hide is neither listed nor searched", async (context) => {
  const isExcluded = (absolute: string) => absolute.endsWith("secret");
  const { call } = await workspaceOf(
    context,
    { "secret/a.txt": "needle", "b.txt": "needle" },
    { excludes: () => ({ isExcluded, isLeftOut: () => false, globs: [] }) },
  );
  assert.equal((await call("list_files", {})).content, ".: 1 entry\nb.txt");
  assert.match((await call("search_text", { pattern: "needle" })).content, /^1 match/);
});

test("a search finds text in every encoding with any line end, and leaves binary files out", async (context) => {
  const { call } = await workspaceOf(context, {
    "latin.txt": Buffer.from("caf\xE9 needle\r\n", "latin1"),
    "mark.txt": "\uFEFFneedle\r\nx\rneedle é",
    "wide.txt": Buffer.from("\uFEFFx\nneedle\n", "utf16le"),
    "blob.bin": Buffer.from("needle\0"),
  });
  const { content } = await call("search_text", { pattern: "needle" });
  assert.equal(
    content,
    '4 matches for "needle" in the workspace, 3 files:\nlatin.txt\n  1: café needle\nmark.txt\n  1: needle\n  3: needle é\nwide.txt\n  2: needle',
  );
});

for (const is_regex of [false, true]) {
  test(`R01: a hit in a line of 600 kB is shown with what is around it (${is_regex ? "expression" : "text"})`, async (context) => {
    const line = `${"x".repeat(400_000)}needle${"y".repeat(200_000)}`;
    const { call } = await workspaceOf(context, { "app.min.js": line });
    const { content } = await call("search_text", { pattern: "needle", is_regex });
    assert.match(content, /\n {2}1: …x+needley+…$/);
    assert.ok(content.length < 500);
  });
}

test("a search with a regular expression works line by line, with (?i), and tells what is wrong with a bad one", async (context) => {
  const { call } = await workspaceOf(context, { "a.txt": "Alpha 1\nbeta 22\n\ngamma\n" });
  const regex = async (pattern: string) => (await call("search_text", { pattern, is_regex: true })).content;
  assert.match(await regex("^\\w+ \\d+$"), /^2 matches .*\na\.txt\n {2}1: Alpha 1\n {2}2: beta 22$/s);
  assert.match(await regex("(?i)ALPHA"), /^1 match/);
  assert.match(await regex("^$"), /\n {2}3: $/);
  assert.match(await regex("beta\\s+\\S+\\s+gamma"), /^No matches/);
  const bad = await call("search_text", { pattern: "(", is_regex: true });
  assert.equal(bad.outcome, "error");
  assert.match(bad.content, /not a regular expression: .*Leave is_regex out/);
  assert.match(await regex("[\\-x]eta|be"), /^1 match/);
  // Others read these differently, so that "no matches" would not be true.
  for (const pattern of ["beta[[:space:]]+22", "\\AAlpha", "22\\Z"]) {
    assert.match(await regex(pattern), /not a regular expression: .*use \\s/, pattern);
  }
  assert.match(await regex("\\\\Alpha"), /^No matches/);
});

test("a regular expression that explodes is stopped, and the next search works", async (context) => {
  const { call } = await workspaceOf(
    context,
    { "a.txt": `${"a".repeat(60)}!\n` },
    { regExpTimeLimitMs: 300 },
  );
  const { outcome, content } = await call("search_text", { pattern: "^(a+)+$", is_regex: true });
  assert.equal(outcome, "error");
  assert.match(content, /takes too long \(stopped in a\.txt\)/);
  assert.match((await call("search_text", { pattern: "a!$", is_regex: true })).content, /^1 match/);
});

test("a regular expression that explodes ends on Stop", async (context) => {
  const { call } = await workspaceOf(
    context,
    { "a.txt": `${"a".repeat(60)}!\n` },
    { regExpTimeLimitMs: 600_000 },
  );
  const stop = new AbortController();
  const running = call("search_text", { pattern: "^(a+)+$", is_regex: true }, { signal: stop.signal });
  setTimeout(() => stop.abort(), 50);
  assert.equal((await running).outcome, "cancelled");
});

test("a search stops at its number of matches and says that there are more", async (context) => {
  const { workspace } = await workspaceOf(context, { "a.txt": "x\n".repeat(10), "b.txt": "x\n".repeat(10) });
  for (const isRegExp of [false, true]) {
    const { signal } = new AbortController();
    const cut = await workspace.search({ pattern: "x", isRegExp, maxMatches: 12 }, signal);
    assert.ok("matches" in cut && cut.isCut && cut.matches.length === 12);
    const whole = await workspace.search({ pattern: "x", isRegExp, maxMatches: 20 }, signal);
    assert.ok("matches" in whole && !whole.isCut && whole.matches.length === 20);
  }
});

test("a search sees unsaved text", async (context) => {
  const { call } = await workspaceOf(context, { "a.txt": "saved\n" }, { unsavedText: () => "typed\n" });
  assert.match((await call("search_text", { pattern: "typed" })).content, /^1 match/);
  assert.match((await call("search_text", { pattern: "saved" })).content, /^No matches/);
});

test("files that are too large are counted, not searched", async (context) => {
  const { folder, call } = await workspaceOf(context, { "a.txt": "needle\n" });
  await writeFile(join(folder, "huge.txt"), Buffer.alloc(21 * 1024 * 1024, "needle\n"));
  const { content } = await call("search_text", { pattern: "needle" });
  assert.match(content, /^1 match for .*\n\[1 large file not searched\]$/s);
  const read = await call("read_file", { path: "huge.txt" });
  assert.match(read.content, /huge\.txt was not read: too large, 22,020,096 bytes\./);
});

test("a workspace that is not there any more is not called empty", async (context) => {
  const { call, folder } = await workspaceOf(context, { "a.txt": "one\n" });
  await rm(folder, { recursive: true });
  for (const [name, input] of [
    ["list_files", {}],
    ["search_text", { pattern: "one" }],
  ] as const) {
    const { outcome, content } = await call(name, input);
    assert.equal(outcome, "error", name);
    assert.match(content, /no such file or directory/, name);
  }
});

test("entries come level by level and by name, empty folders too", async (context) => {
  const { folder, call } = await workspaceOf(context, {
    "b/y.txt": "",
    "b/c/z.txt": "",
    "a.txt": "",
    "C.txt": "",
  });
  await mkdir(join(folder, "empty"));
  const { content } = await call("list_files", {});
  assert.equal(content, ".: 7 entries\nC.txt\na.txt\nb/\nempty/\nb/c/\nb/y.txt\nb/c/z.txt");
});
