import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import vscode = require("vscode");
import type { ScriptedServer } from "../support/scriptedServer";
import { activeEditor, becomes, root } from "./support/documents";
import type { Panel } from "./support/panel";
import { setLoom } from "./support/scripted";
import { useSessions } from "./support/setUp";

let panel: Panel;
let server: ScriptedServer;

describe("transcript and composer in the editor", () => {
  useSessions((given) => ({ panel, server } = given), {
    server: { models: [{ name: "scripted", capabilities: ["completion", "tools", "thinking"] }] },
  });

  it("code of an answer is copied and inserted at the cursor by its buttons", async () => {
    const code = "const answer = 42;\nconsole.log(answer);\n";
    server.setBrain(() => ({ content: `Here you are:\n\n\`\`\`ts\n${code}\`\`\`\n` }));
    await panel.say("some code, please");
    await panel.button("Copy code").click();
    await panel.button("Copied").waitFor();
    assert.equal(await vscode.env.clipboard.readText(), code);
    const document = await vscode.workspace.openTextDocument({
      language: "plaintext",
      content: "before\nafter\n",
    });
    const editor = await vscode.window.showTextDocument(document);
    editor.selection = new vscode.Selection(1, 0, 1, 0);
    await panel.button("Insert at cursor").click();
    await becomes(document, `before\n${code}after\n`);
    await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
  });

  it("thinking and the results of tools are folded, and a tool's file opens in the editor", async () => {
    let isRead = false;
    server.setBrain(() => {
      if (isRead) return { thinking: "It is the menu.", content: "That is the **menu**." };
      isRead = true;
      return {
        thinking: "I look first.",
        toolCalls: [{ name: "read_file", arguments: { path: "src/menu.ts" } }],
      };
    });
    await panel.say("what is in src/menu.ts?");
    const thought = panel.frame().getByText("It is the menu.");
    assert.equal(await thought.isVisible(), false);
    await panel.frame().getByText("Thought", { exact: true }).last().click();
    await thought.waitFor();
    const card = panel.frame().getByRole("listitem", { name: "Tool call: read_file src/menu.ts, done" });
    const result = card.getByRole("group", { name: "Result" });
    assert.equal(await result.isVisible(), false);
    await card.locator("summary").click();
    const [firstLine = ""] = readFileSync(join(root, "src", "menu.ts"), "utf8").split("\n");
    assert.ok((await result.innerText()).includes(firstLine));
    await card.getByRole("link", { name: "src/menu.ts" }).click();
    await panel.workbench.locator(".tab.active", { hasText: "menu.ts" }).waitFor();
    const { document } = await activeEditor("menu.ts");
    assert.equal(document.uri.fsPath, join(root, "src", "menu.ts"));
    assert.equal(await panel.frame().locator("strong", { hasText: "menu" }).count(), 1);
  });

  it("Shift+Enter breaks the line, and Enter sends all lines as one message", async () => {
    const composer = panel.composer();
    await composer.pressSequentially("first line");
    await composer.press("Shift+Enter");
    await composer.pressSequentially("second line");
    await composer.press("Enter");
    await panel.item("OK.").waitFor();
    assert.equal(server.chats().at(-1)?.request.messages?.at(-1)?.content, "first line\nsecond line");
  });

  it("Stop keeps the part of the answer that came, and the next message can be sent at once", async () => {
    server.setBrain(() => ({
      content: "A beginning and then nothing",
      chunkSize: 12,
      fault: { kind: "hang", afterChunks: 2 },
    }));
    await panel.send("go on for ever");
    await panel.frame().getByText("A beginning and then").waitFor();
    await panel.button("Stop").click();
    await panel.item("Stopped.").waitFor();
    await server.waitForIdle();
    server.setBrain(() => ({ content: "OK." }));
    await panel.say("hello again");
    await panel.item("Partial answer").filter({ hasText: "A beginning" }).waitFor();
  });

  it("the empty state offers to start an Ollama that is installed, and notices when it runs", async () => {
    const folder = mkdtempSync(join(tmpdir(), "loom-path-"));
    const path = process.env["PATH"];
    const opened = new Promise<vscode.Terminal>((resolve) => {
      const listener = vscode.window.onDidOpenTerminal((terminal) => {
        listener.dispose();
        resolve(terminal);
      });
    });
    try {
      server.refuseConnections();
      await setLoom({ model: "" });
      await panel.frame().getByRole("heading", { name: "Ollama is not answering" }).waitFor();
      await panel.screenshot("not-running");
      // Where Ollama is installed for real, it would be started.
      if (!["/usr/local/bin/ollama", "/usr/bin/ollama"].some(existsSync)) {
        process.env["PATH"] = folder;
        await panel.button("Start Ollama").click();
        const toast = panel.toast("Ollama was not found");
        await toast.getByRole("button", { name: "Open Download Page" }).waitFor();
      }
      writeFileSync(join(folder, "ollama"), "#!/bin/sh\n");
      chmodSync(join(folder, "ollama"), 0o755);
      process.env["PATH"] = `${folder}:${path ?? ""}`;
      await panel.button("Start Ollama").click();
      const options = (await opened).creationOptions as vscode.TerminalOptions;
      assert.deepEqual([options.shellPath, options.shellArgs], [join(folder, "ollama"), ["serve"]]);
      assert.equal(options.env?.["OLLAMA_HOST"], server.url);
      await server.acceptConnections();
      await panel.frame().getByRole("heading", { name: "Choose a model" }).waitFor();
      await panel.frame().getByRole("button", { name: "Choose a model" }).first().click();
      await panel.quickInput().locator(".monaco-list-row", { hasText: "scripted" }).click();
      await panel.frame().getByRole("heading", { name: "What shall we work on?" }).waitFor();
    } finally {
      process.env["PATH"] = path;
      rmSync(folder, { recursive: true });
      for (const terminal of vscode.window.terminals) terminal.dispose();
      await vscode.commands.executeCommand("workbench.action.closePanel");
      await vscode.commands.executeCommand("notifications.clearAll");
    }
  });
});
