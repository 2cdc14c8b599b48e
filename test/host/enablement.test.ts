import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import vscode = require("vscode");
import { openPalette } from "../../scripts/editor/palette";
import { createGate, type ScriptedServer } from "../support/scriptedServer";
import { found, root } from "./support/documents";
import type { Panel } from "./support/panel";
import { useSessions } from "./support/setUp";

/** The editor makes this one for every view. */
const EDITORS_OWN = "Loom: Focus on Chat View";

let panel: Panel;
let server: ScriptedServer;

/** The titles of Loom's commands that the command palette offers. */
async function offered(): Promise<readonly string[]> {
  const { keyboard } = panel.workbench;
  await openPalette(panel.workbench);
  await keyboard.type("Loom: ");
  const rows = panel.quickInput().locator(".monaco-list-row");
  await rows.filter({ hasText: "Loom: Set Access Token" }).waitFor();
  const titles = new Set<string>();
  // Only the rows in view are there: the first ones, and after a step up from the first the last ones.
  const [first = ""] = await rows.locator(".label-name").allInnerTexts();
  const collect = async () => {
    for (const title of await rows.locator(".label-name").allInnerTexts()) titles.add(title.trim());
  };
  await collect();
  await keyboard.press("ArrowUp");
  await rows.and(panel.workbench.locator(".focused")).filter({ hasNotText: first.trim() }).waitFor();
  await collect();
  await keyboard.press("Escape");
  await panel.quickInput().waitFor({ state: "hidden" });
  return [...titles].filter((title) => title.startsWith("Loom: ") && title !== EDITORS_OWN);
}

describe("what the commands are there for, and when", () => {
  useSessions((given) => ({ panel, server } = given));

  it("offers each command only while it can do something", async () => {
    const always = [
      "Choose Address",
      "Focus Chat",
      "Get a Model",
      "New Session",
      "Open Log",
      "Select Context Window",
      "Select Model",
      "Set Access Token",
      "Show Context",
      "Show Request",
      "Show Sessions",
    ];
    const afterCompaction = [
      "Compact Now",
      "Edit Summary",
      "Regenerate Summary",
      "Show Summary",
      "Undo Compaction",
    ];
    const assertOffered = async (...more: readonly string[]): Promise<void> => {
      const expected = [...always, ...more].map((name) => `Loom: ${name}`).sort();
      // VS Code itself adds one for every view.
      const own = (await offered()).filter((name) => name !== "Loom: Focus on Chat View");
      assert.deepEqual(own.sort(), expected);
    };
    await assertOffered();
    const gate = createGate();
    server.setBrain(async ({ tools }) => {
      await gate.opened;
      return {
        content: tools.length > 0 ? "A long answer. ".repeat(120) : "- Long answers were given to each.",
      };
    });
    await panel.send("work for a while");
    await panel.button("Stop").waitFor();
    await assertOffered("Stop");
    gate.open();
    await panel.item("A long answer.").waitFor();
    await panel.untilIdle();
    await assertOffered("Compact Now");
    for (const text of ["two", "three", "four", "five"]) await panel.say(text);
    await panel.compactNow();
    await panel.item("Compacted: ").waitFor();
    await panel.untilIdle();
    await assertOffered(...afterCompaction);
    server.refuseConnections();
    await panel.say("are you there?");
    await panel.frame().locator(".banner").waitFor();
    await assertOffered(...afterCompaction, "Start Ollama");
    await server.acceptConnections();
    await panel.frame().locator(".banner").waitFor({ state: "hidden" });
  });

  it("slash commands do what the commands do", async () => {
    await panel.send("/help");
    await panel.frame().getByRole("dialog", { name: "Commands and keys" }).getByText("/compact").waitFor();
    await panel.send("/context");
    await panel.frame().getByRole("dialog", { name: "What fills the context" }).waitFor();
    await panel.workbench.keyboard.press("Escape");
    server.setBrain(({ tools }) => ({
      content:
        tools.length > 0 ? "A long answer. ".repeat(120) : "- The API was decided to be small and stable.",
    }));
    for (const text of ["one", "two", "three", "four", "five"]) await panel.say(text);
    await panel.send("/compact keep the API decisions");
    await panel.item("Compacted: ").waitFor();
    await panel.untilIdle();
    const instruction = server.chats().at(-1)?.request.messages?.at(-1)?.content ?? "";
    assert.match(instruction, /keep the API decisions/);
    await panel.send("/summary");
    await panel.workbench.locator(".tab.active", { hasText: "Summary.md" }).waitFor();
    const chats = server.chats().length;
    await panel.send("/clear");
    await panel.item("Compacted: ").waitFor({ state: "detached" });
    await panel.send("/nonsense");
    await panel.frame().locator(".composer-note", { hasText: "There is no command /nonsense." }).waitFor();
    assert.equal(await panel.composer().inputValue(), "/nonsense");
    await panel.composer().fill("");
    assert.equal(server.chats().length, chats);
  });

  it("the log tells requests and timings, and nothing of what was said or read", async () => {
    writeFileSync(join(root, "secret.txt"), "the harbour key is heliotrope\n");
    let isRead = false;
    server.setBrain(() => {
      if (isRead) return { content: "It says heliotrope." };
      isRead = true;
      return { content: "", toolCalls: [{ name: "read_file", arguments: { path: "secret.txt" } }] };
    });
    await panel.say("what is in secret.txt, and who is Clementine?");
    await panel.runFromPalette("Loom: Open Log");
    const log = await found(
      () =>
        vscode.workspace.textDocuments.find(
          (document) => document.uri.scheme === "output" && isLog(document),
        ),
      vscode.workspace.onDidOpenTextDocument,
      vscode.workspace.onDidChangeTextDocument,
    );
    const text = log.getText();
    assert.match(text, /\/api\/chat/);
    assert.match(text, /\d+ ?(?:ms|s)\b/);
    assert.doesNotMatch(text, /heliotrope|Clementine/);
    rmSync(join(root, "secret.txt"));
    await vscode.commands.executeCommand("workbench.action.closePanel");
  });
});

const isLog = (document: vscode.TextDocument): boolean =>
  document.getText().includes("/api/chat") && document.uri.path.includes("loom");
