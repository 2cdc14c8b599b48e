import assert from "node:assert/strict";
import vscode = require("vscode");
import { createGate, type ScriptedServer } from "../support/scriptedServer";
import { activeEditor } from "./support/documents";
import type { Panel } from "./support/panel";
import { useSessions } from "./support/setUp";

let panel: Panel;
let server: ScriptedServer;

const bar = () => panel.workbench.locator('.statusbar-item[id^="loom.loom"]');

describe("commands, settings and status bar", () => {
  useSessions((given) => ({ panel, server } = given), {
    server: {
      models: [
        { name: "scripted", parameterSize: "8.2B", quantization: "Q4_K_M", contextLength: 40_960 },
        { name: "no-tools", capabilities: ["completion"] },
      ],
    },
  });

  before(() => bar().filter({ hasText: "scripted" }).waitFor());

  it("shows the model and the meter in the status bar, and what fills the window after a click on it", async () => {
    await panel.send("hello");
    await panel.item("OK.").waitFor();
    await bar()
      .filter({ hasText: /scripted \d+%/ })
      .waitFor();
    await bar().click();
    await panel.frame().getByRole("dialog").filter({ hasText: "System prompt" }).waitFor();
    await panel.screenshot("show-context");
    await panel.workbench.keyboard.press("Escape");
  });

  it("compacts by hand and shows the summary as a read-only Markdown document", async () => {
    server.setBrain(({ tools }) =>
      tools.length === 0
        ? { content: "- The person said hello and was answered; nothing else happened so far." }
        : { content: "A long answer. ".repeat(120) },
    );
    for (const text of ["one", "two", "three", "four", "five"]) {
      await panel.say(text);
    }
    await panel.compactNow();
    await panel.item("Compacted: ").waitFor();
    await panel.runFromPalette("Loom: Show Summary");
    await panel.workbench.locator(".tab.active", { hasText: "Summary.md" }).waitFor();
    const editor = await activeEditor("Summary.md");
    assert.equal(editor.document.languageId, "markdown");
    assert.match(editor.document.getText(), /^\[Context summary/);
    assert.match(editor.document.getText(), /The person said hello/);
    await vscode.commands.executeCommand("type", { text: "x" });
    assert.equal(editor.document.isDirty, false);
  });

  it("lists the models with what they are, and those that cannot call tools apart", async () => {
    await panel.runFromPalette("Loom: Select Model");
    await panel
      .quickInput()
      .getByText("cannot call tools, so it can neither read nor change files")
      .waitFor();
    const text = await panel.quickInput().innerText();
    assert.match(text, /8\.2B · Q4_K_M/);
    assert.match(text, /calls tools · trained for 40,960 tokens/);
    assert.match(text, /Get another model/);
    await panel.screenshot("select-model");
    await panel.workbench.keyboard.press("Escape");
    await panel.quickInput().waitFor({ state: "hidden" });
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
    server.setBrain(() => ({
      content: "part of the old answer, which goes on and on",
      chunkSize: 8,
      before: (piece) => (piece > 2 ? gate.opened : undefined),
    }));
    await panel.send("a long answer please");
    await panel.frame().getByText("part of the old").waitFor();
    await vscode.commands.executeCommand("loom.newSession");
    await panel.toast("it was stopped there").waitFor();
    gate.open();
    server.setBrain(() => ({ content: "answer of the new session" }));
    await panel.send("hello");
    await panel.item("answer of the new session").waitFor();
    assert.equal(await panel.frame().getByText("part of the old").count(), 0);
    const last = await server.waitForChat(chats + 2);
    assert.ok(!JSON.stringify(last.request).includes("part of the old"));
    await panel.runFromPalette("Loom: Show Sessions");
    await panel.quickInput().locator(".monaco-list-row", { hasText: "a long answer please" }).click();
    await panel.frame().getByText("part of the old").waitFor();
    await panel.frame().getByText("Stopped.").waitFor();
    await vscode.commands.executeCommand("notifications.clearAll");
  });
});
