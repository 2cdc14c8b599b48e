import assert from "node:assert/strict";
import { test } from "node:test";
import { applyPatch } from "diff";
import fc from "fast-check";
import { diffLines } from "../../../src/core/tools/lineDiff";
import { canRemember } from "../../../src/shared/live";
import { MemoryWorkspace } from "../../support/memoryWorkspace";
import { toolCaller } from "../../support/toolCalls";

function editor(files: Readonly<Record<string, string>>, format?: (text: string) => string) {
  const workspace = new MemoryWorkspace({ files, ...(format ? { format } : {}) });
  return { workspace, call: toolCaller(workspace) };
}

test("an edit asks with the whole diff, changes the file after a yes and tells what it reads like now", async () => {
  const { call, workspace } = editor({ "a.ts": "one\ntwo\nthree\nfour\nfive\n" });
  const input = { path: "a.ts", old_text: "three\n", new_text: "3\n3.5\n" };
  const result = await call("edit_file", input);
  assert.deepEqual(result.questions, [
    {
      kind: "edit",
      path: "a.ts",
      diff: "--- a.ts\n+++ a.ts\n@@ -1,5 +1,6 @@\n one\n two\n-three\n+3\n+3.5\n four\n five\n",
      added: 2,
      removed: 1,
      isNew: false,
    },
  ]);
  assert.equal(workspace.textOf("a.ts"), "one\ntwo\n3\n3.5\nfour\nfive\n");
  assert.equal(result.outcome, "ok");
  assert.equal(result.content, "Edited a.ts (+2 −1 lines).\nLines 1–6 now:\none\ntwo\n3\n3.5\nfour\nfive");
  assert.ok(result.facts?.kind === "edit" && !result.facts.isNew && result.facts.added === 2);
});

test("an edit of a file with unsaved typing says that commands do not see it yet", async () => {
  const workspace = new MemoryWorkspace({ files: { "a.ts": "one\n" }, isUnsaved: true });
  const result = await toolCaller(workspace)("edit_file", { path: "a.ts", old_text: "one", new_text: "two" });
  assert.equal(result.outcome, "ok");
  assert.match(result.content, /^Edited a\.ts .*without saving.*commands still see the old file/);
  assert.equal(result.summary, "+1 −1, not saved yet");
});

test("a no leaves the file as it is and tells the model the person's reason", async () => {
  const { call, workspace } = editor({ "a.ts": "one\n" });
  const input = { path: "a.ts", old_text: "one", new_text: "two" };
  const result = await call("edit_file", input, { answer: { answer: "deny", reason: "use const" } });
  assert.equal(result.outcome, "denied");
  assert.match(result.content, /declined.*a\.ts was not changed\. Their reason: use const/s);
  assert.equal(workspace.textOf("a.ts"), "one\n");
});

for (const replacement of ["$$ $& $1 $' $` end", "${x}$<name>$0", "\\$&\\n"]) {
  test(`E02: ${replacement} goes into the file character for character, as the diff showed`, async () => {
    for (const old of ["START", "  START"]) {
      const { call, workspace } = editor({ "run.sh": "echo START\n" });
      const result = await call("edit_file", {
        path: "run.sh",
        old_text: `echo ${old}`,
        new_text: `echo ${replacement}`,
      });
      assert.equal(workspace.textOf("run.sh"), `echo ${replacement}\n`);
      const [question] = result.questions;
      assert.ok(question?.kind === "edit" && question.diff.includes(`+echo ${replacement}\n`));
      assert.ok(result.content.includes(`echo ${replacement}`));
    }
  });
}

test("E03: several hits are refused with their number and lines; only replace_all changes them all", async () => {
  const before = "[dev]\ndebug=1\n[prod]\ndebug=1\n";
  const { call, workspace } = editor({ "app.ini": before });
  const input = { path: "app.ini", old_text: "debug=1", new_text: "debug=0" };
  const refused = await call("edit_file", input);
  assert.deepEqual([refused.outcome, refused.questions], ["error", []]);
  assert.match(refused.content, /occurs 2 times in app\.ini \(lines 2, 4\); nothing was changed/);
  assert.equal(workspace.textOf("app.ini"), before);
  await call("edit_file", { ...input, replace_all: true });
  assert.equal(workspace.textOf("app.ini"), "[dev]\ndebug=0\n[prod]\ndebug=0\n");
});

test("E03: hits that overlap, and several hits that differ in blanks, are ambiguous too", async () => {
  const { call } = editor({ "a.txt": "aaa\n", "b.txt": "x  = 1\nx   = 1\n" });
  assert.match(
    (await call("edit_file", { path: "a.txt", old_text: "aa", new_text: "b" })).content,
    /occurs 2 times/,
  );
  const { content } = await call("edit_file", { path: "b.txt", old_text: "x = 1", new_text: "x = 2" });
  assert.match(content, /occurs 2 times in b\.txt \(lines 1, 2\)/);
});

test("E03: several hits that differ in blanks are refused also with replace_all, which is not named as the way out", async () => {
  const { call } = editor({ "a.go": "\tx = 1\n\tx = 1\n" });
  const input = { path: "a.go", old_text: "    x = 1", new_text: "    y = 1", replace_all: true };
  const { content } = await call("edit_file", input);
  assert.match(
    content,
    /occurs 2 times in a\.go \(lines 1, 2\), but for blanks or quotes.*Copy the text exactly/,
  );
  assert.doesNotMatch(content, /replace_all/);
});

test(
  "E10: a text that is not in a large file of long lines is refused at once",
  { timeout: 30_000 },
  async () => {
    const line = (number: number) =>
      Array.from({ length: 50 }, (_, key) => `key${key}_${(number * 7_919 + key * 31) % 1_000}`).join(", ");
    const { call } = editor({
      "log.csv": Array.from({ length: 10_000 }, (_, number) => line(number)).join("\n"),
    });
    const old_text = Array.from({ length: 6 }, (_, number) => `${line(number + 1)}zz`).join("\n");
    const { content } = await call("edit_file", { path: "log.csv", old_text, new_text: "x" });
    assert.match(content, /nearest text, from line 2:/);
  },
);

for (const old_text of ["", null]) {
  test(`E07: old_text ${JSON.stringify(old_text)} on a file with content is refused and says how to append`, async () => {
    const log = Array.from({ length: 40 }, (_, index) => `entry ${index}\n`).join("");
    const { call, workspace } = editor({ "log.md": log });
    const { outcome, content, questions } = await call("edit_file", {
      path: "log.md",
      old_text,
      new_text: "tail line",
    });
    assert.deepEqual([outcome, questions], ["error", []]);
    assert.match(content, /not empty.*To append/);
    assert.equal(workspace.textOf("log.md"), log);
  });
}

test("E07: an empty old_text makes a new file, also in a new folder, and fills an empty one", async () => {
  const { call, workspace } = editor({ "empty.txt": "" });
  const made = await call("edit_file", { path: "src/new.ts", old_text: "", new_text: "a\r\nb\r\n" });
  assert.equal(made.content, "Created src/new.ts (2 lines).");
  const [question] = made.questions;
  assert.ok(
    question?.kind === "edit" &&
      question.isNew &&
      question.diff.startsWith("--- /dev/null\n+++ src/new.ts\n"),
  );
  assert.equal(workspace.textOf("src/new.ts"), "a\nb\n");
  await call("edit_file", { path: "empty.txt", old_text: "", new_text: "filled\n" });
  assert.equal(workspace.textOf("empty.txt"), "filled\n");
  const missing = await call("edit_file", { path: "src/nev.ts", old_text: "x", new_text: "y" });
  assert.match(missing.content, /src\/nev\.ts does not exist\. Similar: src\/new\.ts/);
});

test("E08: two edits of one file in a row are both there, every time", async () => {
  const words = "one two three four five six seven eight nine ten eleven twelve".split(" ").join("\n");
  for (let round = 0; round < 20; round += 1) {
    const { call, workspace } = editor({ "n.txt": words });
    await call("edit_file", { path: "n.txt", old_text: "three", new_text: "THREE" });
    await call("edit_file", { path: "n.txt", old_text: "nine", new_text: "NINE" });
    assert.equal(workspace.textOf("n.txt"), words.replace("three", "THREE").replace("nine", "NINE"));
  }
});

test("E10: a text that is not there leaves the file as it is and shows the nearest lines with the difference", async () => {
  const lines = Array.from({ length: 12 }, (_, index) => `gem "library-${index}", "~> ${index}.0"`);
  const before = `${lines.join("\n")}\n`;
  const { call, workspace } = editor({ Gem: before });
  const old_text = 'gem "library-7", "~>7.0"';
  const { outcome, content, questions } = await call("edit_file", {
    path: "Gem",
    old_text,
    new_text: "anything",
  });
  assert.deepEqual([outcome, questions], ["error", []]);
  assert.match(
    content,
    /was not found in Gem; nothing was changed\. The nearest text, from line 8:\ngem "library-7", "~> 7\.0"\n/,
  );
  assert.ok(
    content.includes(
      `Line 8 differs: the file has ${JSON.stringify(lines[7])}, old_text has ${JSON.stringify(old_text)}.`,
    ),
  );
  assert.equal(workspace.textOf("Gem"), before);
});

test("E10: a text that is like nothing in the file asks for a fresh look; a long line is shown bounded", async () => {
  const { call } = editor({
    "a.txt": "alpha beta\n",
    "long.js": `${"function kettle(){return 1};".repeat(20_000)}\n`,
  });
  const nothing = await call("edit_file", { path: "a.txt", old_text: "zzzz qqqq", new_text: "x" });
  assert.match(nothing.content, /not found in a\.txt; nothing was changed\. Read the file again\./);
  const long = await call(
    "edit_file",
    { path: "long.js", old_text: "functoin ketle", new_text: "x" },
    { maxCharacters: 900 },
  );
  assert.ok(long.content.length <= 900);
});

test("an edit that changes nothing is refused", async () => {
  const { call } = editor({ "a.txt": "same\n", "empty.txt": "" });
  const same = await call("edit_file", { path: "a.txt", old_text: "same", new_text: "same" });
  assert.deepEqual([same.outcome, same.questions], ["error", []]);
  assert.match(same.content, /nothing was changed/);
  assert.equal((await call("edit_file", { path: "empty.txt", old_text: "", new_text: "" })).outcome, "error");
});

test("E12: what a formatter made of the edit is what the result shows, and can be edited next", async () => {
  const sortLines = (text: string) =>
    text
      .split("\n")
      .filter((line) => line !== "")
      .sort()
      .join("\n") + "\n";
  const { call, workspace } = editor({ "c.txt": "a=1\nb=2\n" }, sortLines);
  const first = await call("edit_file", { path: "c.txt", old_text: "a=1\n", new_text: "z=26\na=1\n" });
  assert.match(first.content, /On saving, a formatter changed the text further/);
  assert.match(first.content, /\nLines 1–3 now:\na=1\nb=2\nz=26$/);
  assert.match(first.summary, /formatted on save/);
  await call("edit_file", { path: "c.txt", old_text: "b=2\nz=26", new_text: "b=2\nz=27" });
  assert.equal(workspace.textOf("c.txt"), "a=1\nb=2\nz=27\n");
});

test("A03: a stop while the diff is shown leaves the file as it is", async () => {
  const { call, workspace } = editor({ "a.txt": "one\n" });
  const stop = new AbortController();
  const answer = () => {
    stop.abort();
    return { answer: "allow" } as const;
  };
  const options = { answer, signal: stop.signal };
  const { outcome } = await call("edit_file", { path: "a.txt", old_text: "one", new_text: "1" }, options);
  assert.equal(outcome, "cancelled");
  assert.equal(workspace.textOf("a.txt"), "one\n");
});

test("E09: an edit outside asks for the path first, then for the diff", async () => {
  const { call, workspace } = editor({ "/else/x.txt": "one\n" });
  const input = { path: "/else/x.txt", old_text: "one", new_text: "1" };
  const refused = await call("edit_file", input, { answer: { answer: "deny", reason: "" } });
  assert.deepEqual(refused.questions, [{ kind: "outside", path: "/else/x.txt", access: "write" }]);
  assert.deepEqual(workspace.touched, []);
  const allowed = await call("edit_file", input);
  assert.deepEqual(
    allowed.questions.map(({ kind }) => kind),
    ["outside", "edit"],
  );
  assert.equal(workspace.files.get("/else/x.txt"), "1\n");
});

test("E09: a change outside is shown each time, whatever is allowed for the workspace", () => {
  const question = { kind: "edit", diff: "", added: 1, removed: 0, isNew: false } as const;
  for (const path of ["/home/a/.bashrc", "C:\\Users\\a\\x.txt", "vscode-vfs://github/a/b/x.ts"])
    assert.ok(!canRemember({ ...question, path }), path);
  for (const path of ["src/a.ts", "ws/a b.ts", "ä.ts"]) assert.ok(canRemember({ ...question, path }), path);
});

test("the diff that is asked about makes the new text of the old one, whatever the texts", () => {
  const line = fc.constantFrom("a", "b", "c", "", "-x", "+y", "\\ z", "--- q");
  const text = fc
    .tuple(fc.array(line, { maxLength: 12 }), fc.boolean())
    .map(([lines, end]) => lines.join("\n") + (end ? "\n" : ""));
  fc.assert(
    fc.property(text, text, (before, after) => {
      const { diff, added, removed } = diffLines("f.txt", before, after);
      assert.equal(applyPatch(before, diff), after);
      const body = diff.split("\n").slice(2);
      assert.equal(body.filter((part) => part.startsWith("+")).length, added);
      assert.equal(body.filter((part) => part.startsWith("-")).length, removed);
    }),
  );
});

test("a change of very many lines is shown whole as one block", () => {
  const before = Array.from({ length: 6_000 }, (_, index) => `old ${index}\n`).join("");
  const after = `${before.replaceAll("old", "new")}last`;
  const { diff, added, removed } = diffLines("f.txt", before, after);
  assert.deepEqual([added, removed], [6_001, 6_000]);
  assert.equal(applyPatch(before, diff), after);
});
