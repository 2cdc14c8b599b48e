import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as vscode from "vscode";
import { createGate, startScriptedServer, type Brain, type ScriptedServer } from "../support/scriptedServer";
import { Panel } from "./support/panel";
import { useScriptedServer } from "./support/scripted";

const root = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "";

let panel: Panel;
let server: ScriptedServer;
let scripted: Awaited<ReturnType<typeof useScriptedServer>>;
let brain: Brain = () => ({ content: "OK." });

const bar = () => panel.workbench.locator('.statusbar-item[id^="loom.loom"]');
const toast = (text: string) => panel.workbench.locator(".notification-list-item", { hasText: text });
const item = (text: string) => panel.frame().getByRole("listitem").filter({ hasText: text });
const widget = () => panel.workbench.locator(".quick-input-widget");

/** The titles of Loom's commands that the command palette offers. */
async function offered(): Promise<readonly string[]> {
  const { keyboard } = panel.workbench;
  await keyboard.press("F1");
  await widget().locator("input:focus").waitFor();
  await keyboard.type("Loom: ");
  const rows = widget().locator(".monaco-list-row");
  await rows.filter({ hasText: "Loom: Set Access Token" }).waitFor();
  const titles = await rows.locator(".label-name").allInnerTexts();
  await keyboard.press("Escape");
  await widget().waitFor({ state: "hidden" });
  return titles.map((title) => title.trim()).filter((title) => title.startsWith("Loom: "));
}

describe("commands, settings and status bar", () => {
  before(async () => {
    panel = await Panel.connect();
    scripted = await useScriptedServer({
      brain: (request) => brain(request),
      models: [
        { name: "scripted", parameterSize: "8.2B", quantization: "Q4_K_M", contextLength: 40_960 },
        { name: "no-tools", capabilities: ["completion"] },
      ],
    });
    server = scripted.server;
    await panel.open();
    await bar().filter({ hasText: "scripted" }).waitFor();
  });

  after(async () => {
    await scripted.stop();
    await panel.close();
  });

  beforeEach(async () => {
    brain = () => ({ content: "OK." });
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    await panel.startSession();
    await panel.composer().fill("");
  });

  it("offers each command only while it can do something", async () => {
    const always = [
      "Focus Chat",
      // The editor's own, for the view.
      "Focus on Chat View",
      "Get a Model",
      "New Session",
      "Open Log",
      "Select Model",
      "Set Access Token",
      "Show Context",
      "Show Sessions",
    ];
    const assertOffered = async (...more: readonly string[]): Promise<void> => {
      const expected = [...always, ...more].map((name) => `Loom: ${name}`).sort();
      // VS Code itself adds one for every view.
      const own = (await offered()).filter((name) => name !== "Loom: Focus on Chat View");
      assert.deepEqual(own.sort(), expected);
    };
    await assertOffered();
    const gate = createGate();
    brain = async ({ tools }) => {
      await gate.opened;
      return {
        content: tools.length > 0 ? "A long answer. ".repeat(120) : "- Long answers were given to each.",
      };
    };
    await panel.send("work for a while");
    await panel.button("Stop").waitFor();
    await assertOffered("Stop");
    gate.open();
    await item("A long answer.").waitFor();
    await panel.untilIdle();
    await assertOffered("Compact Now");
    for (const text of ["two", "three", "four", "five"]) await panel.say(text);
    await panel.runFromPalette("Loom: Compact Now");
    await item("Compacted: ").waitFor();
    await panel.untilIdle();
    await assertOffered("Compact Now", "Show Summary");
    server.refuseConnections();
    await panel.say("are you there?");
    await panel.frame().locator(".banner").waitFor();
    await assertOffered("Compact Now", "Show Summary", "Start Ollama");
    await server.acceptConnections();
    await panel.frame().locator(".banner").waitFor({ state: "hidden" });
  });

  it("slash commands do what the commands do", async () => {
    await panel.send("/help");
    await panel.frame().getByRole("dialog", { name: "Commands and keys" }).getByText("/compact").waitFor();
    await panel.send("/context");
    await panel.frame().getByRole("dialog", { name: "What fills the context" }).waitFor();
    await panel.workbench.keyboard.press("Escape");
    brain = ({ tools }) => ({
      content:
        tools.length > 0 ? "A long answer. ".repeat(120) : "- The API was decided to be small and stable.",
    });
    for (const text of ["one", "two", "three", "four", "five"]) await panel.say(text);
    await panel.send("/compact keep the API decisions");
    await item("Compacted: ").waitFor();
    await panel.untilIdle();
    const instruction = server.chats().at(-1)?.request.messages?.at(-1)?.content ?? "";
    assert.match(instruction, /keep the API decisions/);
    await panel.send("/summary");
    await waitForEditor("Summary.md");
    const chats = server.chats().length;
    await panel.send("/clear");
    await item("Compacted: ").waitFor({ state: "detached" });
    await panel.send("/nonsense");
    await panel
      .frame()
      .locator(".composer-note")
      .locator(".composer-note", { hasText: "There is no command /nonsense." })
      .waitFor();
    assert.equal(await panel.composer().inputValue(), "/nonsense");
    await panel.composer().fill("");
    assert.equal(server.chats().length, chats);
  });

  it("the log tells requests and timings, and nothing of what was said or read", async () => {
    writeFileSync(join(root, "secret.txt"), "the harbour key is heliotrope\n");
    let isRead = false;
    brain = () => {
      if (isRead) return { content: "It says heliotrope." };
      isRead = true;
      return { content: "", toolCalls: [{ name: "read_file", arguments: { path: "secret.txt" } }] };
    };
    await panel.say("what is in secret.txt, and who is Clementine?");
    await panel.runFromPalette("Loom: Open Log");
    const log = await documentWith((document) => document.uri.scheme === "output" && isLog(document));
    const text = log.getText();
    assert.match(text, /\/api\/chat/);
    assert.match(text, /\d+ ?(?:ms|s)\b/);
    assert.doesNotMatch(text, /heliotrope|Clementine/);
    rmSync(join(root, "secret.txt"));
    await vscode.commands.executeCommand("workbench.action.closePanel");
  });

  it("shows the model and the meter in the status bar, and what fills the window after a click on it", async () => {
    await panel.send("hello");
    await item("OK.").waitFor();
    await bar()
      .filter({ hasText: /scripted \d+%/ })
      .waitFor();
    await bar().click();
    await panel.frame().getByRole("dialog").filter({ hasText: "System prompt" }).waitFor();
    await panel.screenshot("show-context");
    await panel.workbench.keyboard.press("Escape");
  });

  it("compacts by hand and shows the summary as a read-only Markdown document", async () => {
    brain = ({ tools }) =>
      tools.length === 0
        ? { content: "- The person said hello and was answered; nothing else happened so far." }
        : { content: "A long answer. ".repeat(120) };
    for (const text of ["one", "two", "three", "four", "five"]) {
      await panel.send(text);
      await panel.frame().getByRole("button", { name: "Stop" }).waitFor({ state: "hidden" });
    }
    await panel.runFromPalette("Loom: Compact Now");
    await item("Compacted: ").waitFor();
    await panel.runFromPalette("Loom: Show Summary");
    const editor = await waitForEditor("Summary.md");
    assert.equal(editor.document.languageId, "markdown");
    assert.match(editor.document.getText(), /^\[Context summary/);
    assert.match(editor.document.getText(), /The person said hello/);
    await vscode.commands.executeCommand("type", { text: "x" });
    assert.equal(editor.document.isDirty, false);
  });

  it("lists the models with what they are, and those that cannot call tools apart", async () => {
    await panel.runFromPalette("Loom: Select Model");
    await widget().getByText("cannot call tools, so it can neither read nor change files").waitFor();
    const text = await widget().innerText();
    assert.match(text, /8\.2B · Q4_K_M/);
    assert.match(text, /can call tools · trained context 40,960 tokens/);
    assert.match(text, /Get another model/);
    await panel.screenshot("select-model");
    await panel.workbench.keyboard.press("Escape");
    await widget().waitFor({ state: "hidden" });
  });

  it("V04: keeps an unsent draft while another view is shown", async () => {
    await panel.composer().click();
    await panel.composer().pressSequentially("a thought of two lines");
    await vscode.commands.executeCommand("workbench.view.explorer");
    await panel.composer().waitFor({ state: "detached" });
    await vscode.commands.executeCommand("loom.focusChat");
    await panel.composer().waitFor();
    assert.equal(await panel.composer().inputValue(), "a thought of two lines");
    await panel.composer().fill("");
  });

  it("S05: a new session while an answer streams gets nothing of it; the old one says that it was stopped", async () => {
    const gate = createGate();
    const chats = server.chats().length;
    brain = () => ({
      content: "part of the old answer, which goes on and on",
      chunkSize: 8,
      before: (piece) => (piece > 2 ? gate.opened : undefined),
    });
    await panel.send("a long answer please");
    await panel.frame().getByText("part of the old").waitFor();
    await vscode.commands.executeCommand("loom.newSession");
    await toast("it was stopped there").waitFor();
    gate.open();
    brain = () => ({ content: "answer of the new session" });
    await panel.send("hello");
    await item("answer of the new session").waitFor();
    assert.equal(await panel.frame().getByText("part of the old").count(), 0);
    const last = await server.waitForChat(chats + 2);
    assert.ok(!JSON.stringify(last.request).includes("part of the old"));
    await panel.runFromPalette("Loom: Show Sessions");
    await widget().locator(".monaco-list-row", { hasText: "a long answer please" }).click();
    await panel.frame().getByText("part of the old").waitFor();
    await panel.frame().getByText("Stopped.").waitFor();
    await vscode.commands.executeCommand("notifications.clearAll");
  });

  it("S03: a folder's own settings can neither redirect the address nor choose the model nor loosen approvals", async () => {
    const stranger = await startScriptedServer();
    const changed = new Promise<void>((resolve) => {
      const listener = vscode.workspace.onDidChangeConfiguration((change) => {
        if (!change.affectsConfiguration("loom.numCtx")) return;
        listener.dispose();
        resolve();
      });
    });
    mkdirSync(join(root, ".vscode"), { recursive: true });
    const folderSettings = {
      "loom.address": stranger.url,
      "loom.model": "elsewhere-cloud",
      "loom.approvals": "allowEdits",
      "loom.numCtx": 4096,
    };
    writeFileSync(join(root, ".vscode", "settings.json"), JSON.stringify(folderSettings));
    try {
      await changed;
      await panel.frame().getByText("/ 4,096").waitFor();
      const loom = vscode.workspace.getConfiguration("loom");
      assert.equal(loom.get("address"), server.url);
      assert.equal(loom.get("model"), "scripted");
      assert.equal(loom.get("approvals"), "ask");
      await panel.send("to whom does this go?");
      await item("OK.").waitFor();
      assert.deepEqual(stranger.requests, []);
    } finally {
      rmSync(join(root, ".vscode"), { recursive: true });
      await stranger.close();
    }
  });
});

const isLog = (document: vscode.TextDocument): boolean =>
  document.getText().includes("/api/chat") && document.uri.path.includes("loom");

/** Waits until a document is as wanted. */
function documentWith(isWanted: (document: vscode.TextDocument) => boolean): Promise<vscode.TextDocument> {
  return new Promise((resolve) => {
    const check = (): void => {
      const found = vscode.workspace.textDocuments.find(isWanted);
      if (found === undefined) return;
      for (const listener of listeners) listener.dispose();
      resolve(found);
    };
    const listeners = [
      vscode.workspace.onDidOpenTextDocument(check),
      vscode.workspace.onDidChangeTextDocument(check),
    ];
    check();
  });
}

/** Waits until an editor with this name is the active one. */
async function waitForEditor(name: string): Promise<vscode.TextEditor> {
  await panel.workbench.locator(".tab.active", { hasText: name }).waitFor();
  const editor = vscode.window.activeTextEditor;
  assert.ok(editor);
  return editor;
}
