import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import vscode = require("vscode");
import { isAlive } from "../support/isAlive";
import { createGate, type Brain, type ScriptedServer } from "../support/scriptedServer";
import { found, root } from "./support/documents";
import type { Panel } from "./support/panel";
import { callOnce } from "./support/scripted";
import { useSessions } from "./support/setUp";

const greeting = join(root, "greet.txt");

let panel: Panel;
let server: ScriptedServer;

/** The next reply changes the greeting, or runs a command; the one after it answers. */
const change = (old_text: string, new_text: string) =>
  callOnce(server, { name: "edit_file", arguments: { path: "greet.txt", old_text, new_text } });
const run = (command: string) => callOnce(server, { name: "bash", arguments: { command } });
const card = () => panel.frame().getByRole("group", { name: /^Approval needed: / });
/** What the model was told of its call. */
const told = (): string =>
  server
    .chats()
    .at(-1)
    ?.request.messages?.findLast(({ role }) => role === "tool")?.content ?? "";

describe("approvals and waiting messages", () => {
  useSessions((given) => ({ panel, server } = given));

  afterEach(async () => {
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    rmSync(greeting, { force: true });
  });

  it("an edit asks with the whole diff, which also opens in the editor's own diff view; once allowed, it can be undone", async () => {
    const lines = Array.from({ length: 60 }, (_, index) => `line ${index}`);
    writeFileSync(greeting, `hello\n${lines.join("\n")}\nworld\n`);
    const changed = `good morning\n${lines.map((line) => line.toUpperCase()).join("\n")}\nworld\n`;
    change(`hello\n${lines.join("\n")}`, changed.slice(0, -"\nworld\n".length));
    await panel.send("greet better");
    await card().waitFor();
    const diff = await card().getByRole("group", { name: "The whole change" }).innerText();
    for (const line of [
      ...lines.map((text) => `-${text}`),
      ...lines.map((text) => `+${text.toUpperCase()}`),
    ]) {
      assert.ok(diff.split("\n").includes(line), line);
    }
    assert.equal(readFileSync(greeting, "utf8").slice(0, 6), "hello\n");
    await panel.button("Show diff").click();
    await panel.workbench.locator(".tab", { hasText: "greet.txt (change by Loom)" }).waitFor();
    const { tabGroups } = vscode.window;
    const input = await found(() => {
      const shown = tabGroups.activeTabGroup.activeTab?.input;
      return shown instanceof vscode.TabInputTextDiff ? shown : undefined;
    }, tabGroups.onDidChangeTabs);
    const modified = await vscode.workspace.openTextDocument(input.modified);
    assert.equal(modified.getText(), changed);
    await panel.screenshot("show-diff");
    await panel.button("Allow").click();
    await panel.item("That was it.").waitFor();
    await panel.untilIdle();
    assert.equal(readFileSync(greeting, "utf8"), changed);
    const editor = await vscode.window.showTextDocument(vscode.Uri.file(greeting));
    await vscode.commands.executeCommand("undo");
    assert.match(editor.document.getText(), /^hello\nline 0\n/);
    await vscode.commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
  });

  it("a no with a reason changes nothing, and the reason reaches the model", async () => {
    writeFileSync(greeting, "hello\n");
    change("hello", "bye");
    await panel.send("say goodbye");
    await card()
      .getByRole("textbox", { name: "Reason for denying, told to the model" })
      .fill("Rather in greet.md");
    await card().getByRole("button", { name: "Deny", exact: true }).click();
    await panel.item("That was it.").waitFor();
    assert.match(told(), /declined.*greet\.txt was not changed\. Their reason: Rather in greet\.md/s);
    assert.equal(readFileSync(greeting, "utf8"), "hello\n");
    await panel.frame().getByRole("listitem", { name: "Tool call: edit_file greet.txt, denied" }).waitFor();
  });

  it("“for this session” is asked once for edits, and again in a new session", async () => {
    writeFileSync(greeting, "1\n");
    change("1", "2");
    await panel.send("count");
    await panel.button("Allow for this session").click();
    await panel.item("That was it.").waitFor();
    change("2", "3");
    await panel.say("count on");
    assert.equal(readFileSync(greeting, "utf8"), "3\n");
    await panel.startSession();
    change("3", "4");
    await panel.send("count on");
    await card().waitFor();
    await panel.button("Stop").click();
    await panel.item("Stopped.").waitFor();
    assert.equal(readFileSync(greeting, "utf8"), "3\n");
  });

  it("a command asks with all of its text; Stop ends it with what it started, and every call has its result", async () => {
    const pids = join(root, "pids.txt");
    const command = `sleep 600 & echo $! > pids.txt; echo $$ >> pids.txt; echo begun; wait # ${"long ".repeat(60)}end`;
    run(command);
    await panel.send("wait for me");
    await card().waitFor();
    assert.equal(existsSync(pids), false);
    const shown = await card().getByRole("group", { name: "The whole command" }).innerText();
    assert.equal(shown, command);
    await panel.button("Allow").click();
    await panel.frame().getByRole("group", { name: "Output so far" }).getByText("begun").waitFor();
    const started = readFileSync(pids, "utf8").trim().split("\n").map(Number);
    assert.deepEqual(await Promise.all(started.map(isAlive)), [true, true]);
    await panel.screenshot("command");
    await panel.button("Stop").click();
    await panel.item("Stopped.").waitFor();
    await panel.untilIdle();
    assert.deepEqual(await Promise.all(started.map(isAlive)), [false, false]);
    rmSync(pids);
    await panel.say("go on");
    const roles = server
      .chats()
      .at(-1)
      ?.request.messages?.map(({ role }) => role);
    assert.deepEqual(roles, ["system", "user", "assistant", "tool", "user"]);
    assert.match(told(), /^Stopped by the person before it ended by itself\./);
  });

  it("B01, B02: what a command leaves in the background is named, and /clear ends it", async () => {
    const pids = join(root, "pids.txt");
    run("sleep 600 & echo $! > pids.txt; echo begun");
    await panel.send("start it");
    await panel.button("Allow").click();
    await panel.item("That was it.").waitFor();
    await panel.untilIdle();
    assert.match(told(), /^Exit code 0\. A process that it started in the background still runs.*\nbegun\n$/);
    if (process.platform === "linux") assert.match(told(), /still runs \(sleep 600\)/);
    const started = Number(readFileSync(pids, "utf8"));
    assert.ok(await isAlive(started));
    await panel.send("/clear");
    await panel.item("That was it.").waitFor({ state: "detached" });
    assert.equal(await isAlive(started), false);
    rmSync(pids);
  });

  it("B04: under an endless flood of output the panel can be typed in and stopped, and shows the newest lines", async () => {
    run("yes 'a line of the flood'");
    await panel.send("flood");
    await panel.button("Allow").click();
    const output = panel.frame().getByRole("group", { name: "Output so far" });
    await output.getByText("a line of the flood").waitFor();
    assert.ok((await output.innerText()).split("\n").length <= 8);
    await panel.composer().pressSequentially("typed meanwhile");
    assert.equal(await panel.composer().inputValue(), "typed meanwhile");
    await panel.composer().fill("");
    await panel.button("Stop").click();
    await panel.item("Stopped.").waitFor();
    await panel.untilIdle();
    await panel.say("go on");
    assert.match(told(), /^Stopped by the person.*\[… [\d,]+ lines?, [\d,]+ characters left out …\]/s);
  });

  it("Enter in the message field approves nothing: the message waits visibly, can be taken back, and goes out once", async () => {
    writeFileSync(greeting, "hello\n");
    change("hello", "bye");
    await panel.send("say goodbye");
    await card().waitFor();
    await panel.send("and tell me when");
    await panel.send("never mind");
    const waiting = panel.frame().getByRole("list", { name: "Messages that wait" }).getByRole("listitem");
    await waiting.nth(1).waitFor();
    await panel.composer().press("Enter");
    await panel.composer().press("Enter");
    assert.equal(await card().count(), 1);
    assert.equal(readFileSync(greeting, "utf8"), "hello\n");
    await waiting.filter({ hasText: "never mind" }).getByRole("button", { name: "Edit" }).click();
    await waiting.nth(1).waitFor({ state: "detached" });
    assert.equal(await panel.composer().inputValue(), "never mind");
    await panel.composer().fill("");
    await panel.screenshot("waiting");
    await card().getByRole("button", { name: "Deny", exact: true }).click();
    await panel.item("That was it.").nth(1).waitFor();
    await panel.untilIdle();
    const typed = server
      .chats()
      .at(-1)
      ?.request.messages?.filter(({ role }) => role === "user");
    assert.deepEqual(
      typed?.map(({ content }) => content),
      ["say goodbye", "and tell me when"],
    );
    assert.equal(await waiting.count(), 0);
  });

  it("C07: what is typed and sent during a compaction is kept, and goes out once after it", async () => {
    server.setBrain(() => ({ content: "A long answer. ".repeat(120) }));
    for (const text of ["one", "two", "three", "four", "five"]) await panel.say(text);
    const summary = createGate();
    const brain: Brain = async ({ tools }) => {
      if (tools.length > 0) return { content: "Next." };
      await summary.opened;
      return { content: "- The person counted to five and got a long answer each time, nothing else." };
    };
    server.setBrain(brain);
    const chats = server.chats().length;
    await panel.button("Compact Now").click();
    await panel.answer("For example: the API decisions", "");
    await panel
      .frame()
      .getByText(/^Compacting \d+ messages/)
      .waitFor();
    await panel.send("next step");
    await panel.frame().getByRole("list", { name: "Messages that wait" }).getByText("next step").waitFor();
    await panel.composer().pressSequentially("draft");
    summary.open();
    await panel.item("Next.").waitFor();
    await panel.untilIdle();
    assert.equal(await panel.composer().inputValue(), "draft");
    await panel.composer().fill("");
    const sent = server.chats().slice(chats);
    assert.equal(sent.length, 2);
    assert.equal(sent[1]?.request.messages?.filter(({ content }) => content === "next step").length, 1);
    assert.equal(sent[1]?.request.messages?.at(-1)?.content, "next step");
    assert.equal(await panel.frame().locator("li.entry.you", { hasText: "next step" }).count(), 1);
  });

  it("C07: what is sent during a compaction that fails goes out once as well", async () => {
    server.setBrain(() => ({ content: "A long answer. ".repeat(120) }));
    for (const text of ["one", "two", "three", "four", "five"]) await panel.say(text);
    const summary = createGate();
    server.setBrain(async ({ tools }) => {
      if (tools.length > 0) return { content: "Next." };
      await summary.opened;
      return { content: "" };
    });
    await panel.send("/compact the numbers");
    await panel
      .frame()
      .getByText(/^Compacting \d+ messages/)
      .waitFor();
    await panel.send("next step");
    await panel.frame().getByRole("list", { name: "Messages that wait" }).getByText("next step").waitFor();
    summary.open();
    await panel.item("Next.").waitFor();
    await panel.untilIdle();
    await panel.item("Compaction failed.").waitFor();
    const messages = server.chats().at(-1)?.request.messages ?? [];
    assert.equal(messages.filter(({ content }) => content === "next step").length, 1);
    assert.ok(messages.some(({ content }) => content === "one"));
    assert.equal(await panel.frame().locator("li.entry.you", { hasText: "next step" }).count(), 1);
  });
});
