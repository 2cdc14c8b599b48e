import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import vscode = require("vscode");
import type { ScriptedServer, ScriptedToolCall } from "../support/scriptedServer";
import { root } from "./support/documents";
import type { Panel } from "./support/panel";
import { callOnce } from "./support/scripted";
import { useSessions } from "./support/setUp";

const folder = join(root, "turn");
const pathOf = (name: string): string => join(folder, name);
const textOf = (name: string): string => readFileSync(pathOf(name), "utf8");

let panel: Panel;
let server: ScriptedServer;

const edit = (name: string, old_text: string, new_text: string): ScriptedToolCall => ({
  name: "edit_file",
  arguments: { path: `turn/${name}`, old_text, new_text },
});
const bash = (command: string): ScriptedToolCall => ({ name: "bash", arguments: { command } });
const card = () => panel.frame().getByRole("group", { name: /^Approval needed: / });

/** Has the model make calls, each of which is agreed to. */
async function play(text: string, ...calls: readonly ScriptedToolCall[]): Promise<void> {
  const turns = await panel.item("That was it.").count();
  callOnce(server, ...calls);
  await panel.send(text);
  for (const call of calls) {
    const isCommand = call.name === "bash";
    await card()
      .filter({ hasText: isCommand ? "Run a command" : /Edit|Create/ })
      .getByRole("button", { name: "Allow", exact: true })
      .click();
    await panel.item("That was it.").nth(turns).or(card()).first().waitFor();
  }
  await panel.item("That was it.").nth(turns).waitFor();
  await panel.untilIdle();
}

/** Accepts the list of files as it is ticked. */
async function acceptList(): Promise<void> {
  const list = panel.quickInput();
  await list.getByText("Restore files to how they were before").waitFor();
  await list.getByRole("button", { name: "OK" }).click();
}

const restored = () => panel.frame().getByRole("listitem", { name: "Files taken back" });

/** A session and a folder for each test. */
function useFolder(): void {
  useSessions((given) => ({ panel, server } = given));

  beforeEach(() => mkdirSync(folder, { recursive: true }));

  afterEach(async () => {
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    rmSync(folder, { recursive: true, force: true });
  });
}

describe("taking back what a turn changed", () => {
  useFolder();

  it("shows the diff, restores changed, created and deleted files, and can be undone", async () => {
    writeFileSync(pathOf("a.txt"), "one\r\ntwo\r\n");
    writeFileSync(pathOf("gone.txt"), "here\n");
    await play(
      "change it",
      edit("a.txt", "one", "1"),
      edit("new.txt", "", "made\n"),
      // No word of it names the file.
      bash("for f in */gone.*; do rm $f; done"),
    );
    assert.deepEqual(
      [textOf("a.txt"), textOf("new.txt"), existsSync(pathOf("gone.txt"))],
      ["1\r\ntwo\r\n", "made\n", false],
    );
    await panel.frame().getByText("Changed in this turn: turn/a.txt, turn/new.txt, turn/gone.txt").waitFor();
    await panel.button("Restore…").click();
    await panel.workbench.locator(".tab", { hasText: "Restore: now" }).waitFor();
    await panel.screenshot("restore");
    await acceptList();
    await restored().waitFor();
    assert.deepEqual(
      [textOf("a.txt"), existsSync(pathOf("new.txt")), textOf("gone.txt")],
      ["one\r\ntwo\r\n", false, "here\n"],
    );
    await restored().getByRole("button", { name: "Undo" }).click();
    await acceptList();
    await restored().nth(1).waitFor();
    assert.deepEqual(
      [textOf("a.txt"), textOf("new.txt"), existsSync(pathOf("gone.txt"))],
      ["1\r\ntwo\r\n", "made\n", false],
    );
  });

  it("asks what to do with a file that was changed since: merged it keeps both, and closing the question keeps it", async () => {
    // A name of its own: the editor may still hold what an earlier test had in another file.
    const lines = Array.from({ length: 20 }, (_, index) => `line ${index}\n`);
    writeFileSync(pathOf("both.txt"), lines.join(""));
    await play("change it", edit("both.txt", "line 2\n", "LOOM\n"));
    const editor = await vscode.window.showTextDocument(vscode.Uri.file(pathOf("both.txt")));
    assert.ok(await editor.edit((builder) => builder.insert(new vscode.Position(15, 0), "mine ")));
    assert.ok(await editor.document.save());
    const mine = textOf("both.txt");
    const list = panel.quickInput();
    const ask = () => list.getByText("turn/both.txt was changed after Loom changed it").waitFor();
    await panel.runFromPalette("Loom: Restore Files of the Last Turn");
    await acceptList();
    await ask();
    await panel.workbench.keyboard.press("Escape");
    await list.waitFor({ state: "hidden" });
    assert.equal(textOf("both.txt"), mine);
    await panel.button("Restore…").click();
    await acceptList();
    await ask();
    await list.getByRole("option", { name: /^Merge/ }).click();
    await restored().waitFor();
    assert.equal(textOf("both.txt"), mine.replace("LOOM", "line 2"));
  });
});

describe("questions about files that change, and about secrets", () => {
  useFolder();

  it("a question is withdrawn and asked anew when the person types in the file meanwhile; what is allowed is what was shown", async () => {
    writeFileSync(pathOf("a.txt"), "one\ntwo\n");
    callOnce(server, edit("a.txt", "two", "2"));
    const editor = await vscode.window.showTextDocument(vscode.Uri.file(pathOf("a.txt")));
    await panel.send("change it");
    await card().waitFor();
    assert.ok(await editor.edit((builder) => builder.insert(new vscode.Position(0, 0), "typed ")));
    await card().getByText("changed while you were asked").waitFor();
    const diff = await card().getByRole("group", { name: "The whole change" }).innerText();
    assert.match(diff, /^ typed one$/m);
    await card().getByRole("button", { name: "Allow", exact: true }).click();
    await panel.item("That was it.").waitFor();
    await panel.untilIdle();
    assert.equal(editor.document.getText(), "typed one\n2\n");
    await editor.document.save();
  });

  it("R04, B05: a secret file is asked about, and a command says what it runs and names, and is not remembered", async () => {
    writeFileSync(pathOf(".env"), "TOKEN=fake-123\n");
    callOnce(server, { name: "read_file", arguments: { path: "turn/.env" } });
    await panel.send("read it");
    await card()
      .filter({ hasText: "looks like a file with secrets" })
      .getByRole("button", { name: "Deny", exact: true })
      .click();
    await panel.item("That was it.").waitFor();
    await panel.untilIdle();
    assert.ok(!JSON.stringify(server.chats().at(-1)?.request).includes("fake-123"));
    callOnce(server, bash("git status; cat turn/.env | tee turn/p1"));
    await panel.send("run it");
    await card().getByText("Runs git, cat, tee.").waitFor();
    await card().getByText("Names files that look like secrets: turn/.env.").waitFor();
    assert.equal(await card().getByRole("button", { name: "Allow for this session" }).count(), 0);
    await panel.screenshot("dangerous");
    await card().getByRole("button", { name: "Deny", exact: true }).click();
    await panel.item("That was it.").nth(1).waitFor();
    await panel.untilIdle();
    assert.equal(existsSync(pathOf("p1")), false);
  });
});
