import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import vscode = require("vscode");
import { asksForSummary } from "../support/asksForSummary";
import {
  createGate,
  startScriptedServer,
  type ScriptedServer,
  type SeenChat,
} from "../support/scriptedServer";
import type { Panel } from "./support/panel";
import { setLoom } from "./support/scripted";
import { usePanel } from "./support/setUp";
import { LONG } from "./support/steering";

let panel: Panel;
let server: ScriptedServer;

const row = (text: string | RegExp) =>
  panel.quickInput().locator(".monaco-list-row").filter({ hasText: text });
const phase = () => panel.frame().getByRole("group", { name: "Status" });
const setting = (name: string) => vscode.workspace.getConfiguration("loom").get<unknown>(name);

/** Where a download waits: before which line of its progress, and for what. */
let pause: { readonly line: number; readonly until: Promise<void> } | undefined;

/** Answers the next modal dialog, which the editor does not show in tests, and resolves with what it asks. */
function answerDialog(answer: string | undefined): Promise<[text: string, options: vscode.MessageOptions]> {
  const { showWarningMessage } = vscode.window;
  return new Promise((resolve) => {
    vscode.window.showWarningMessage = (text: string, options: vscode.MessageOptions | string) => {
      vscode.window.showWarningMessage = showWarningMessage;
      if (typeof options !== "string") resolve([text, options]);
      return Promise.resolve(answer) as Promise<undefined>;
    };
  });
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 20));
}

describe("models and waiting in the real panel", () => {
  usePanel((given) => ({ panel, server } = given), {
    server: {
      models: [
        {
          name: "scripted",
          size: 4_700_000_000,
          contextLength: 40_960,
          capabilities: ["completion", "tools", "thinking", "vision"],
        },
        { name: "no-tools", capabilities: ["completion"] },
        { name: "big:cloud" },
        { name: "small", contextLength: 2048 },
      ],
      pullable: [{ name: "new:4b", size: 4_000_000_000 }],
      beforePullLine: (line) => (line === pause?.line ? pause.until : undefined),
    },
    after: () => setLoom({ cloudModels: undefined, numCtx: undefined }),
  });

  before(() => panel.startSession());

  it("loads the model when the cursor is in the message field, says what a message waits for, and reads ahead what a compaction left", async () => {
    const gate = createGate();
    await setLoom({ preload: true });
    server.unload("scripted");
    server.playFault("preload", { kind: "hang", afterChunks: 0, until: gate.opened });
    await vscode.commands.executeCommand("workbench.view.explorer");
    await vscode.commands.executeCommand("loom.focusChat");
    const before = server.preloads().length;
    await panel.composer().click();
    await until(() => server.preloads().length > before);
    await panel.send("hello");
    await phase().filter({ hasText: "Loading scripted" }).waitFor();
    await panel.screenshot("loading");
    await panel.button("Stop").click();
    await panel.frame().getByRole("listitem").filter({ hasText: "Stopped." }).waitFor();
    assert.equal(server.chats().length, 0);
    gate.open();
    await panel.say("hello again");
    assert.equal(server.chats().length, 1);
    server.setBrain(({ messages }) => ({
      content: asksForSummary({ messages }) ? "- The port is 48213." : LONG,
    }));
    for (const text of ["two", "three", "four", "five"]) await panel.say(text);
    await panel.compactNow();
    // Nobody puts the cursor anywhere: what is left is read by itself, and the message finds it in the cache.
    const isAhead = ({ request, ended }: SeenChat) => ended && request.options?.["num_predict"] === 1;
    await until(() => server.chats().some(isAhead));
    await setLoom({ preload: false });
    await panel.say("five");
    const [ahead, next] = server.chats().slice(-2);
    assert.ok(ahead && next && isAhead(ahead));
    assert.ok(next.cachedTokens > ahead.promptTokens - 8, `${next.cachedTokens} of ${ahead.promptTokens}`);
    assert.equal(server.reloads, 0);
    server.setBrain(() => ({ content: "OK." }));
    await panel.startSession();
  });

  it("lists what a model can do, what its context costs in memory, and whether it is in memory", async () => {
    const gate = createGate();
    server.playFault("/api/show", { kind: "hang", afterChunks: 0, until: gate.opened }, 3);
    const names = async () =>
      (await panel.quickInput().locator(".monaco-list-row .label-name").allTextContents()).flatMap(
        (text) => /^\W*(\S+:\S+)$/.exec(text)?.[1] ?? [],
      );
    await panel.runFromPalette("Loom: Select Model");
    await row("no-tools").waitFor();
    const shown = await names();
    assert.equal(shown.length, 4, shown.join());
    gate.open();
    await row("cannot call tools, so it can").waitFor();
    assert.deepEqual(await names(), shown, "nothing moves under the pointer");
    await panel.workbench.keyboard.press("Escape");
    await panel.quickInput().waitFor({ state: "hidden" });
    await panel.runFromPalette("Loom: Select Model");
    const detail =
      /4\.7 GB.* · in memory.*calls tools · thinks · sees pictures · trained for 40,960 tokens · 8,192 take about 0\.5 GB/;
    await row(detail).waitFor();
    await row("runs elsewhere: what you send leaves this machine").waitFor();
    await panel.screenshot("models");
    await panel.workbench.keyboard.press("Escape");
    await panel.quickInput().waitFor({ state: "hidden" });
  });

  it("sends nothing to a model that runs elsewhere before somebody agrees, asks once, and does not list it where it is to be hidden", async () => {
    await setLoom({ model: "big:cloud" });
    await panel.frame().getByText("big:cloud does not run on this machine").first().waitFor();
    const chats = server.chats().length;
    await panel.say("hello?");
    await panel.frame().getByRole("listitem").filter({ hasText: "Nothing was sent. Allow it" }).waitFor();
    assert.equal(server.chats().length, chats);
    const banner = panel.frame().locator(".banner");
    await banner.getByRole("button", { name: "Use it" }).waitFor();
    await panel.screenshot("cloud");
    const declined = answerDialog(undefined);
    await banner.getByRole("button", { name: "Use it" }).click();
    const [text, { detail }] = await declined;
    assert.match(text, /^big:cloud does not run on this machine but in Ollama's cloud\.$/);
    assert.match(detail ?? "", /leaves this machine: messages, contents of files, output of commands/);
    await banner.getByRole("button", { name: "Use it" }).waitFor();
    const agreed = answerDialog("Use It");
    await banner.getByRole("button", { name: "Use it" }).click();
    await agreed;
    await banner.waitFor({ state: "hidden" });
    await panel.say("and now?");
    assert.equal(server.chats().at(-1)?.request.model, "big:cloud");
    await setLoom({ cloudModels: "hide" });
    await banner.waitFor();
    await panel.runFromPalette("Loom: Select Model");
    await row("no-tools").waitFor();
    assert.equal(await row("big:cloud").count(), 0);
    await panel.workbench.keyboard.press("Escape");
    await setLoom({ cloudModels: undefined, model: "scripted" });
  });

  it("a model with a smaller window that is chosen in mid-session has the conversation, compacted before it is asked", async () => {
    server.setBrain(({ messages }) => ({
      content: asksForSummary({ messages }) ? "- The port is 48213." : LONG.repeat(4),
    }));
    await panel.say("The port is 48213. Tell me more.");
    await panel.say("And more?");
    const before = server.chats().length;
    await panel.runFromPalette("Loom: Select Model");
    await row(/small.*trained for 2,048 tokens/).click();
    await panel.frame().getByText("/ 2,048").waitFor();
    await panel.say("What is the port?");
    await panel.item(/^Compacted: .*/).waitFor();
    const chats = server.chats().slice(before);
    assert.ok(chats.every(({ request, status }) => status === 200 && request.model === "small:latest"));
    assert.ok(asksForSummary({ messages: chats[0]?.request.messages ?? [] }));
    assert.match(JSON.stringify(chats.at(-1)?.request.messages), /The port is 48213.*What is the port\?/);
    await panel.screenshot("switched");
    await setLoom({ model: "scripted" });
  });

  it("gets a model with progress: cancelled, gone on with, the disk full, and used when it is there", async () => {
    const { workbench } = panel;
    const toast = (text: string | RegExp) => workbench.locator(".notification-list-item", { hasText: text });
    const press = (text: string, name: string) =>
      toast(text).getByRole("button", { name, exact: true }).click();
    const [half, failing] = [createGate(), createGate()];
    pause = { line: 6, until: half.opened };
    await panel.runFromPalette("Loom: Get a Model");
    await panel.answer("qwen3:8b", "new:4b");
    await toast("Getting new:4b: 2.0 of 4.0 GB (50 %)").waitFor();
    await panel.screenshot("pull");
    await press("Getting new:4b", "Cancel");
    await toast("Getting new:4b was stopped at 50 %. What has come is kept.").waitFor();
    await server.waitForAbort();
    half.open();
    const message = "write blob: no space left on device";
    server.playFault("/api/pull", { kind: "error", afterChunks: 3, message });
    pause = { line: 2, until: failing.opened };
    await press("was stopped at 50 %", "Go On");
    await toast("Getting new:4b: 2.4 of 4.0 GB (60 %)").waitFor();
    // The editor keeps the fourth notification within a second to its list.
    await vscode.commands.executeCommand("notifications.showList");
    pause = undefined;
    failing.open();
    await toast(/The disk of .* is full .*Make room there/).waitFor();
    await panel.screenshot("disk-full");
    await press("Make room there", "Try Again");
    await vscode.commands.executeCommand("notifications.showList");
    await toast("new:4b is there.").waitFor();
    assert.equal(server.requestsTo("/api/pull").length, 3);
    await press("new:4b is there.", "Use It");
    await until(() => setting("model") === "new:4b");
    await setLoom({ model: "scripted" });
    await vscode.commands.executeCommand("notifications.clearAll");
  });

  it("a token is asked for, kept for its server, and sent to no other", async () => {
    const other = await startScriptedServer({ token: "periwinkle-7" });
    try {
      await setLoom({ address: other.url });
      const banner = panel.frame().locator(".banner").filter({ hasText: "Ollama asks for an access token" });
      await banner.getByRole("button", { name: "Set access token" }).click();
      const input = panel.quickInput().locator("input[type=password]");
      await input.fill("periwinkle-7");
      await input.press("Enter");
      await banner.waitFor({ state: "hidden" });
      await panel.say("hello?");
      assert.equal(other.chats().length, 1);
      server.forget();
      await setLoom({ address: server.url });
      await panel.say("hello here?");
      assert.ok(server.requests.length > 2);
      assert.ok(server.requests.every(({ headers }) => headers.authorization === undefined));
    } finally {
      await setLoom({ address: server.url });
      await other.close();
    }
  });

  it("a server on another machine is reached by way of the editor's proxy, one on this machine is not", async () => {
    const seen: string[] = [];
    const proxy = createServer((request, response) => {
      seen.push(request.url ?? "");
      response.writeHead(502).end();
    });
    await once(proxy.listen(0, "127.0.0.1"), "listening");
    const { port } = proxy.address() as AddressInfo;
    const http = vscode.workspace.getConfiguration("http");
    try {
      await http.update("proxy", `http://127.0.0.1:${port}`, vscode.ConfigurationTarget.Global);
      await setLoom({ address: "http://ollama.invalid:11434" });
      await until(() => seen.includes("http://ollama.invalid:11434/api/tags"));
      await setLoom({ address: server.url });
      await panel.frame().locator(".banner").waitFor({ state: "hidden" });
      await panel.say("hello by the direct way");
      assert.ok(seen.every((url) => !url.startsWith(server.url)));
    } finally {
      await http.update("proxy", undefined, vscode.ConfigurationTarget.Global);
      proxy.close();
    }
  });

  it("lets the window be chosen with what it costs, also from a failure to load", async () => {
    server.unload("scripted");
    const body = { error: "model requires more system memory (5.6 GiB) than is available (3.1 GiB)" };
    await setLoom({ numCtx: 16_384 });
    server.playFault("preload", { kind: "status", status: 500, body });
    await panel.say("are you there?");
    await panel.frame().getByRole("button", { name: "Choose a smaller window" }).last().click();
    await row(/16,384.*now/).waitFor();
    await panel.screenshot("windows");
    await row(/4,096.*0\.2 GB/).click();
    await until(() => setting("numCtx") === 4096);
  });

  it("a session that is gone back to in the list shows the window that its next request will have", async () => {
    await setLoom({ model: "scripted", numCtx: 8192 });
    await panel.startSession();
    await panel.say("remember this one");
    assert.equal((await panel.meter()).window, 8192);
    await panel.startSession();
    await setLoom({ numCtx: 16_384 });
    await panel.runFromPalette("Loom: Show Sessions");
    await row("remember this one").click();
    await panel.frame().getByRole("listitem").filter({ hasText: "remember this one" }).waitFor();
    await panel.frame().locator('[role="meter"][aria-valuemax="16384"]').waitFor();
    await panel.send("go on");
    const asked = () => server.chats().at(-1)?.request;
    await until(() => asked()?.messages?.at(-1)?.content === "go on");
    assert.equal(asked()?.options?.["num_ctx"], 16_384);
    await panel.untilIdle();
  });
});
