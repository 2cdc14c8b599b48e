import assert from "node:assert/strict";
import { test } from "node:test";
import type { ModelStatus, PageCommand } from "../../src/shared/protocol";
import { usePanels, withPanel } from "./support/panel";
import { logged, READY, said, viewAfter } from "./support/sessions";

usePanels();

const address = "http://127.0.0.1:11434";

interface Case {
  readonly status: ModelStatus;
  readonly says: RegExp;
  readonly actions: Readonly<Record<string, PageCommand>>;
}

const CASES: readonly Case[] = [
  {
    status: { state: "checking", address },
    says: /Looking for Ollama at http:\/\/127\.0\.0\.1:11434/,
    actions: {},
  },
  {
    status: { state: "unreachable", address, kind: "not_running", message: "" },
    says: /Ollama is not answering[^]*http:\/\/127\.0\.0\.1:11434/,
    actions: { "Start Ollama": "startOllama", "Check again": "checkAgain", "Open settings": "openSettings" },
  },
  {
    status: { state: "unreachable", address, kind: "wrong_address", message: "That is a router." },
    says: /There is no Ollama at this address[^]*That is a router\./,
    actions: { "Check again": "checkAgain", "Open settings": "openSettings" },
  },
  {
    status: { state: "unreachable", address, kind: "unauthorized", message: "It wants a token." },
    says: /Ollama asks for an access token[^]*It wants a token\./,
    actions: { "Set access token": "setToken", "Check again": "checkAgain" },
  },
  {
    status: { state: "unreachable", address, kind: "busy", message: "Wait a moment." },
    says: /Ollama is not answering[^]*Wait a moment\./,
    actions: { "Check again": "checkAgain", "Open settings": "openSettings" },
  },
  {
    status: { state: "no_models", address },
    says: /no model yet/,
    actions: { "Pull a model": "pullModel", "Check again": "checkAgain" },
  },
  {
    status: { state: "none_chosen", address, installed: ["a", "b"] },
    says: /2 models/,
    actions: { "Choose a model": "selectModel" },
  },
  {
    status: { state: "missing", address, model: "qwen3:8b" },
    says: /qwen3:8b is not installed/,
    actions: { "Pull qwen3:8b": "pullModel", "Choose a model": "selectModel" },
  },
  {
    status: { state: "cloud", address, model: "big:cloud" },
    says: /big:cloud does not run on this machine[^]*leave this machine/,
    actions: { "Use it": "allowCloudModel", "Choose a model": "selectModel" },
  },
  {
    status: { state: "no_tools", address, model: "gemma" },
    says: /gemma cannot call tools/,
    actions: { "Choose a model": "selectModel" },
  },
];

for (const { status, says, actions } of CASES) {
  const names = Object.keys(actions).join(", ") || "nothing to press";
  test(`the empty panel says that the state is ${status.state} and offers ${names}`, async () => {
    await withPanel({ status }, async (panel) => {
      const empty = panel.page.locator(".empty");
      assert.match(await empty.innerText(), says);
      for (const [name, command] of Object.entries(actions)) {
        const press = () => empty.getByRole("button", { name, exact: true }).click();
        assert.equal((await panel.postedBy("command", press)).command, command);
      }
      const pulled = panel.of("command").find(({ command }) => command === "pullModel");
      assert.equal(pulled?.argument ?? "", pulled && "model" in status ? status.model : "");
    });
  });
}

for (const isRefused of [false, true]) {
  test(`S03: an address of the workspace's that is ${isRefused ? "refused" : "not decided"} is named as text, with the way to decide`, async () => {
    const otherAddress = { url: "http://theirs.example:1/<b>x</b>", isRefused };
    await withPanel({ status: { ...READY, otherAddress } }, async (panel) => {
      const text = panel.page.locator(".empty").getByText("http://theirs.example:1/<b>x</b>");
      assert.match(await text.innerText(), isRefused ? /you refused/ : /before you agree/);
      const press = () => panel.page.getByRole("button", { name: "Choose address" }).click();
      assert.equal((await panel.postedBy("command", press)).command, "chooseAddress");
    });
  });
}

test("without a folder the panel says what does not work and opens one", async () => {
  await withPanel({ hasFolder: false }, async (panel) => {
    assert.match(await panel.page.locator(".empty").innerText(), /No folder is open\. Loom can chat/);
    const press = () => panel.page.getByRole("button", { name: "Open folder" }).click();
    assert.equal((await panel.postedBy("command", press)).command, "openFolder");
  });
});

test("when all is ready there are examples that go into the field, and the first message takes their place", async () => {
  await withPanel({}, async (panel) => {
    const examples = panel.page.getByRole("list", { name: "Examples" }).getByRole("button");
    assert.equal(await examples.count(), 3);
    const text = await examples.first().innerText();
    await examples.first().click();
    assert.equal(await panel.field.inputValue(), text);
    assert.equal((await panel.postedBy("send", () => panel.page.keyboard.press("Enter"))).text, text);
    await panel.events(logged({ type: "notice", level: "info", text: "Only a notice." }));
    assert.equal(await examples.first().isVisible(), true);
    await panel.events(said(text));
    assert.equal(await panel.page.locator(".empty").isVisible(), false);
  });
});

test("when the server goes away in a conversation a slim banner says so until it is back", async () => {
  await withPanel({ view: viewAfter(said("?")) }, async (panel) => {
    const banner = panel.page.locator(".banner");
    assert.equal(await banner.isVisible(), false);
    await panel.tell({
      type: "status",
      status: { state: "unreachable", address, kind: "not_running", message: "" },
    });
    assert.match(await banner.innerText(), /Ollama is not answering/);
    assert.equal(await panel.page.locator(".empty").isVisible(), false);
    const press = () => banner.getByRole("button", { name: "Check again" }).click();
    assert.equal((await panel.postedBy("command", press)).command, "checkAgain");
    await panel.tell({ type: "status", status: READY });
    assert.equal(await banner.isVisible(), false);
  });
});

test("the rehearsal model is called what it is for as long as it answers, with the way to a real one", async () => {
  const status = { ...READY, isRehearsal: true };
  await withPanel({ view: viewAfter(said("?")), status }, async (panel) => {
    await panel.page.getByText("Rehearsal model: this is not an AI.").click();
    const press = () => panel.page.getByRole("button", { name: "Open ollama.com" }).click();
    assert.equal((await panel.postedBy("open_link", press)).url, "https://ollama.com/download");
    await panel.tell({ type: "status", status: READY });
    assert.equal(await panel.page.getByText("Rehearsal model").isVisible(), false);
  });
});

test("an error in the page is reported to the host", async () => {
  await withPanel({}, async (panel) => {
    await panel.page.evaluate(() => {
      window.dispatchEvent(new ErrorEvent("error", { error: new Error("broken page") }));
      window.postMessage({ type: "nonsense" });
    });
    await panel.until(() => panel.of("page_error").length === 2, "both are reported");
    const messages = panel.of("page_error").map(({ message }) => message);
    assert.match(messages[0] ?? "", /broken page/);
    assert.match(messages[1] ?? "", /does not understand: \{"type":"nonsense"\}/);
    panel.problems.length = 0;
  });
});
