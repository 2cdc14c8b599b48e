import assert from "node:assert/strict";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { createWorkspace } from "../../../src/node/files/workspace";
import { readExcludes } from "../../../src/node/search/excludes";
import { filesWithMatches, findRipgrep } from "../../../src/node/search/ripgrep";
import { ripgrepPattern } from "../../../src/node/search/ripgrepPattern";
import { temporaryFolder } from "../../support/temporaryFolder";

const ripgrep = findRipgrep(undefined, process.env);
const skip = ripgrep === undefined ? "there is no ripgrep here" : false;
const utf16 = (text: string) => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, "utf16le")]);
const latin = (text: string) => Buffer.from(text, "latin1");

const TREE: Readonly<Record<string, string | Uint8Array>> = {
  "a.ts": "const café = 1;\nfunction probe(x) { return x; }\n",
  "b.md": "caf\u00e9 au lait\n\u201Cquoted\u201D text, 100 % sure \u20AC\n",
  "latin.txt": latin("caf\u00e9 au lait\nna\u00efve\n"),
  "wide.txt": utf16("café in sixteen bits\r\nprobe(1)\r\n"),
  "mark.txt": Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from("probe with mark\n")]),
  "dos.txt": "first\r\nprobe end\r\n",
  "mac.txt": "first\rprobe end\rlast",
  "emoji.txt": "x\u{1F600}y\nA\u0301\n",
  "binary.bin": Buffer.from([0, 1, 2, 112, 114, 111, 98, 101]),
  ".hidden/probe.txt": "probe hidden\n",
  ".gitignore": "ignored/\n*.log\n!keep.log\n/only-root.txt\ndoc/**/gen\n[xy]z.txt\nsp\\ ace.txt\n",
  "ignored/a.txt": "probe ignored\n",
  "deep/er/.gitignore": "*.tmp\n!../x\n/here.txt\n",
  "deep/er/a.tmp": "probe\n",
  "deep/er/here.txt": "probe\n",
  "deep/er/more/here.txt": "probe\n",
  "deep/only-root.txt": "probe\n",
  "only-root.txt": "probe\n",
  "x.log": "probe\n",
  "keep.log": "probe kept\n",
  "doc/a/gen/x.txt": "probe\n",
  "doc/a/gen.txt": "probe\n",
  "xz.txt": "probe\n",
  "sp ace.txt": "probe\n",
  ".ignore": "deep\n",
  ".rgignore": "a.ts\n",
  "node_modules/p/index.js": "probe\n",
  "umläut/ü.txt": "probe\n",
  ".env": "probe=1\n",
};

function bothOn(folder: string, excludes?: Readonly<Record<string, boolean>>) {
  const folders = () => [{ name: "ws", path: folder }];
  const options = excludes && { excludes: () => readExcludes([{ folder, settings: excludes }]) };
  const slow = createWorkspace(folders, { ...options });
  const fast = createWorkspace(folders, { ...options, ...(ripgrep !== undefined && { ripgrep }) });
  const { signal } = new AbortController();
  return async (pattern: string, isRegExp: boolean, under?: string, maxMatches = 500) => {
    const query = { pattern, isRegExp, maxMatches, ...(under !== undefined && { under }) };
    const leavesOut = (path: string) => path.endsWith(".env");
    return Promise.all([
      slow.search({ ...query, leavesOut }, signal),
      fast.search({ ...query, leavesOut }, signal),
    ]);
  };
}

async function treeOf(context: Parameters<typeof temporaryFolder>[0]): Promise<string> {
  const folder = await temporaryFolder(context, TREE);
  await symlink("a.ts", join(folder, "link.ts"));
  await mkdir(join(folder, "empty"));
  await writeFile(join(folder, "deep/long.txt"), `${"probe ".repeat(50_000)}\n`);
  return folder;
}

const LITERALS = [
  "probe",
  "café",
  "é",
  "€",
  "“quoted”",
  "100 %",
  "x\u{1F600}y",
  ".",
  "a.b",
  "(x)",
  "$",
  "^",
  "\\",
  "e",
  "nowhere",
  "A\u0301",
  "\t",
  "[x]",
  "#",
  "&&",
  "~",
  "-",
];
const EXPRESSIONS = [
  "probe\\b",
  "\\bprobe$",
  "^probe",
  "caf.",
  "caf. ",
  "caf[^a]",
  "na.ve",
  "\\d+ %",
  "[a-f]+\\(",
  "(?i)PROBE",
  "\\w+\\(\\w\\)",
  "x.y",
  "x..y",
  "\\s+=\\s+",
  "[\\w-]+\\.?",
  "pro(be|bes)",
  "(?<n>pro)be",
  "pro(?=be)",
  "(?<!x)probe",
  "(p)\\1",
  "\\u0070robe",
  "\\x70robe",
  "\\u{70}robe",
  "\\p{L}+é",
  "[é]",
  "[^\\n]é",
  "\\S+ au",
  "[&&x]",
  "[a~~b]",
  "[a--z]",
  "[[x]",
  "a{2}",
  "o{1,2}",
  "end$",
  "$",
  "^$",
  "first$",
  "|",
  "(?:a|)",
  "\\.",
  "\\/",
  "\\-",
  "[\\]x]",
  "\\t",
  "\\0",
  "a{,3}",
  "[\\b]",
  "\\cA",
  "(?i)É",
  "\\W",
  "[\\d\\s]",
  "lait\\r?$",
  "[^]",
  "\\u00e9",
];

test("with ripgrep a search gives the same answers as without it", { skip }, async (context) => {
  const folder = await treeOf(context);
  const search = bothOn(folder);
  let found = 0;
  const parts = ["deep", "ignored", "a.ts"].map((name) => join(folder, name));
  const patterns = [
    ...LITERALS.map((pattern) => ({ pattern, isExpression: false })),
    ...EXPRESSIONS.map((pattern) => ({ pattern, isExpression: true })),
  ];
  for (const [index, { pattern, isExpression }] of patterns.entries()) {
    // In all of it, and in one of its parts by turns: each search starts a process.
    for (const under of [undefined, parts[index % parts.length]]) {
      const [slow, fast] = await search(pattern, isExpression, under);
      assert.deepEqual(fast, slow, JSON.stringify([pattern, under]));
      if (!isExpression && "matches" in slow) found += slow.matches.length;
    }
  }
  assert.ok(found > 50);
  const [slow, fast] = await search("probe", false, undefined, 3);
  assert.deepEqual(fast, slow);
  assert.ok("matches" in slow && slow.isCut && slow.matches.length === 3);
});

test("random patterns and ignore files make no difference either", { skip }, async (context) => {
  const folder = await treeOf(context);
  const search = bothOn(folder);
  const piece = fc.constantFrom(
    "p",
    "r",
    "o",
    "be",
    "é",
    ".",
    "\\w",
    "\\s",
    "\\b",
    "[a-z]",
    "[^a]",
    "(",
    ")",
    "|",
    "*",
    "+",
    "?",
    "^",
    "$",
    "{2}",
    "\\",
    " ",
    "\\d",
    "x",
  );
  const rule = fc.constantFrom(
    "*.txt",
    "!*.txt",
    "deep",
    "deep/",
    "/deep",
    "deep/er/",
    "**/more",
    "a.*",
    "!a.ts",
    "*",
    "!deep",
    "# x",
    "",
    "er/*",
    "!er/more",
    "**/*.tmp",
    "d?ep",
    "[a-d]*",
    "m\\ac.txt",
    "x/**",
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(piece, { minLength: 1, maxLength: 5 }),
      fc.array(rule, { maxLength: 5 }),
      async (pieces, rules) => {
        await writeFile(join(folder, ".gitignore"), `${rules.join("\n")}\n`);
        const [slow, fast] = await search(pieces.join(""), true);
        assert.deepEqual(fast, slow, JSON.stringify([pieces.join(""), rules]));
      },
    ),
    { numRuns: 25, seed: 7 },
  );
});

test(
  "what the settings exclude is the same with and without ripgrep, and is found when it is named",
  { skip },
  async (context) => {
    const folder = await treeOf(context);
    const settings = {
      "**/node_modules": true,
      "deep/er": true,
      "*.txt": true,
      "**/*.{log,md}": true,
      doc: false,
    };
    const search = bothOn(folder, settings);
    const [slow, fast] = await search("probe", false);
    assert.deepEqual(fast, slow);
    const paths = "matches" in slow ? slow.matches.map(({ path }) => path) : [];
    assert.ok(paths.includes("a.ts") && paths.includes("doc/a/gen.txt"));
    for (const hidden of ["node_modules/", "deep/er/", "dos.txt", "keep.log"])
      assert.ok(!paths.some((path) => path.startsWith(hidden)), hidden);
    const [inside] = await search("probe", false, join(folder, "node_modules"));
    assert.ok("matches" in inside && inside.matches.length === 1);
  },
);

test("patterns that ripgrep reads differently are not handed to it", () => {
  for (const pattern of [
    "a(?=b)",
    "(?<!a)b",
    "(a)\\1",
    "[é]",
    "a{,3}",
    "\\cA",
    "[^]",
    "(?i:a)",
    "\\k<n>",
    "a\nb",
  ])
    assert.equal(ripgrepPattern({ pattern, isRegExp: true }), undefined, pattern);
  assert.equal(ripgrepPattern({ pattern: "a\nb", isRegExp: false }), undefined);
  assert.equal(ripgrepPattern({ pattern: "(?<name>a)|b$", isRegExp: true }), "(?:a)|b(?:)");
});

test("a ripgrep that is not there or does not work leaves the search to the reading of files", async (context) => {
  const folder = await temporaryFolder(context, { "a.txt": "probe\n" });
  const { signal } = new AbortController();
  const query = { folder, pattern: "probe", excluded: [] };
  assert.equal(await filesWithMatches(join(folder, "no-such-program"), query, signal), undefined);
  const workspace = createWorkspace(() => [{ name: "ws", path: folder }], { ripgrep: process.execPath });
  const result = await workspace.search({ pattern: "probe", isRegExp: false, maxMatches: 5 }, signal);
  assert.ok("matches" in result && result.matches.length === 1);
});
