import assert from "node:assert/strict";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { openPalette } from "../../scripts/editor/palette";
import { asksForSummary } from "../support/asksForSummary";
import { rehearse, REHEARSAL_MODEL, startRehearsalServer } from "../support/rehearsal";
import type { ScriptedServer, ScriptedToolCall } from "../support/scriptedServer";
import { root } from "./support/documents";
import { Panel } from "./support/panel";
import { useServer } from "./support/scripted";

let main: Panel;
let server: ScriptedServer;
let stopServer: () => Promise<void>;
/** A folder that only the windows of these tests have open. */
let folder: string;
let window: Panel;

const FILES = ["src/menu.ts", "src/basket.ts", "src/pickup.ts"];
const WORDS = ["alpha", "beta"];
/** What is summarised when it is asked for again. */
const ANEW = "- anew: SELECT port FROM t_ord_7";

const bar = () => window.workbench.locator('.statusbar-item[id^="loom.loom"]');
const marker = () => window.item(/^Compacted: /);
const transcript = () => window.frame().getByRole("list", { name: "Conversation" }).innerText();

const pathOf = (name: string) => join(folder, name);

/** A turn in which the model makes these calls, each of which is agreed to. */
async function changeFiles(...toolCalls: readonly ScriptedToolCall[]): Promise<void> {
  let isCalled = false;
  server.setBrain((request) => {
    if (isCalled) return rehearse(request);
    isCalled = true;
    return { content: "", toolCalls };
  });
  await window.send("Change the files");
  const cards = window.frame().getByRole("group", { name: /^Approval needed: / });
  for (let left = toolCalls.length; left > 0; left -= 1) {
    const name = (await cards.getAttribute("aria-label")) ?? "";
    await cards.getByRole("button", { name: "Allow", exact: true }).click();
    // By its name: the next question may follow so soon that nobody sees the time between them.
    await window.frame().getByRole("group", { name, exact: true }).waitFor({ state: "detached" });
  }
  await window.button("Restore…").waitFor();
  await window.untilIdle();
}

describe("windows of their own", () => {
  before(async function () {
    main = await Panel.connect();
    if (!main.canOpenWindows) this.skip();
    server = await startRehearsalServer();
    stopServer = await useServer(server, { model: REHEARSAL_MODEL });
    folder = mkdtempSync(join(tmpdir(), "loom-window-"));
    cpSync(join(root, "src"), join(folder, "src"), { recursive: true });
    window = await main.openWindow(folder);
  });

  after(async () => {
    await window?.close();
    await stopServer?.();
    if (folder) rmSync(folder, { recursive: true });
    await main.close();
  });

  it("a window in which nobody uses Loom does not activate it", async () => {
    await window.workbench.locator('.statusbar-item[id="status.problems"]').waitFor();
    await openPalette(window.workbench);
    await window.quickInput().locator(".monaco-list-row").first().waitFor();
    await window.workbench.keyboard.press("Escape");
    assert.equal(await bar().count(), 0);
    await window.runFromPalette("Loom: Focus Chat");
    await bar().filter({ hasText: REHEARSAL_MODEL }).waitFor();
    await window.frame().locator("textarea:focus").waitFor();
  });

  it("a reload brings back transcript, meter, summary and the unsent draft; a turn from before it can be restored", async () => {
    writeFileSync(pathOf("kept.txt"), "one\n");
    writeFileSync(pathOf("gone.txt"), "here\n");
    await changeFiles(
      { name: "edit_file", arguments: { path: "kept.txt", old_text: "one", new_text: "1" } },
      { name: "edit_file", arguments: { path: "new.txt", old_text: "", new_text: "made\n" } },
      { name: "bash", arguments: { command: "rm gone.txt" } },
    );
    for (const text of ["The port is 48213.", ...FILES.map((file) => `Read ${file}`)]) await window.say(text);
    await window.compactNow();
    await marker().waitFor();
    await window.untilIdle();
    await marker().locator("summary").first().click();
    server.setBrain((request) => (asksForSummary(request) ? { content: ANEW } : rehearse(request)));
    await marker().getByRole("button", { name: "Regenerate", exact: true }).click();
    await marker()
      .locator(".markdown", { hasText: ANEW.slice(2) })
      .waitFor();
    await window.untilIdle();
    // A reload folds it.
    await marker().locator("summary").first().click();
    await marker().locator(".marker-sections").waitFor({ state: "hidden" });
    await window.send("/pin Never touch legacy/.");
    await window.button("1 pin").waitFor();
    await window.say("What is the port?");
    const before = { transcript: await transcript(), meter: await window.meter() };
    await window.composer().click();
    await window.composer().pressSequentially("half a thought");
    // The answer to a click on the meter comes after everything that was typed has reached the extension host.
    await window.frame().locator(".meter-button").click();
    await window.frame().getByRole("dialog", { name: "What fills the context" }).waitFor();
    await window.reload();
    await window.runFromPalette("Loom: Focus Chat");
    await window.item("What is the port?").waitFor();
    assert.deepEqual({ transcript: await transcript(), meter: await window.meter() }, before);
    assert.equal(await window.composer().inputValue(), "half a thought");
    await window.composer().fill("");
    const chats = server.chats().length;
    await window.say("What is the port?");
    const [last, next] = server.chats().slice(chats - 1);
    const known = last?.request.messages ?? [];
    assert.deepEqual(next?.request.messages?.slice(0, known.length), known);
    await window.runFromPalette("Loom: Show Summary");
    await window.workbench.locator(".tab.active", { hasText: "Summary.md" }).waitFor();
    assert.deepEqual(
      [readFileSync(pathOf("kept.txt"), "utf8"), existsSync(pathOf("gone.txt"))],
      ["1\n", false],
    );
    await window.button("Restore…").click();
    await window.quickInput().getByRole("button", { name: "OK" }).click();
    await window.frame().getByRole("listitem", { name: "Files taken back" }).waitFor();
    assert.deepEqual(
      ["kept.txt", "gone.txt"].map((name) => readFileSync(pathOf(name), "utf8")),
      ["one\n", "here\n"],
    );
    assert.ok(!existsSync(pathOf("new.txt")));
  });

  it("after the reload a summary has its versions, pins are there, and the compaction can be undone", async () => {
    await marker().locator("summary").first().click();
    const versions = marker().getByRole("group", { name: "Summaries" }).getByRole("button");
    await versions.nth(1).waitFor();
    assert.equal(await versions.count(), 2);
    await window.button("1 pin").waitFor();
    await window.say("six");
    const messages = () => server.chats().at(-1)?.request.messages ?? [];
    assert.ok(messages()[1]?.content?.includes(ANEW));
    await marker().getByRole("button", { name: "Undo", exact: true }).click();
    await marker().getByText("Undone: the context holds the messages").waitFor();
    await window.say("seven");
    assert.equal(messages()[1]?.content, "Change the files");
    assert.ok(messages().some(({ content }) => content === "six"));
  });

  it("S01: damaged session files are named and kept aside, and what can be read opens", async () => {
    for (const word of WORDS) {
      await window.startSession();
      await window.say(`The first word is ${word}.`);
      await window.say(`The last word is ${word}${word}.`);
    }
    const damaged: { readonly path: string; readonly cut: string }[] = [];
    for (const word of WORDS) {
      const path = sessionFile(`The first word is ${word}.`);
      const text = await whenStored(path, 2);
      const cut = text.slice(0, text.indexOf(`${word}${word}`));
      writeFileSync(path, cut);
      damaged.push({ path, cut });
    }
    await window.reload();
    await window.runFromPalette("Loom: Focus Chat");
    await window.item("The first word is beta.").waitFor();
    for (const word of WORDS) {
      await window
        .toast(`The file of the session “The first word is ${word}.” was damaged: 1 of its lines`)
        .waitFor();
    }
    for (const { path, cut } of damaged) {
      const names = readdirSync(dirname(path)).filter(
        (name) => name.startsWith(basename(path)) && name.endsWith(".damaged"),
      );
      assert.equal(names.length, 1, names.join("\n"));
      assert.equal(readFileSync(join(dirname(path), names[0] ?? ""), "utf8"), cut);
    }
    assert.equal(await window.item("The last word is").count(), 0);
    await window.screenshot("damaged-sessions");
    await window.runFromPalette("Loom: Show Sessions");
    await window.quickInput().locator(".monaco-list-row", { hasText: "The first word is alpha." }).click();
    await window.item("The first word is alpha.").waitFor();
    await window.say("What is the first word?");
    await window.item("The first word is alpha.").nth(1).waitFor();
  });

  it("without a folder chat works, and the file tools say why they do not", async () => {
    await window.close();
    window = await main.openWindow(undefined);
    await window.runFromPalette("Loom: Focus Chat");
    await window.frame().getByText("No folder is open. Loom can chat, but").waitFor();
    await window.button("Open folder").waitFor();
    await window.say("The port is 48213.");
    await window.say("What is the port?");
    await window.item("The port is 48213.").last().waitFor();
    for (const request of ["Read src/menu.ts", 'Create a.txt with "a"', "Run `ls`"]) {
      await window.say(request);
      const messages = server.chats().at(-1)?.request.messages;
      const result = messages?.findLast(({ role }) => role === "tool")?.content ?? "";
      assert.match(
        result,
        /^No folder (is open, so there are no files to work on|on a disk is open, so commands cannot run)\./,
      );
    }
    assert.equal(await window.frame().locator("li.tool", { hasText: "no folder is open" }).count(), 3);
    await window.screenshot("no-folder");
  });
});

/** The session file, of any workspace, that holds this message. */
function sessionFile(message: string): string {
  const data = join(process.env["LOOM_DATA_FOLDER"] ?? "", "data");
  const found = readdirSync(data, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => join(data, name))
    .filter((path) => readFileSync(path, "utf8").includes(message));
  assert.equal(found.length, 1, found.join("\n"));
  return found[0] ?? "";
}

/** A session file's text once so many turns are stored to their end: the panel shows a turn before the disk has it. */
async function whenStored(path: string, turns: number): Promise<string> {
  for (;;) {
    const text = readFileSync(path, "utf8");
    if (text.split('"type":"turn_ended"').length > turns && text.endsWith("\n")) return text;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
