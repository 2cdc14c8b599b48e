import assert from "node:assert/strict";
import { test } from "node:test";
import type { Failure, FailureKind } from "../../src/shared/events";
import { usePanels, withPanel } from "./support/panel";
import { logged, said } from "./support/sessions";

usePanels();

/** The buttons beside Retry, each with the command and the argument that it posts. */
const WAYS: Readonly<Record<FailureKind, Readonly<Record<string, string>>>> = {
  not_running: { "Start Ollama": "startOllama ", "Open setting": "openSettings address" },
  wrong_address: { "Open setting": "openSettings address" },
  unauthorized: { "Set access token": "setToken " },
  model_missing: { "Pull qwen3:8b": "pullModel qwen3:8b", "Choose a model": "selectModel " },
  disk_full: { "Pull a model": "pullModel qwen3:8b" },
  no_model: { "Choose a model": "selectModel " },
  no_tools: { "Choose a model": "selectModel " },
  template: { "Choose a model": "selectModel " },
  no_thinking: { "Open setting": "openSettings thinking" },
  window_exceeded: { "Compact Now": "compactNow ", "Open setting": "openSettings numCtx" },
  load_failed: {
    "Choose a smaller window": "selectWindow ",
    "Choose a model": "selectModel ",
    "Open log": "openLog ",
  },
  silent: { "Open setting": "openSettings silenceLimit", "Open log": "openLog " },
  cloud: { "Use it": "allowCloudModel qwen3:8b", "Choose a model": "selectModel " },
  server_error: { "Open log": "openLog " },
  internal: { "Open log": "openLog " },
  busy: {},
  tool_parse: {},
  message_too_long: {},
  interrupted_stream: {},
};

test("every kind of failure has its sentence, Retry, and the buttons that get past it", async () => {
  await withPanel({}, async (panel) => {
    await panel.events(said("?"));
    for (const [kind, ways] of Object.entries(WAYS)) {
      const failure = {
        kind: kind as FailureKind,
        message: `This is ${kind}.`,
        model: "qwen3:8b",
      } satisfies Failure;
      await panel.events(logged({ type: "turn_ended", reason: "failed", failure }));
      const note = panel.page.getByRole("listitem", { name: "End of the turn" }).last();
      assert.match(await note.innerText(), new RegExp(`This is ${kind}\\.`));
      const names = (await note.locator("vscode-button").allTextContents()).map((name) => name.trim());
      assert.deepEqual(names, ["Retry", ...Object.keys(ways)], kind);
      for (const [name, posted] of Object.entries(ways)) {
        const press = () => note.getByRole("button", { name, exact: true }).click();
        const { command, argument } = await panel.postedBy("command", press);
        assert.equal(`${command} ${argument}`, posted, kind);
      }
    }
  });
});
