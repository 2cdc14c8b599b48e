import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import vscode = require("vscode");
import { createGate, type Brain, type ScriptedServer, type SeenChat } from "../support/scriptedServer";
import { activeEditor, root } from "./support/documents";
import { FACTS, LONG, rewriteEditor, usedInTable } from "./support/steering";
import type { Panel } from "./support/panel";
import { useSessions } from "./support/setUp";

const notes = join(root, "notes.txt");

let panel: Panel;
let server: ScriptedServer;
let summary: Brain;

const marker = () => panel.item(/^Compacted: /).last();
const inMarker = (name: string) => marker().getByRole("button", { name, exact: true });
const lastChat = (): SeenChat => {
  const chat = server.chats().findLast(({ request }) => (request.tools ?? []).length > 0);
  assert.ok(chat, "no chat was asked for");
  return chat;
};
/** The messages of the last request that was no summary's. */
const sent = (): string => JSON.stringify(lastChat().request.messages);
const slot = (): string => lastChat().request.messages?.[1]?.content ?? "";

/** A conversation that was compacted by hand, with this focus. */
async function compacted(focus = ""): Promise<void> {
  await panel.say(FACTS);
  for (const text of ["two", "three", "four", "five"]) await panel.say(text);
  await panel.compactNow(focus);
  await marker().waitFor();
  await panel.untilIdle();
}

async function unfold(): Promise<void> {
  await marker().locator("summary").first().click();
  await marker().locator(".marker-sections").waitFor();
}

describe("a compaction is seen, steered and taken back", () => {
  useSessions((given) => ({ panel, server } = given), {
    settings: { numCtx: 4096 },
  });

  after(() => rmSync(notes, { force: true }));

  beforeEach(async () => {
    summary = () => ({ content: "- The person counted; the answers were long." });
    server.setBrain((request) => (request.tools.length > 0 ? { content: LONG } : summary(request)));
    await vscode.commands.executeCommand("notifications.clearAll");
  });

  it("C09: the marker says why, how much and with what focus; exact values of the first turn are in the next request", async () => {
    await compacted("keep the ports");
    const asked = server.chats().at(-1)?.request.messages?.at(-1)?.content ?? "";
    assert.match(asked, /keep the ports/);
    await unfold();
    const text = await marker().innerText();
    for (const part of [
      /Why\s+By hand/,
      /Focus\s+keep the ports/,
      /\d+ summarised, \d+ kept word for word/,
    ]) {
      assert.match(text, part);
    }
    await panel.say("six");
    for (const fact of ["48213", "t_ord_7", "never touch legacy/"]) assert.ok(slot().includes(fact), fact);
    // Measured now: no “~” before what it came to.
    assert.match(await marker().locator(".marker-title").innerText(), /[\d,]+ → [\d,]+ tokens/);
  });

  it("undo: the next request begins with the bytes of the last one before the compaction", async () => {
    await compacted();
    const before = sent();
    await unfold();
    await inMarker("Undo").click();
    await marker().getByText("Undone: the context holds the messages").waitFor();
    await panel.say("after the undo");
    assert.ok(sent().startsWith(before.slice(0, -1)));
    await panel.send("/undo");
    await panel.frame().locator(".composer-note", { hasText: "nothing is compacted" }).waitFor();
  });

  it("the summary is edited in an editor: the next request has it; an empty one and one that changed meanwhile are not saved", async () => {
    await compacted();
    await unfold();
    await inMarker("Edit").click();
    await panel.workbench.locator(".tab.active", { hasText: "Summary.md" }).waitFor();
    await rewriteEditor(panel, "- written by me: port 48213");
    await marker().getByText("written by me: port 48213").waitFor();
    await panel.say("six");
    assert.ok(slot().includes("written by me: port 48213"));
    await rewriteEditor(panel, "");
    await panel.toast("The summary is empty").waitFor();
    assert.equal(vscode.window.activeTextEditor?.document.isDirty, true);
    await vscode.commands.executeCommand("notifications.clearAll");
    // Written anew while the editor holds unsaved changes: the editor asks before it loses either.
    summary = () => ({ content: "- anew: SELECT port FROM t_ord_7" });
    await marker().getByRole("textbox", { name: "Wish for the new summary" }).fill("keep the SQL");
    await inMarker("Regenerate").click();
    await marker().locator(".markdown", { hasText: "SELECT port" }).waitFor();
    await panel.untilIdle();
    await rewriteEditor(panel, "- mine again");
    await panel.toast("newer").waitFor();
    await panel.say("seven");
    assert.ok(slot().includes("SELECT port FROM t_ord_7"));
    await vscode.commands.executeCommand("workbench.action.files.revert");
    const versions = marker().getByRole("group", { name: "Summaries" }).getByRole("button");
    assert.deepEqual(await versions.allInnerTexts(), [
      "1. First",
      "2. Edited",
      "3. Regenerated “keep the SQL”",
    ]);
    await versions.nth(1).click();
    await panel.workbench.locator(".view-line", { hasText: "written by me: port 48213" }).waitFor();
    await panel.say("eight");
    assert.ok(slot().includes("written by me: port 48213"));
  });

  it("pins: a message and a selection in an editor are in the context word for word from the next compaction on", async () => {
    writeFileSync(notes, "Deploy only from branch  release/2.4.\nAnd another line.\n");
    await panel.say("Table t_ord_7 is read-only.");
    const before = await panel.meter();
    await panel.item("Table t_ord_7 is read-only.").hover();
    await panel.item("Table t_ord_7 is read-only.").getByRole("button", { name: "Pin" }).click();
    await panel.button("1 pin").waitFor();
    const selection = new vscode.Range(0, 0, 0, 37);
    await vscode.window.showTextDocument(vscode.Uri.file(notes), { selection });
    await panel.runFromPalette("Loom: Pin Selection");
    await panel.button("2 pins").waitFor();
    assert.deepEqual(await panel.meter(), before);
    for (const text of ["two", "three", "four", "five"]) await panel.say(text);
    assert.ok(!sent().includes("release/2.4"));
    await panel.compactNow();
    await marker().waitFor();
    await panel.untilIdle();
    await panel.say("six");
    assert.ok(slot().includes("Pinned by the user, word for word:\n- Table t_ord_7 is read-only."));
    assert.ok(slot().includes("- Deploy only from branch  release/2.4."));
    const composer = panel.composer();
    await composer.fill(`/pin ${"one more word ".repeat(180)}`);
    await composer.press("Enter");
    await panel.frame().locator(".composer-note", { hasText: "at most 409 fit" }).waitFor();
    await panel.button("2 pins").click();
    const list = panel.frame().getByRole("dialog", { name: "Pins" });
    await list.getByRole("button", { name: "Unpin: Table t_ord_7 is read-only." }).click();
    await panel.button("1 pin").waitFor();
    await panel.workbench.keyboard.press("Escape");
  });

  it("before it happens: from 70 % on it is said, and “Not now” leaves it out once", async () => {
    const forecast = panel.frame().locator(".forecast");
    for (let turn = 0; !(await forecast.isVisible()); turn++) await panel.say(`turn ${turn}`);
    assert.match(await forecast.innerText(), /Compacts by itself (at 80\s%|when the turn)/);
    await panel.button("Preview").click();
    const dialog = panel.frame().getByRole("dialog", { name: "What fills the context" });
    await dialog.getByText(/messages would be summarised, \d+ kept word for word/).waitFor();
    await panel.workbench.keyboard.press("Escape");
    await panel.button("Not now").click();
    await forecast.getByText("left out once").waitFor();
    await panel.say("over the threshold");
    await panel.say("and once more");
    await marker().waitFor();
    await panel.untilIdle();
    assert.match(await marker().locator(".marker-title").innerText(), /automatic|before a request/);
  });

  it("C06: stopped in the middle, everything is as it was, and what was sent meanwhile goes out once", async () => {
    await panel.say(FACTS);
    for (const text of ["two", "three", "four", "five"]) await panel.say(text);
    const before = sent();
    const asked = createGate();
    const never = createGate();
    summary = () => {
      asked.open();
      return { content: "- half of the summary", before: () => never.opened };
    };
    await panel.compactNow();
    await asked.opened;
    await panel.send("the first message?");
    const waiting = panel.frame().getByRole("list", { name: "Messages that wait" });
    await waiting.getByText("the first message?").waitFor();
    await panel.composer().pressSequentially("draft");
    await panel.button("Stop").click();
    await panel.item("the first message?").last().waitFor();
    await panel.untilIdle();
    never.open();
    assert.ok(sent().startsWith(before.slice(0, -1)));
    assert.equal(sent().split("the first message?").length, 2);
    assert.equal(await panel.item(/^Compacted: /).count(), 0);
    assert.equal(await panel.composer().inputValue(), "draft");
    await panel.composer().fill("");
  });

  it("the context: parts add up to the meter, a result is dropped and restored, and the next request is shown exactly", async () => {
    writeFileSync(notes, "a line of the notes\n".repeat(120));
    let isRead = false;
    server.setBrain(() => {
      if (isRead) return { content: "I have read it." };
      isRead = true;
      return { content: "", toolCalls: [{ name: "read_file", arguments: { path: "notes.txt" } }] };
    });
    await panel.say("Read notes.txt.");
    const { used } = await panel.meter();
    await panel.send("/context");
    const dialog = panel.frame().getByRole("dialog", { name: "What fills the context" });
    assert.equal(await usedInTable(dialog), used);
    await dialog.getByRole("button", { name: "Drop the result of read_file notes.txt" }).click();
    await dialog.getByText("Dropped from the context").waitFor();
    assert.ok((await panel.meter()).used < used - 300);
    await panel.screenshot("steering-context");
    await dialog.getByRole("button", { name: "Show request" }).click();
    await panel.workbench.locator(".tab.active", { hasText: "Next request.json" }).waitFor();
    const { document } = await activeEditor("Next request.json");
    const shown: unknown = JSON.parse(document.getText());
    await panel.say("and now?");
    const { body } = lastChat();
    assert.ok(
      typeof body === "object" && body !== null && "messages" in body && Array.isArray(body.messages),
    );
    const steady = (value: unknown) => JSON.stringify(value).replace(/"num_predict":\d+/, "");
    assert.equal(steady(shown), steady({ ...body, messages: body.messages.slice(0, -1) }));
    assert.ok(!sent().includes("a line of the notes"));
    await panel.item("You dropped this result").getByRole("button", { name: "Restore" }).click();
    await panel.item("You dropped this result").waitFor({ state: "hidden" });
    await panel.say("and again?");
    assert.ok(sent().includes("a line of the notes"));
  });

  it("a narrow panel and a wide one show all of it", async () => {
    await compacted("the ports");
    await panel.send("/pin Never touch legacy/.");
    await panel.button("1 pin").waitFor();
    await unfold();
    for (const width of [240, 600, 440]) {
      await panel.setSideBarWidth(width);
      assert.deepEqual(await panel.tooWide(), [], `at ${width}`);
      await panel.screenshot(`steering-${width}`);
    }
  });
});
