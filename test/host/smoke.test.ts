import assert from "node:assert/strict";
import vscode = require("vscode");
import { Panel } from "./support/panel";

describe("the extension in a real VS Code", () => {
  let panel: Panel;

  before(async () => {
    panel = await Panel.connect();
  });

  after(async () => {
    await panel.close();
  });

  it("is there with its view and its command, and activates with the first use", async () => {
    const extension = vscode.extensions.getExtension("loom.loom");
    assert.ok(extension, "loom.loom is not among the extensions");
    await vscode.commands.executeCommand("loom.focusChat");
    assert.equal(extension.isActive, true);
  });

  it("resolves its view: the page shows a field for the message", async () => {
    await panel.open();
    assert.equal(await panel.composer().isEditable(), true);
    await panel.screenshot("smoke");
  });
});
