import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import vscode = require("vscode");
import { SUMMARY_SENTENCE } from "../../src/core/window/summaryMessage";
import { rehearse, REHEARSAL_MODEL, startRehearsalServer } from "../support/rehearsal";
import { createGate, type ScriptedServer, type SeenChat } from "../support/scriptedServer";
import { root } from "./support/documents";
import { themeNames, type Panel } from "./support/panel";
import { usePanel } from "./support/setUp";

const NUM_CTX = 4096;
const PASSWORD = "periwinkle-7";
const FILES = ["src/menu.ts", "src/basket.ts", "src/discounts.ts", "src/pickup.ts", "src/receipt.ts"];
const rules = join(root, "AGENTS.md");

let panel: Panel;
let server: ScriptedServer;
/** Opened when a summary is asked for, and to let it come. */
const summaryAsked = createGate();
const summaries = createGate();

const isSummary = ({ request }: SeenChat): boolean => (request.tools ?? []).length === 0;
const lastSummary = (): SeenChat => {
  const found = server.chats().findLast(isSummary);
  assert.ok(found, "no summary was asked for");
  return found;
};
const marker = () => panel.item(/^Compacted: /);

describe("the walkthrough at num_ctx 4096", () => {
  usePanel((given) => ({ panel, server } = given), {
    startServer: startRehearsalServer,
    settings: { model: REHEARSAL_MODEL, numCtx: NUM_CTX },
    after: async () => {
      rmSync(rules, { force: true });
      await panel.setTheme("Default Dark Modern");
      await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    },
  });

  before(async () => {
    server.setBrain(async (request) => {
      if (request.tools.length > 0) return rehearse(request);
      summaryAsked.open();
      await summaries.opened;
      return rehearse(request);
    });
    await panel.startSession();
  });

  it("four files after the password the meter passes 80 %, says so, and the conversation is compacted by itself", async () => {
    await panel.say(`The deploy password is ${PASSWORD}.`);
    // A system prompt that is built afresh after this has it, a copy of the first one has not.
    writeFileSync(rules, "Always answer in short sentences.\n");
    let used = 0;
    for (const file of FILES) {
      await panel.send(`Read ${file}`);
      await panel.item(`read_file on ${file} gave`).waitFor();
      await Promise.race([panel.untilIdle(), summaryAsked.opened]);
      if (server.chats().some(isSummary)) break;
      const now = await panel.meter();
      assert.ok(now.used > used, `${now.used} after ${file}, ${used} before`);
      assert.ok(!now.text.includes("nearly full"), now.text);
      used = now.used;
    }
    await panel
      .frame()
      .getByText(/^Compacting \d+ messages, [\d,]+ \/ 4,096 tokens$/)
      .waitFor();
    const full = await panel.meter();
    assert.equal(full.window, NUM_CTX);
    assert.ok(full.used > Math.floor(NUM_CTX * 0.8), full.text);
    assert.match(full.text, /Context nearly full$/);
    await panel.frame().locator('[data-level="near"]').getByText("Context nearly full").waitFor();
    await panel.screenshot("walkthrough-compacting");
    summaries.open();
    await marker().waitFor();
    await panel.untilIdle();
    const title = (await marker().innerText()).trim();
    assert.match(title, /^Compacted: \d+ messages, [\d,]+ → ~?[\d,]+ tokens, .+, automatic at 80\s?%$/);
    const after = await panel.meter();
    assert.match(after.text, /^about /);
    assert.ok(after.used < full.used / 2, `${full.used} → ${after.used}`);
  });

  it("the password is told after the compaction, with the meter measured at less than half", async () => {
    const chats = server.chats().length;
    await panel.say("What is the deploy password?");
    await panel.item(`The deploy password is ${PASSWORD}.`).last().waitFor();
    const answer = panel.frame().locator("li.entry.loom").last();
    assert.match(await answer.innerText(), new RegExp(`The deploy password is ${PASSWORD}\\.`));
    const { used, text } = await panel.meter();
    assert.doesNotMatch(text, /^about /);
    const before = lastSummary().request.messages;
    assert.ok(used < (NUM_CTX * 0.8) / 2, text);
    const [next] = server.chats().slice(chats);
    assert.ok(next);
    assertRebuilt(next, before);
    assert.equal(next.request.messages?.at(-1)?.content, "What is the deploy password?");
  });

  it("Compact Now from the palette does the same whatever the meter says", async () => {
    for (const file of FILES.slice(0, 2)) await panel.say(`Read ${file}`);
    const before = await panel.meter();
    assert.doesNotMatch(before.text, /nearly full/);
    await panel.compactNow();
    await marker().nth(1).waitFor();
    await panel.untilIdle();
    assert.match((await marker().nth(1).innerText()).trim(), /^Compacted: .*, by hand$/);
    assert.ok((await panel.meter()).used < before.used);
    const chats = server.chats().length;
    await panel.say("What is the deploy password?");
    const [next] = server.chats().slice(chats);
    assert.ok(next);
    assertRebuilt(next, lastSummary().request.messages);
    await panel.item(`The deploy password is ${PASSWORD}.`).nth(2).waitFor();
  });

  it("every request named the same window, forbade cutting, and was inside the window", () => {
    assert.deepEqual(server.problems, []);
    for (const { request, promptTokens, generatedTokens, windowTokens, index } of server.chats()) {
      assert.equal(request.options?.["num_ctx"], NUM_CTX);
      assert.equal(request.truncate, false);
      assert.equal(windowTokens, promptTokens, `request ${index} was cut or refused`);
      assert.ok(promptTokens + generatedTokens <= NUM_CTX, `request ${index}`);
    }
    const asked = server.chats().filter(isSummary);
    assert.equal(asked.length, 2);
    for (const { request } of asked) {
      assert.deepEqual(request.tools ?? [], []);
      assert.ok(request.messages?.every(({ role }) => role !== "system"));
      assert.equal(request.messages?.at(-1)?.role, "user");
    }
    assert.equal(server.reloads, 0);
  });

  it("takes on the colours of the four themes", async () => {
    await vscode.window.showTextDocument(vscode.Uri.file(join(root, "src", "basket.ts")));
    await panel.setSideBarWidth(440);
    await panel.send("/pin Never touch legacy/.");
    await panel.button("1 pin").waitFor();
    await marker().last().locator("summary").first().click();
    await marker().last().locator(".marker-sections").waitFor();
    const seen = new Set<string>();
    for (const theme of themeNames) {
      await panel.setTheme(theme);
      assert.deepEqual(await panel.tooWide(), [], theme);
      seen.add(await panel.colours());
      await panel.screenshot(`walkthrough-${theme.toLowerCase().replaceAll(" ", "-")}`);
    }
    assert.equal(seen.size, themeNames.length, [...seen].join("; "));
  });
});

/**
 * Design §2.4: a fresh system prompt, the bracketed sentence with the summary, and the end of what was summarised, word for word;
 * thinking apart, which the request for a summary does not hold.
 */
function assertRebuilt({ request }: SeenChat, summarised: SeenChat["request"]["messages"]): void {
  const [system, summary, ...rest] = request.messages ?? [];
  const [first] = server.chats();
  assert.equal(system?.role, "system");
  assert.match(system.content ?? "", /Always answer in short sentences/);
  assert.doesNotMatch(first?.request.messages?.[0]?.content ?? "", /Always answer in short sentences/);
  assert.equal(summary?.role, "user");
  assert.ok(summary.content?.startsWith(`${SUMMARY_SENTENCE}\n\n`), summary.content ?? "");
  assert.ok(summary.content?.includes(PASSWORD));
  const conversation = summarised?.slice(0, -1) ?? [];
  const tail = rest.slice(0, -1).map(({ thinking, ...message }) => message);
  assert.notEqual(tail.length, 0);
  assert.notEqual(tail[0]?.role, "tool");
  assert.deepEqual(tail, conversation.slice(-tail.length));
}
