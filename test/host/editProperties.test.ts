import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import vscode = require("vscode");
import { editorWorkspace } from "../../src/vscode/documents/editorWorkspace";
import { FakeShell, toolCaller } from "../support/toolCalls";
import { root, withoutAutoSave, writeOld } from "./support/documents";

const folder = join(root, "random");
const MARK = Buffer.from([0xef, 0xbb, 0xbf]);

const word = fc.constantFrom("alpha", "béta", "γ", "\u{1F9F5}", "x\ty", "  ", "$&", "", "“q”", "end");
interface RandomFile {
  readonly lines: readonly string[];
  readonly lineEnd: string;
  readonly hasMark: boolean;
  readonly endsWithLineEnd: boolean;
  /** The line that is changed. */
  readonly at: number;
  readonly inserted: readonly string[];
}

const anyFile: fc.Arbitrary<RandomFile> = fc.record({
  lines: fc.array(
    fc.array(word, { maxLength: 4 }).map((words) => words.join(" ")),
    { minLength: 1, maxLength: 8 },
  ),
  lineEnd: fc.constantFrom("\n", "\r\n"),
  hasMark: fc.boolean(),
  endsWithLineEnd: fc.boolean(),
  at: fc.nat(7),
  inserted: fc.array(word, { minLength: 1, maxLength: 3 }),
});

describe("random edits through the editor", () => {
  withoutAutoSave();

  before(() => mkdir(folder, { recursive: true }));
  after(async () => {
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    await rm(folder, { recursive: true });
  });

  it("E01, E05: every byte outside of the match stays, and one undo gives the original, byte for byte", async () => {
    const call = toolCaller(editorWorkspace(), new FakeShell());
    let count = 0;
    const check = async (file: RandomFile): Promise<void> => {
      const { lines, lineEnd, hasMark, endsWithLineEnd, at, inserted } = file;
      const name = `f${++count}.txt`;
      const marked = lines.map((line, index) => (index === at % lines.length ? `${line}<here>` : line));
      const toBytes = (all: readonly string[]) =>
        Buffer.concat([
          ...(hasMark ? [MARK] : []),
          Buffer.from(all.join(lineEnd) + (endsWithLineEnd ? lineEnd : ""), "utf8"),
        ]);
      const original = toBytes(marked);
      const path = join(folder, name);
      await writeOld(path, original);
      const input = { path: `random/${name}`, old_text: "<here>", new_text: inserted.join("\n") };
      const result = await call("edit_file", input);
      assert.equal(result.outcome, "ok", result.content);
      const expected = marked.map((line) => line.replace("<here>", () => inserted.join(lineEnd)));
      assert.deepEqual(readFileSync(path), toBytes(expected));
      const editor = await vscode.window.showTextDocument(vscode.Uri.file(path));
      await vscode.commands.executeCommand("undo");
      assert.ok(await editor.document.save());
      assert.deepEqual(readFileSync(path), original);
    };
    await fc.assert(fc.asyncProperty(anyFile, check), { numRuns: 15, seed: 11 });
  });

  it("L03: what the editor's settings leave out of searches is one entry of a listing, what they hide is none", async () => {
    await mkdir(join(folder, "node_modules", "p"), { recursive: true });
    await mkdir(join(folder, ".git"));
    await writeFile(join(folder, "node_modules", "p", "index.js"), "needle here\n");
    await writeFile(join(folder, ".git", "HEAD"), "needle here\n");
    await writeFile(join(folder, "own.txt"), "needle here\n");
    const call = toolCaller(editorWorkspace(), new FakeShell());
    const list = (await call("list_files", { path: "random" })).content.split("\n");
    assert.ok(
      list.includes("random/node_modules/ (ignored)") && list.includes("random/own.txt"),
      list.join(),
    );
    assert.ok(!list.some((line) => line.includes(".git") || line.includes("index.js")), list.join());
    const found = await call("search_text", { pattern: "needle here", path: "random" });
    assert.match(found.content, /^1 match .*\nrandom\/own\.txt\n/);
    assert.match(
      (await call("search_text", { pattern: "needle", path: "random/node_modules/p" })).content,
      /^1 match/,
    );
  });
});
