import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import vscode = require("vscode");
import type { FileChange } from "../../src/core/ports";
import { hashText } from "../../src/node/files/workspace";
import { editorWorkspace } from "../../src/vscode/documents/editorWorkspace";
import { becomes, root, withoutAutoSave, writeOld } from "./support/documents";

const workspace = editorWorkspace();
const folder = join(root, "edited");
const pathOf = (name: string): string => join(folder, name);
const bytesOf = (name: string): Buffer => readFileSync(pathOf(name));

/** Replaces the one place where `old` stands in the text that the tools read. */
async function edit(name: string, old: string, text: string): ReturnType<typeof workspace.write> {
  const path = await workspace.resolve(`edited/${name}`);
  assert.ok("absolute" in path);
  const file = await workspace.readText(path.absolute);
  assert.ok("text" in file, `${name} has no text`);
  const start = file.text.indexOf(old);
  assert.notEqual(start, -1, `${JSON.stringify(old)} is not in ${JSON.stringify(file.text)}`);
  const end = start + old.length;
  const after = file.text.slice(0, start) + text + file.text.slice(end);
  const change: FileChange = { path, before: file.text, after, replacements: [{ start, end, text }] };
  return workspace.write(change);
}

async function make(name: string, text: string): ReturnType<typeof workspace.write> {
  const path = await workspace.resolve(`edited/${name}`);
  assert.ok("absolute" in path);
  return workspace.write({ path, before: null, after: text });
}

async function show(path: string): Promise<vscode.TextEditor> {
  return vscode.window.showTextDocument(vscode.Uri.file(path));
}

/** Types at the end of the document without saving. */
async function type(editor: vscode.TextEditor, text: string): Promise<void> {
  const end = editor.document.lineAt(editor.document.lineCount - 1).range.end;
  assert.ok(await editor.edit((builder) => builder.insert(end, text)));
}

describe("edits through the editor", () => {
  withoutAutoSave();

  beforeEach(() => mkdir(folder, { recursive: true }));

  afterEach(async () => {
    for (const { isDirty } of vscode.workspace.textDocuments) {
      if (isDirty) await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
    }
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    await rm(folder, { recursive: true, force: true });
  });

  it("E01: keeps Windows line ends, also in added lines", async () => {
    await writeFile(pathOf("greet.txt"), "alpha\r\nbeta\r\ngamma\r\n");
    const written = await edit("greet.txt", "alpha\nbeta", "ALPHA\nBETA\nBETA2");
    assert.deepEqual(written, {
      text: "ALPHA\nBETA\nBETA2\ngamma\n",
      hash: hashText("ALPHA\nBETA\nBETA2\ngamma\n"),
    });
    assert.equal(bytesOf("greet.txt").toString(), "ALPHA\r\nBETA\r\nBETA2\r\ngamma\r\n");
  });

  it("E05: keeps a byte-order mark once, and gives none to a file without one", async () => {
    await writeFile(pathOf("job.ps1"), "\uFEFFparam($n)\r\nWrite $n\r\n");
    await edit("job.ps1", "param($n)\nWrite $n", "param($n)\nWrite $n, 2");
    assert.equal(
      bytesOf("job.ps1").toString("hex"),
      Buffer.from("\uFEFFparam($n)\r\nWrite $n, 2\r\n").toString("hex"),
    );
    await writeFile(pathOf("plain.txt"), "one\n");
    await edit("plain.txt", "one", "two");
    assert.equal(bytesOf("plain.txt").toString(), "two\n");
  });

  it("E04: never loses a byte outside of the file's encoding", async () => {
    const before = Buffer.concat([Buffer.from("x=1\n# caf"), Buffer.from([0xe9]), Buffer.from("\n")]);
    await writeFile(pathOf("latin.ini"), before);
    await edit("latin.ini", "x=1", "x=2").catch(() => undefined);
    assert.ok(bytesOf("latin.ini").includes(0xe9));
    assert.ok(!bytesOf("latin.ini").includes(Buffer.from("\uFFFD")));
  });

  it("E04: writes no character that the file's encoding does not have, and no half of one", async () => {
    const before = Buffer.from([0x78, 0x3d, 0x31, 0x20, 0xe9, 0x0a]);
    await writeOld(pathOf("latin.txt"), before);
    const uri = vscode.Uri.file(pathOf("latin.txt"));
    await vscode.window.showTextDocument(
      await vscode.workspace.openTextDocument(uri, { encoding: "windows1252" }),
    );
    const refused = await edit("latin.txt", "x=1", "x→1");
    assert.ok("error" in refused && refused.error.includes("windows1252"), JSON.stringify(refused));
    assert.deepEqual(bytesOf("latin.txt"), before);
    assert.ok(!("error" in (await edit("latin.txt", "x=1", "ü=1"))));
    assert.deepEqual(bytesOf("latin.txt"), Buffer.from([0xfc, 0x3d, 0x31, 0x20, 0xe9, 0x0a]));
    await writeFile(pathOf("plain.txt"), "one\n");
    assert.ok("error" in (await edit("plain.txt", "one", "\uD83D")));
    assert.equal(bytesOf("plain.txt").toString(), "one\n");
    assert.ok("error" in (await make("half.txt", "\uD83D")));
    assert.ok(!readdirSync(folder).includes("half.txt"));
  });

  it("keeps mixed line ends as they are outside of the edit", async () => {
    await writeFile(pathOf("mixed.txt"), "one\r\ntwo\nthree\r\nfour\r\n");
    await edit("mixed.txt", "four", "4");
    assert.equal(bytesOf("mixed.txt").toString(), "one\r\ntwo\nthree\r\n4\r\n");
  });

  it("E06: an edit of a file with unsaved typing keeps both, in one document that stays unsaved", async () => {
    await writeFile(pathOf("note.txt"), "a\nb\n");
    const editor = await show(pathOf("note.txt"));
    await type(editor, "mine");
    const file = await workspace.readText(pathOf("note.txt"));
    assert.deepEqual(file, { text: "a\nb\nmine", hash: hashText("a\nb\nmine"), hasUnsavedChanges: true });
    const written = await edit("note.txt", "a", "A");
    assert.ok("text" in written);
    assert.equal(written.text, "A\nb\nmine");
    assert.equal(written.hasUnsavedChanges, true);
    assert.equal(editor.document.getText(), "A\nb\nmine");
    assert.equal(editor.document.isDirty, true);
    assert.equal(bytesOf("note.txt").toString(), "a\nb\n");
    assert.ok(await editor.document.save());
    assert.equal(bytesOf("note.txt").toString(), "A\nb\nmine");
  });

  it("E06: unsaved typing is found also when the file was opened by way of a link", async () => {
    await writeFile(pathOf("real.txt"), "a\n");
    await symlink(pathOf("real.txt"), pathOf("link.txt"));
    const editor = await show(pathOf("link.txt"));
    await type(editor, "mine");
    await edit("real.txt", "a", "A");
    assert.equal(editor.document.getText(), "A\nmine");
  });

  it("refuses a change made from a text that the document no longer has", async () => {
    await writeFile(pathOf("note.txt"), "a\n");
    const path = await workspace.resolve("edited/note.txt");
    assert.ok("absolute" in path);
    await type(await show(pathOf("note.txt")), "typed");
    const written = await workspace.write({ path, before: "a\n", after: "A\n" });
    assert.ok("error" in written);
    assert.equal(bytesOf("note.txt").toString(), "a\n");
  });

  it("one undo takes an edit back", async () => {
    await writeOld(pathOf("undo.txt"), "one\ntwo\nthree\n");
    const editor = await show(pathOf("undo.txt"));
    await edit("undo.txt", "two\nthree", "2\n3");
    assert.equal(editor.document.getText(), "one\n2\n3\n");
    await vscode.commands.executeCommand("undo");
    assert.equal(editor.document.getText(), "one\ntwo\nthree\n");
  });

  it("V07: shows no other editor and leaves the focus and the cursor where they are", async () => {
    await writeFile(pathOf("shown.txt"), "here\n");
    await writeFile(pathOf("other.txt"), "one\n");
    const editor = await show(pathOf("shown.txt"));
    editor.selection = new vscode.Selection(0, 2, 0, 3);
    await edit("other.txt", "one", "two");
    await make("deep/er/new.txt", "text\n");
    assert.equal(vscode.window.activeTextEditor?.document.uri.fsPath, pathOf("shown.txt"));
    assert.ok(editor.selection.isEqual(new vscode.Selection(0, 2, 0, 3)));
    // Not the tabs: the editor adds one in the background by itself for what is unsaved for 0.8 s, as on a machine that is busy.
    const visible = vscode.window.visibleTextEditors.map(({ document }) => document.uri.fsPath);
    assert.deepEqual(
      visible.filter((path) => path.startsWith(folder)),
      [pathOf("shown.txt")],
    );
    assert.equal(bytesOf("deep/er/new.txt").toString(), "text\n");
  });

  it("E09: a folder that became a link since the question was asked leads no edit and no new file outside", async () => {
    await mkdir(pathOf("sub"));
    await writeFile(pathOf("sub/a.txt"), "one\n");
    const paths = await Promise.all(
      ["edited/sub/a.txt", "edited/sub/new.txt", "edited/sub/deep/new.txt"].map((path) =>
        workspace.resolve(path),
      ),
    );
    const outside = await mkdtemp(join(tmpdir(), "loom-outside-"));
    try {
      await writeFile(join(outside, "a.txt"), "one\n");
      await rm(pathOf("sub"), { recursive: true });
      await symlink(outside, pathOf("sub"));
      for (const [index, path] of paths.entries()) {
        assert.ok("absolute" in path);
        const before = index === 0 ? "one\n" : null;
        const written = await workspace.write({ path, before, after: "planted\n" });
        assert.deepEqual(written, { error: "its path leads elsewhere by now." });
      }
      assert.deepEqual(readdirSync(outside), ["a.txt"]);
      assert.equal(readFileSync(join(outside, "a.txt"), "utf8"), "one\n");
    } finally {
      await rm(outside, { recursive: true });
    }
  });

  it("makes no file over one that is there", async () => {
    await writeFile(pathOf("there.txt"), "one\n");
    const written = await make("there.txt", "two\n");
    assert.ok("error" in written);
    assert.equal(bytesOf("there.txt").toString(), "one\n");
  });

  it("E12: tells the text that a formatter made of it on saving", async () => {
    const formatter = vscode.languages.registerDocumentFormattingEditProvider(
      { scheme: "file", pattern: "**/edited/*.sorted" },
      {
        provideDocumentFormattingEdits(document) {
          const lines = document.getText().trimEnd().split("\n").sort();
          const all = new vscode.Range(0, 0, document.lineCount, 0);
          return [vscode.TextEdit.replace(all, `${lines.join("\n")}\n`)];
        },
      },
    );
    const configuration = vscode.workspace.getConfiguration("editor");
    await configuration.update("formatOnSave", true, vscode.ConfigurationTarget.Global);
    try {
      await writeFile(pathOf("keys.sorted"), "a\nb\n");
      const written = await edit("keys.sorted", "a\n", "z\na\n");
      assert.ok("text" in written);
      assert.equal(written.text, "a\nb\nz\n");
      assert.equal(bytesOf("keys.sorted").toString(), "a\nb\nz\n");
      const again = await edit("keys.sorted", "z", "y");
      assert.ok("text" in again);
      assert.equal(again.text, "a\nb\ny\n");
      const fresh = await make("new.sorted", "c\na\n");
      assert.ok("text" in fresh);
      assert.equal(fresh.text, "a\nc\n");
    } finally {
      formatter.dispose();
      await configuration.update("formatOnSave", undefined, vscode.ConfigurationTarget.Global);
    }
  });

  it("reads and edits what a command has just written, not what an open document still shows", async () => {
    await writeFile(pathOf("log.txt"), "one\n");
    const editor = await show(pathOf("log.txt"));
    await writeFile(pathOf("log.txt"), "one\ntwo\n");
    const file = await workspace.readText(pathOf("log.txt"));
    assert.ok("text" in file);
    assert.equal(file.text, "one\ntwo\n");
    const written = await edit("log.txt", "two", "2");
    assert.ok("text" in written, JSON.stringify(written));
    assert.equal(bytesOf("log.txt").toString(), "one\n2\n");
    await becomes(editor.document, "one\n2\n");
    assert.equal(editor.document.isDirty, false);
    await vscode.commands.executeCommand("undo");
    assert.doesNotMatch(editor.document.getText(), /2/);
  });

  it("E10: a read-only file is refused and stays as it is", async () => {
    await writeFile(pathOf("fixed.txt"), "one\n", { mode: 0o444 });
    const written = await edit("fixed.txt", "one", "two");
    assert.deepEqual(written, { error: "it is read-only." });
    assert.equal(bytesOf("fixed.txt").toString(), "one\n");
  });

  it("E10: a change that cannot be saved is taken back, and what came onto the disk meanwhile stays", async () => {
    await writeOld(pathOf("raced.txt"), "one\n");
    const editor = await show(pathOf("raced.txt"));
    const listener = vscode.workspace.onWillSaveTextDocument((save) => {
      // Somebody else writes the file at the last moment, which makes the editor refuse to save over it.
      const later = new Date(Date.now() + 60_000);
      save.waitUntil(
        writeFile(pathOf("raced.txt"), "somebody else\n").then(() =>
          utimes(pathOf("raced.txt"), later, later),
        ),
      );
    });
    try {
      const written = await edit("raced.txt", "one", "two");
      assert.ok("error" in written, JSON.stringify(written));
    } finally {
      listener.dispose();
    }
    assert.equal(bytesOf("raced.txt").toString(), "somebody else\n");
    assert.ok(!editor.document.getText().includes("two"));
  });
});
