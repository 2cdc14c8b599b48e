import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import vscode = require("vscode");
import { createTools } from "../../src/core/tools";
import { keptTurn } from "../../src/core/turn/checkpoints";
import { CheckpointStore } from "../../src/node/files/checkpointStore";
import { restoreFiles, stepsFor } from "../../src/node/files/turnFiles";
import type { LogEvent } from "../../src/shared/events";
import { editorFiles } from "../../src/vscode/documents/editorFiles";
import { virtualWorkspace } from "../../src/vscode/documents/virtualWorkspace";
import { callOf, ScriptedModel } from "../support/scriptedModel";
import { startSession } from "../support/sessionFixture";
import { FakeShell, toolCaller } from "../support/toolCalls";

const SCHEME = "loomtest";

/** A file system in memory, as an extension may bring one. */
class MemoryFiles implements vscode.FileSystemProvider {
  readonly files = new Map<string, Uint8Array>();
  private readonly changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.changed.event;

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined);
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    const bytes = this.files.get(uri.path);
    if (bytes) return { type: vscode.FileType.File, ctime: 0, mtime: bytes.length, size: bytes.length };
    if (uri.path === "/" || [...this.files.keys()].some((path) => path.startsWith(`${uri.path}/`)))
      return { type: vscode.FileType.Directory, ctime: 0, mtime: 0, size: 0 };
    throw vscode.FileSystemError.FileNotFound(uri);
  }

  readDirectory(uri: vscode.Uri): [string, vscode.FileType][] {
    const prefix = uri.path === "/" ? "/" : `${uri.path}/`;
    const below = [...this.files.keys()]
      .filter((path) => path.startsWith(prefix))
      .map((path) => path.slice(prefix.length));
    return [...new Set(below.map((path) => path.split("/")[0] ?? ""))].map((name) => [
      name,
      below.includes(name) ? vscode.FileType.File : vscode.FileType.Directory,
    ]);
  }

  readFile(uri: vscode.Uri): Uint8Array {
    const bytes = this.files.get(uri.path);
    if (!bytes) throw vscode.FileSystemError.FileNotFound(uri);
    return bytes;
  }

  writeFile(uri: vscode.Uri, content: Uint8Array): void {
    const type = this.files.has(uri.path) ? vscode.FileChangeType.Changed : vscode.FileChangeType.Created;
    this.files.set(uri.path, content);
    this.changed.fire([{ type, uri }]);
  }

  createDirectory(): void {
    // Folders are where files are.
  }

  delete(uri: vscode.Uri): void {
    this.files.delete(uri.path);
  }

  rename(): void {
    throw vscode.FileSystemError.NoPermissions();
  }
}

describe("a workspace that is not on a disk", () => {
  const memory = new MemoryFiles();
  const folder = { name: "project", uri: vscode.Uri.parse(`${SCHEME}://host/project`) };
  const workspace = virtualWorkspace(() => [folder]);
  const call = toolCaller(workspace, new FakeShell({}, null));
  const textOf = (path: string) => Buffer.from(memory.files.get(path) ?? []).toString("utf8");
  let registered: vscode.Disposable;

  before(() => {
    registered = vscode.workspace.registerFileSystemProvider(SCHEME, memory, { isCaseSensitive: true });
    const files = {
      "/project/a.txt": "one\r\ntwo\r\n",
      "/project/src/deep/b.ts": "const needle = 1;\n",
      "/project/node_modules/x.js": "needle\n",
      "/project/blob": "\0\0",
      "/outside/secret.txt": "hidden\n",
    };
    for (const [path, text] of Object.entries(files)) memory.files.set(path, Buffer.from(text));
  });

  after(async () => {
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    registered.dispose();
  });

  it("is read, listed and searched by way of the editor, in paths of the project", async () => {
    const read = await call("read_file", { path: "a.txt" });
    assert.equal(read.content, "a.txt lines 1–2 of 2\none\ntwo");
    assert.deepEqual(read.questions, []);
    const list = await call("list_files", {});
    assert.equal(list.content, ".: 5 entries\na.txt\nblob\nsrc/\nsrc/deep/\nsrc/deep/b.ts");
    const found = await call("search_text", { pattern: "needle" });
    assert.match(found.content, /^1 match .*\nsrc\/deep\/b\.ts\n {2}1: const needle = 1;$/s);
    assert.match(
      (await call("search_text", { pattern: "ne+dle", is_regex: true, path: "src" })).content,
      /^1 match/,
    );
    assert.match((await call("read_file", { path: "blob" })).content, /binary data/);
    assert.match(
      (await call("read_file", { path: "src/deep/bb.ts" })).content,
      /does not exist.*src\/deep\/b\.ts/s,
    );
  });

  it("of two folders with one name keeps them apart", async () => {
    memory.files.set("/other/a.txt", Buffer.from("other\n"));
    const other = { name: "project", uri: vscode.Uri.parse(`${SCHEME}://host/other`) };
    const two = toolCaller(
      virtualWorkspace(() => [folder, other]),
      new FakeShell({}, null),
    );
    assert.match((await two("list_files", {})).content, /\nproject \(2\)\/a\.txt/);
    assert.match((await two("read_file", { path: "project (2)/a.txt" })).content, /other$/);
    assert.match((await two("read_file", { path: "project/a.txt" })).content, /one\ntwo$/);
    memory.files.delete("/other/a.txt");
  });

  it("is edited through documents: line ends stay, one undo takes it back, and what is typed meanwhile is not lost", async () => {
    const edited = await call("edit_file", { path: "a.txt", old_text: "two", new_text: "2\n3" });
    assert.equal(edited.outcome, "ok", edited.content);
    assert.equal(textOf("/project/a.txt"), "one\r\n2\r\n3\r\n");
    const made = await call("edit_file", { path: "new/c.txt", old_text: "", new_text: "made\n" });
    assert.equal(made.outcome, "ok", made.content);
    assert.equal(textOf("/project/new/c.txt"), "made\n");
    const editor = await vscode.window.showTextDocument(vscode.Uri.joinPath(folder.uri, "a.txt"));
    await vscode.commands.executeCommand("undo");
    assert.equal(editor.document.getText(), "one\r\ntwo\r\n");
    assert.ok(await editor.edit((builder) => builder.insert(new vscode.Position(0, 0), "mine ")));
    const onTop = await call("edit_file", { path: "a.txt", old_text: "two", new_text: "II" });
    assert.match(onTop.content, /without saving/);
    assert.equal(editor.document.getText(), "mine one\r\nII\r\n");
    await vscode.commands.executeCommand("workbench.action.files.revert");
  });

  it("what a turn changed is brought back by way of the editor, also after a reload, and what was typed since is asked about", async () => {
    memory.files.set("/project/b.txt", Buffer.from("b\r\n"));
    const storage = await mkdtemp(join(tmpdir(), "loom-host-virtual-"));
    const open = (model: ScriptedModel, events: readonly LogEvent[] = []) => {
      const store = new CheckpointStore(storage, { files: editorFiles() });
      const shell = new FakeShell({}, null);
      const tools = createTools({ workspace, shell, limits: { commandTimeLimitSeconds: 1 } });
      return { store, ...startSession(model, { tools, checkpoints: store, events }) };
    };
    const edit = (path: string, old_text: string, new_text: string) =>
      callOf("edit_file", { path, old_text, new_text });
    const calls = [edit("a.txt", "one", "1"), edit("b.txt", "b", "B"), edit("made.txt", "", "made\n")];
    const before = textOf("/project/a.txt");
    const first = open(new ScriptedModel([{ toolCalls: calls }, { text: "Done." }]));
    first.session.onEvent((event) => {
      if (event.type === "approval_asked")
        first.session.decide(event.callId, { answer: "allow" }, event.askId);
    });
    first.session.send("m", "change it");
    await first.idle();
    assert.deepEqual(
      ["a.txt", "b.txt", "made.txt"].map((name) => textOf(`/project/${name}`)),
      [before.replace("one", "1"), "B\r\n", "made\n"],
    );
    const { session, store } = open(new ScriptedModel([]), first.stored);
    const parts = { store, workspace };
    const turnId = keptTurn(session.view)?.turnId ?? "";
    const editor = await vscode.window.showTextDocument(vscode.Uri.joinPath(folder.uri, "b.txt"));
    assert.ok(await editor.edit((builder) => builder.insert(new vscode.Position(0, 0), "mine ")));
    const steps = await stepsFor(parts, session, turnId);
    assert.deepEqual(
      steps.map(({ file, action, isChangedSince }) => [file.shown, action, isChangedSince]),
      [
        ["a.txt", "restored", false],
        ["b.txt", "restored", true],
        ["made.txt", "deleted", false],
      ],
    );
    const chosen = steps.map((step) => [step, step.isChangedSince ? "keep" : "take"] as const);
    assert.deepEqual(await restoreFiles(parts, session, { turnId, undoId: "undo" }, chosen), []);
    assert.equal(textOf("/project/a.txt"), before);
    assert.equal(editor.document.getText(), "mine B\r\n");
    assert.ok(!memory.files.has("/project/made.txt"));
    const undo = (await stepsFor(parts, session, "undo")).map((step) => [step, "take"] as const);
    assert.deepEqual(await restoreFiles(parts, session, { turnId: "undo", undoId: "again" }, undo), []);
    assert.equal(textOf("/project/made.txt"), "made\n");
    await vscode.commands.executeCommand("workbench.action.files.revert");
    await rm(storage, { recursive: true });
  });

  it("E09: what lies outside is asked about by its address, and a command says that there is no disk to run on", async () => {
    for (const path of [
      "../outside/secret.txt",
      "src/../../outside/secret.txt",
      `${SCHEME}://host/outside/secret.txt`,
      `${SCHEME}://other/project/a.txt`,
    ]) {
      const { questions, content } = await call(
        "read_file",
        { path },
        { answer: { answer: "deny", reason: "" } },
      );
      assert.equal(questions[0]?.kind, "outside", path);
      assert.doesNotMatch(content, /hidden/);
    }
    const inside = await call("read_file", { path: `${SCHEME}://host/project/src/../a.txt` });
    assert.deepEqual(inside.questions, []);
    assert.match((await call("bash", { command: "ls" })).content, /No folder on a disk is open/);
  });
});
