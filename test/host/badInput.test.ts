import assert from "node:assert/strict";
import vscode = require("vscode");
import type { ScriptedServer } from "../support/scriptedServer";
import type { Panel } from "./support/panel";
import { setLoom } from "./support/scripted";
import { useSessions } from "./support/setUp";

let panel: Panel;
let server: ScriptedServer;

const problem = () => panel.frame().locator("li.note.problem").last();
/** What the person said, as the newest request tells the model. */
const said = () =>
  server
    .chats()
    .at(-1)
    ?.request.messages?.filter(({ role }) => role === "user")
    .map(({ content }) => content);

/** Settings that cannot be used, with what the message about them says and what stands in for them. */
const BAD_SETTINGS = [
  {
    values: { address: "not a url" },
    named:
      'The setting loom.address is "not a url", which is not the address of a server. Write it like http://127.0.0.1:11434',
  },
  {
    values: { address: "ftp://somewhere" },
    named: 'The setting loom.address is "ftp://somewhere", which is not the address of a server.',
  },
  {
    values: { numCtx: 1 },
    named:
      "The setting loom.numCtx is 1, which cannot be used: it should be a whole number from 2048 to 1048576. Loom uses 8192 instead.",
  },
  {
    values: { numCtx: "abc" },
    named:
      'The setting loom.numCtx is "abc", which cannot be used: it should be a whole number from 2048 to 1048576. Loom uses 8192 instead.',
  },
] as const;

describe("bad input", () => {
  useSessions((given) => ({ panel, server } = given), { server: { pullable: [{ name: "wanted:1b" }] } });

  afterEach(() => vscode.commands.executeCommand("notifications.clearAll"));

  for (const { values, named } of BAD_SETTINGS) {
    it(`${JSON.stringify(values)} is named with the way out, and nothing already said is lost`, async () => {
      await panel.say("The port is 48213.");
      await setLoom(values);
      await panel.toast(named).waitFor();
      await panel.toast(named).getByRole("button", { name: "Open Setting" }).waitFor();
      await panel.item("The port is 48213.").waitFor();
      await setLoom({ address: server.url, numCtx: undefined });
      await panel.frame().locator(".banner").waitFor({ state: "hidden" });
      await panel.say("And the host?");
      assert.deepEqual(said(), ["The port is 48213.", "And the host?"]);
    });
  }

  it("“Open Setting” of such a message opens the setting", async () => {
    await setLoom({ roundLimit: 0 });
    await panel
      .toast("The setting loom.roundLimit is 0")
      .getByRole("button", { name: "Open Setting" })
      .click();
    await panel.workbench
      .locator(".settings-editor .setting-item-contents", { hasText: "Round Limit" })
      .waitFor();
    await setLoom({ roundLimit: undefined });
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
  });

  it("a model that does not exist is named, can be pulled or exchanged, and the message goes out once after that", async () => {
    await panel.say("The port is 48213.");
    await setLoom({ model: "no-such:1b" });
    await panel.frame().locator(".banner", { hasText: "no-such:1b is not installed" }).waitFor();
    await panel.say("And the host?");
    assert.match(
      await problem().innerText(),
      /There is no model no-such:1b on .*ollama pull no-such:1b, or choose another one\./,
    );
    await problem().getByRole("button", { name: "Pull no-such:1b" }).waitFor();
    await panel.screenshot("model-missing");
    await setLoom({ model: "scripted" });
    await panel.frame().locator(".banner").waitFor({ state: "hidden" });
    await problem().getByRole("button", { name: "Retry" }).click();
    await panel.item("OK.").nth(1).waitFor();
    await panel.untilIdle();
    assert.deepEqual(said(), ["The port is 48213.", "And the host?"]);
    assert.equal(await panel.frame().locator("li.entry.you").count(), 2);
  });

  it("a missing model is pulled by its button, and Loom is then ready", async () => {
    await setLoom({ model: "wanted:1b" });
    await panel.frame().getByRole("heading", { name: "wanted:1b is not installed" }).waitFor();
    await panel.button("Pull wanted:1b").click();
    await panel.frame().getByRole("heading", { name: "What shall we work on?" }).waitFor();
    assert.equal(server.requestsTo("/api/pull").length, 1);
    await setLoom({ model: "scripted" });
  });

  it("when the server stops in mid-answer the partial answer stays, marked, and Retry sends nothing twice", async () => {
    await panel.say("The port is 48213.");
    server.setBrain(() => ({
      content: "The beginning of an answer that breaks off here",
      chunkSize: 8,
      fault: { kind: "reset", afterChunks: 4 },
      thenRefuse: true,
    }));
    await panel.say("Tell me more.");
    const partial = panel.frame().locator("li.entry.loom", { hasText: "The beginning of an answer" });
    assert.match(await partial.innerText(), /Partial answer/);
    assert.match(
      await problem().innerText(),
      /broke in the middle of the answer of scripted .*What came is kept\./,
    );
    await panel.frame().locator(".banner", { hasText: "Ollama is not answering" }).waitFor();
    await panel.screenshot("partial-answer");
    server.setBrain(() => ({ content: "The whole answer." }));
    await problem().getByRole("button", { name: "Retry" }).click();
    await panel.item("Nothing answers at").waitFor();
    await server.acceptConnections();
    await problem().getByRole("button", { name: "Retry" }).click();
    await panel.item("The whole answer.").waitFor();
    await panel.untilIdle();
    assert.deepEqual(said(), ["The port is 48213.", "Tell me more."]);
    assert.equal(
      server
        .chats()
        .at(-1)
        ?.request.messages?.some(({ content }) => content?.includes("breaks off") ?? false),
      false,
    );
    assert.match(await partial.innerText(), /Partial answer/);
    assert.equal(await panel.frame().locator("li.entry.you").count(), 2);
    assert.equal(await panel.frame().getByRole("button", { name: "Retry" }).count(), 0);
  });
});
