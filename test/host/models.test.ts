import assert from "node:assert/strict";
import vscode = require("vscode");
import { createGate, startScriptedServer, type ScriptedServer } from "../support/scriptedServer";
import { Panel } from "./support/panel";
import { setLoom, useServer } from "./support/scripted";

let panel: Panel;
let server: ScriptedServer;
let stopServer: () => Promise<void>;

const widget = () => panel.workbench.locator(".quick-input-widget");
const row = (text: string | RegExp) => widget().locator(".monaco-list-row").filter({ hasText: text });
const phase = () => panel.frame().getByRole("group", { name: "Status" });
const setting = (name: string) => vscode.workspace.getConfiguration("loom").get<unknown>(name);

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 20));
}

describe("models and waiting in the real panel", () => {
  before(async () => {
    panel = await Panel.connect();
    server = await startScriptedServer({
      models: [
        {
          name: "scripted",
          size: 4_700_000_000,
          contextLength: 40_960,
          capabilities: ["completion", "tools", "thinking", "vision"],
        },
        { name: "no-tools", capabilities: ["completion"] },
        { name: "big:cloud" },
      ],
    });
    stopServer = await useServer(server, { model: "scripted" });
    await panel.open();
    await panel.startSession();
  });

  after(async () => {
    await setLoom({ cloudModels: undefined, numCtx: undefined });
    await stopServer();
    await panel.close();
  });

  it("loads the model when the cursor is in the message field, and says while a message waits for it what it waits for", async () => {
    const gate = createGate();
    server.unload("scripted");
    server.playFault("preload", { kind: "hang", afterChunks: 0, until: gate.opened });
    await vscode.commands.executeCommand("workbench.view.explorer");
    await vscode.commands.executeCommand("loom.focusChat");
    const before = server.preloads().length;
    await panel.composer().click();
    await until(() => server.preloads().length > before);
    await panel.send("hello");
    await phase().filter({ hasText: "Loading scripted" }).waitFor();
    await panel.screenshot("loading");
    await panel.button("Stop").click();
    await panel.frame().getByRole("listitem").filter({ hasText: "Stopped." }).waitFor();
    assert.equal(server.chats().length, 0);
    gate.open();
    await panel.say("hello again");
    assert.equal(server.chats().length, 1);
    assert.equal(server.reloads, 0);
  });

  it("lists what a model can do, what its context costs in memory, and whether it is in memory", async () => {
    await panel.runFromPalette("Loom: Select Model");
    const detail =
      /can call tools · thinks · sees pictures · trained context 40,960 tokens · 8,192 tokens of context take about 0\.5 GB · in memory/;
    await row(detail).waitFor();
    await row("runs elsewhere: what you send leaves this machine").waitFor();
    await panel.screenshot("models");
    await panel.workbench.keyboard.press("Escape");
    await widget().waitFor({ state: "hidden" });
  });

  // The question itself is a modal dialog, which the editor does not show in tests.
  it("sends nothing to a model that runs elsewhere before somebody agrees, and does not list it where it is to be hidden", async () => {
    await setLoom({ model: "big:cloud" });
    await panel.frame().getByText("big:cloud does not run on this machine").first().waitFor();
    const chats = server.chats().length;
    await panel.say("hello?");
    await panel.frame().getByRole("listitem").filter({ hasText: "Nothing was sent. Allow it" }).waitFor();
    assert.equal(server.chats().length, chats);
    await panel.frame().locator(".banner").getByRole("button", { name: "Use it" }).waitFor();
    await panel.screenshot("cloud");
    await setLoom({ cloudModels: "hide" });
    await panel.runFromPalette("Loom: Select Model");
    await row("no-tools").waitFor();
    assert.equal(await row("big:cloud").count(), 0);
    await panel.workbench.keyboard.press("Escape");
    await setLoom({ cloudModels: undefined, model: "scripted" });
  });

  it("lets the window be chosen with what it costs, also from a failure to load", async () => {
    server.unload("scripted");
    const body = { error: "model requires more system memory (5.6 GiB) than is available (3.1 GiB)" };
    await setLoom({ numCtx: 16_384 });
    server.playFault("preload", { kind: "status", status: 500, body }, 4);
    await panel.say("are you there?");
    await panel.frame().getByRole("button", { name: "Choose a smaller window" }).last().click();
    await row(/16,384.*now/).waitFor();
    await panel.screenshot("windows");
    await row(/4,096.*0\.2 GB/).click();
    await until(() => setting("numCtx") === 4096);
    server.playFault("preload", { kind: "status", status: 500, body }, 0);
  });
});
