import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import * as z from "zod/mini";
import { HeldMessages } from "../../../src/vscode/entry/heldMessages";
import { CHAT_VIEW, COMMAND_NAMES, SUMMARY_SCHEME } from "../../../src/vscode/entry/names";

const Manifest = z.object({
  activationEvents: z.array(z.string()),
  contributes: z.object({
    commands: z.array(z.object({ command: z.string() })),
    views: z.object({ loom: z.array(z.object({ id: z.string() })) }),
  }),
});

describe("what is there when activation ends", () => {
  const manifest = Manifest.parse(JSON.parse(readFileSync("package.json", "utf8")));

  test("the names are those of the manifest", () => {
    const { commands, views } = manifest.contributes;
    const inManifest = commands.map(({ command }) => command);
    const names = COMMAND_NAMES.map((name) => `loom.${name}`);
    assert.deepEqual(
      inManifest.filter((command) => !names.some((name) => name === command)),
      [],
    );
    // Only a button of the panel asks for a particular cloud model.
    assert.deepEqual(
      names.filter((name) => !inManifest.includes(name)),
      ["loom.allowCloudModel"],
    );
    assert.deepEqual(
      views.loom.map(({ id }) => id),
      [CHAT_VIEW],
    );
    assert.deepEqual(manifest.activationEvents, [`onFileSystem:${SUMMARY_SCHEME}`]);
  });

  test("what the page says before anyone listens is heard, in its order and once", () => {
    const messages = new HeldMessages();
    messages.pass("ready");
    messages.pass("draft");
    const heard: unknown[] = [];
    const stop = messages.listen((message) => heard.push(message));
    messages.pass("send");
    assert.deepEqual([...heard], ["ready", "draft", "send"]);
    stop();
    messages.pass("later");
    assert.deepEqual([...heard], ["ready", "draft", "send"]);
    messages.listen((message) => heard.push(message));
    assert.deepEqual([...heard], ["ready", "draft", "send", "later"]);
  });

  test("a listener that has been replaced stops without stopping the one in its place", () => {
    const messages = new HeldMessages();
    const heard: unknown[] = [];
    const stopFirst = messages.listen(() => heard.push("first"));
    messages.listen((message) => heard.push(message));
    stopFirst();
    messages.pass("send");
    assert.deepEqual([...heard], ["send"]);
  });
});
