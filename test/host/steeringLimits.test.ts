import assert from "node:assert/strict";
import vscode = require("vscode");
import type { ScriptedServer } from "../support/scriptedServer";
import type { Panel } from "./support/panel";
import { setLoom } from "./support/scripted";
import { usePanel } from "./support/setUp";
import { LONG } from "./support/steering";

const WORDS = "הסיסמה היא periwinkle-7, ולעולם אין לגעת ב-legacy/.";
const SUMMARY = "- האדם מסר סיסמה וביקש לספור; התשובות היו ארוכות.";

let panel: Panel;
let server: ScriptedServer;

const marker = () => panel.item(/^Compacted: /).last();
const slot = () =>
  server.chats().findLast(({ request }) => (request.tools ?? []).length > 0)?.request.messages?.[1];

/** The direction in which a text of the marker is read. */
const directionOf = (text: string) =>
  marker()
    .getByText(text)
    .first()
    .evaluate((element) => getComputedStyle(element).direction);

describe("a compaction in another language, and one that cannot be undone", () => {
  usePanel((given) => ({ panel, server } = given), {
    server: { brain: ({ tools }) => ({ content: tools.length > 0 ? LONG : SUMMARY }) },
    settings: { numCtx: 4096 },
    after: () => vscode.commands.executeCommand("notifications.clearAll"),
  });

  before(() => panel.startSession());

  it("the summary is asked for in the conversation's language, and what is read from right to left stands right", async () => {
    for (const text of [WORDS, "two", "three", "four", "five"]) await panel.say(text);
    await panel.compactNow("");
    await marker().waitFor();
    await panel.untilIdle();
    const instruction = server.chats().at(-1)?.request.messages?.at(-1)?.content ?? "";
    assert.match(instruction, /Write in the language of the conversation/);
    await marker().locator("summary").first().click();
    assert.equal(await directionOf("התשובות היו ארוכות"), "rtl");
    assert.equal(await directionOf("periwinkle-7"), "rtl");
    await panel.say("six");
    assert.ok(slot()?.content?.includes(SUMMARY));
    assert.ok(slot()?.content?.includes(WORDS));
    await panel.screenshot("right-to-left");
  });

  it("in a smaller window Undo says why it is off, Regenerate is there, and the next request holds the summary", async () => {
    await setLoom({ numCtx: 2048 });
    await panel.frame().getByText("/ 2,048").waitFor();
    await marker()
      .getByText(/Undo does not fit: the conversation before this would take about/)
      .waitFor();
    assert.equal(await marker().getByRole("button", { name: "Undo", exact: true }).isDisabled(), true);
    assert.equal(await marker().getByRole("button", { name: "Regenerate", exact: true }).isEnabled(), true);
    await panel.say("seven");
    assert.ok(slot()?.content?.includes(WORDS));
  });
});
