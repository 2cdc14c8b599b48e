import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import vscode = require("vscode");
import { editorWorkspace } from "../../src/vscode/documents/editorWorkspace";
import { FakeShell, toolCaller } from "../support/toolCalls";
import { root, withoutAutoSave, writeOld } from "./support/documents";

const folder = join(root, "cases");
const pathOf = (name: string): string => join(folder, name);
const bytesOf = (name: string): string => readFileSync(pathOf(name)).toString("latin1");
const call = toolCaller(editorWorkspace(), new FakeShell());
const edit = (
  name: string,
  old_text: string,
  new_text: string,
  more: Readonly<Record<string, boolean>> = {},
) => call("edit_file", { path: `cases/${name}`, old_text, new_text, ...more });

const write = (name: string, text: string) => writeOld(pathOf(name), Buffer.from(text, "latin1"));

/** Nothing that a tool did or left undone stays behind. */
function assertNothingLeft(...names: readonly string[]): void {
  assert.deepEqual(readdirSync(folder).sort(), [...names].sort());
  assert.deepEqual(
    vscode.workspace.textDocuments.filter(({ isDirty }) => isDirty).map(({ uri }) => uri.path),
    [],
  );
}

describe("the tools on documents of the editor", () => {
  withoutAutoSave();

  beforeEach(() => mkdir(folder, { recursive: true }));
  afterEach(async () => {
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    await rm(folder, { recursive: true });
  });

  it("E02: no sequence of the new text means anything: file, question and result hold it character for character", async () => {
    for (const [index, text] of ["$$ $& $1 $' $` end", "$<name> \\1 \\n ${x}", "%s %n {0}"].entries()) {
      const name = `run${index}.sh`;
      await write(name, "echo START\r\nSTART2\r\n");
      const { content, questions } = await edit(name, "echo START\n", `echo ${text}\n`);
      const [question] = questions;
      assert.ok(question?.kind === "edit" && question.diff.includes(`\n+echo ${text}\n`), question?.kind);
      assert.equal(bytesOf(name), `echo ${text}\r\nSTART2\r\n`);
      assert.ok(content.includes(`echo ${text}\n`), content);
    }
  });

  it("E03: several hits are refused with their lines; replace_all changes them in one step that one undo takes back", async () => {
    const before = "[dev]\ndebug=1\n[prod]\ndebug=1\n";
    await write("app.ini", before);
    const refused = await edit("app.ini", "debug=1", "debug=0");
    assert.match(refused.content, /occurs 2 times in cases\/app\.ini \(lines 2, 4\)/);
    assert.deepEqual([refused.questions, bytesOf("app.ini")], [[], before]);
    const editor = await vscode.window.showTextDocument(vscode.Uri.file(pathOf("app.ini")));
    await edit("app.ini", "debug=1", "debug=0", { replace_all: true });
    assert.equal(bytesOf("app.ini"), before.replaceAll("=1", "=0"));
    await vscode.commands.executeCommand("undo");
    assert.equal(editor.document.getText(), before);
    await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
  });

  it("E07: an empty old text changes no file that holds something, also when that is typed and not saved", async () => {
    await write("log.md", "line\n".repeat(40));
    await write("empty.md", "");
    const refused = await edit("log.md", "", "tail line\n");
    assert.match(refused.content, /is not empty.*To append/s);
    assert.equal(bytesOf("log.md"), "line\n".repeat(40));
    const editor = await vscode.window.showTextDocument(vscode.Uri.file(pathOf("empty.md")));
    await editor.edit((builder) => builder.insert(new vscode.Position(0, 0), "typed"));
    assert.equal((await edit("empty.md", "", "mine")).outcome, "error");
    assert.equal(editor.document.getText(), "typed");
    await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
    assert.equal((await edit("empty.md", "", "filled\n")).outcome, "ok");
    assert.equal((await edit("new.md", "", "made\n")).outcome, "ok");
    assert.deepEqual([bytesOf("empty.md"), bytesOf("new.md")], ["filled\n", "made\n"]);
    assertNothingLeft("empty.md", "log.md", "new.md");
  });

  it("E08: edits of one file in a row are all there, whether it is open or not", async () => {
    const words = "one two three four five six seven eight nine ten".split(" ").join("\r\n");
    for (const name of ["closed.txt", "open.txt"]) {
      await write(name, words);
      if (name === "open.txt") await vscode.window.showTextDocument(vscode.Uri.file(pathOf(name)));
      const first = await edit(name, "three", "THREE");
      const second = await edit(name, "nine", "NINE");
      const third = await edit(name, "three\nfour", "3\n4");
      assert.deepEqual([first.outcome, second.outcome, third.outcome], ["ok", "ok", "error"]);
      assert.equal(bytesOf(name), words.replace("three", "THREE").replace("nine", "NINE"));
    }
  });

  it("E10: a text that is not there leaves nothing behind, also while a diff of the file is shown", async () => {
    const before = Array.from({ length: 12 }, (_, index) => `gem "g${index}", "~> ${index}"\n`).join("");
    await write("Gem", before);
    const uri = vscode.Uri.file(pathOf("Gem"));
    for (const isShown of [false, true]) {
      if (isShown) await vscode.commands.executeCommand("vscode.diff", uri, uri, "Gem (change by Loom)");
      const { outcome, content, questions } = await edit("Gem", 'gem "g7", "~>7"', "anything");
      assert.deepEqual([outcome, questions], ["error", []]);
      assert.match(content, /not found in cases\/Gem; nothing was changed\. The nearest text, from line 8:/);
      assert.match(content, /Line 8 differs: the file has .*~> 7.*, old_text has .*~>7/);
      assert.equal(bytesOf("Gem"), before);
      assertNothingLeft("Gem");
    }
  });

  it("E11, E01: what the model writes in blanks and plain quotes is found and gets the file's own tabs and line ends", async () => {
    await write("m.go", "func a() {\r\n\tif x {\r\n\t\tb()\r\n\t}\r\n}\r\n");
    const { outcome, content } = await edit(
      "m.go",
      "    if x {\n        b()\n    }",
      "    if x {\n        b()\n        c()\n    }",
    );
    assert.equal(outcome, "ok", content);
    assert.match(content, /the file's own indentation/);
    assert.equal(bytesOf("m.go"), "func a() {\r\n\tif x {\r\n\t\tb()\r\n\t\tc()\r\n\t}\r\n}\r\n");
  });

  it("R02, R03: lines count as the editor has them, unsaved typing included; UTF-16 is text, and stays UTF-16", async () => {
    await write("five.txt", "1\n2\n3\n4\n5\n");
    const editor = await vscode.window.showTextDocument(vscode.Uri.file(pathOf("five.txt")));
    await editor.edit((builder) => builder.insert(new vscode.Position(0, 0), "0\n"));
    const read = await call("read_file", { path: "cases/five.txt", start_line: 6 });
    assert.equal(read.content, "cases/five.txt lines 6–6 of 6 (with unsaved changes)\n5");
    const past = await call("read_file", { path: "cases/five.txt", start_line: 7 });
    assert.match(past.content, /has 6 lines: start_line must be from 1 to 6/);
    await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
    await writeFile(pathOf("w.txt"), Buffer.from("\uFEFFone\r\ntwo\r\n", "utf16le"));
    assert.match(
      (await call("read_file", { path: "cases/w.txt" })).content,
      /lines 1–2 of 2 \(utf-16.*\)\none\ntwo$/,
    );
    assert.equal((await edit("w.txt", "two", "zwei")).outcome, "ok");
    assert.deepEqual(readFileSync(pathOf("w.txt")), Buffer.from("\uFEFFone\r\nzwei\r\n", "utf16le"));
  });
});
