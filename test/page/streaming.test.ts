import assert from "node:assert/strict";
import { test } from "node:test";
import type { SessionEvent } from "../../src/shared/live";
import { usePanels, withPanel, type Panel } from "./support/panel";
import { answered, call, logged, result, said, viewAfter } from "./support/sessions";

usePanels();

const delta = (text: string, thinking = ""): SessionEvent => ({ type: "reply_delta", text, thinking });
const STARTED: SessionEvent = { type: "reply_started", id: "r1" };

test("a reply streams as Markdown and keeps its element when it is complete", async () => {
  const text = "One *two* three.\n\n- four\n- five\n\n```ts\nconst six = 6;\n```\n\nseven **eight**";
  await withPanel({ view: viewAfter(said("?")) }, async (panel) => {
    await panel.events(STARTED, delta("", "I think."));
    await panel.page.getByText("Thinking", { exact: true }).first().waitFor();
    for (let start = 0; start < text.length; start += 7)
      await panel.events(delta(text.slice(start, start + 7)));
    const element = await panel.page.locator(".loom").elementHandle();
    const streamed = await panel.page.locator(".loom .markdown").innerText();
    await panel.events(answered(text, { thinking: "I think." }));
    assert.equal(await panel.page.locator(".loom").count(), 1);
    assert.equal(await element?.evaluate((item) => item.isConnected), true);
    assert.equal(await panel.page.locator(".loom .markdown").innerText(), streamed);
    assert.equal(await panel.page.locator(".loom .hljs-keyword").textContent(), "const");
    await panel.page.getByText("Thought", { exact: true }).waitFor();
  });
});

test("the finished reply looks the same whether it streamed or came in one piece", async () => {
  const text =
    "Intro with [a reference][r].\n\n1. one\n\n   more of one\n2. two\n\n[r]: https://example.com/r\n\n---\n\n    indented code\n\nlast\n=====\n";
  await withPanel({ view: viewAfter(said("?")) }, async (panel) => {
    await panel.events(STARTED);
    for (const character of text) await panel.events(delta(character));
    await panel.events(answered(text), said("again"), answered(text));
    const shapes = await panel.page
      .locator(".markdown")
      .evaluateAll((answers) =>
        answers.map((answer) =>
          [...answer.querySelectorAll("*")].map((part) => `${part.tagName}:${part.className}`),
        ),
      );
    assert.equal(shapes.length, 2);
    assert.deepEqual(shapes[0], shapes[1]);
    assert.equal(await panel.page.getByRole("link", { name: "a reference" }).count(), 2);
  });
});

test("a discarded reply disappears, and what happens meanwhile stands above the reply that streams", async () => {
  await withPanel({ view: viewAfter(said("?")) }, async (panel) => {
    await panel.events(STARTED, delta("void"));
    await panel.events({ type: "reply_discarded" });
    assert.equal(await panel.page.getByText("void").count(), 0);
    await panel.events({ type: "reply_started", id: "r2" }, delta("good"));
    await panel.events(logged({ type: "notice", level: "info", text: "The window is smaller." }));
    const order = await panel.page.locator(".transcript > li").allInnerTexts();
    assert.match(order[1] ?? "", /The window is smaller/);
    assert.match(order[2] ?? "", /good/);
  });
});

test("a reply that is complete and the next one within one frame are two answers", async () => {
  await withPanel({ view: viewAfter(said("?")) }, async (panel) => {
    await panel.events(STARTED, delta("first"));
    await panel.events(
      answered("first", { toolCalls: [call("c1", "read_file", { path: "a" })] }),
      result("c1"),
      { type: "reply_started", id: "r2" },
      delta("second"),
    );
    const texts = await panel.page.locator(".transcript > li .markdown").allInnerTexts();
    assert.deepEqual(texts, ["first", "second"]);
    assert.equal(await panel.page.locator(".transcript > li").count(), 4);
  });
});

/** Counts the changes that `action` makes to the page, by whether they are inside the reply that streams. */
async function changesBy(panel: Panel, action: () => Promise<void>) {
  await panel.page.evaluate(() => {
    const counts = { inside: 0, outside: [] as string[] };
    const last = document.querySelector(".transcript > li:last-child");
    const observer = new MutationObserver((records) => {
      for (const { target, type } of records) {
        if (last?.contains(target)) counts.inside += 1;
        else counts.outside.push(`${type} ${target.nodeName} ${target.parentElement?.className ?? ""}`);
      }
    });
    observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
    Object.assign(window, { loomTestChanges: counts });
  });
  await action();
  return panel.page.evaluate(
    () => (window as unknown as { loomTestChanges: { inside: number; outside: string[] } }).loomTestChanges,
  );
}

test("in a conversation of 2,000 entries a piece of text changes nothing but the reply that it belongs to", async () => {
  const turns = Array.from({ length: 500 }, (_, turn) => [
    said(`Question ${turn}`),
    answered(`Answer **${turn}**\n\n- a\n- b`, {
      toolCalls: [call(`c${turn}`, "read_file", { path: "a.ts" })],
    }),
    result(`c${turn}`),
    logged({ type: "notice", level: "info", text: `Notice ${turn}` }),
  ]).flat();
  await withPanel({ view: viewAfter(...turns) }, async (panel) => {
    assert.equal(await panel.page.locator(".transcript > li").count(), 2_000);
    await panel.events(STARTED, delta("Streaming\n\nsettled\n\n"));
    const changes = await changesBy(panel, async () => {
      for (let piece = 0; piece < 20; piece += 1) await panel.events(delta(`word ${piece} `));
    });
    assert.deepEqual(changes.outside, []);
    assert.ok(changes.inside > 0);
  });
});

test("a piece of text leaves the finished blocks of its own reply alone", async () => {
  await withPanel({ view: viewAfter(said("?")) }, async (panel) => {
    await panel.events(STARTED, delta("First.\n\n```js\nlet a;\n```\n\nSecond"));
    const code = await panel.page.locator(".code-block").elementHandle();
    const paragraph = await panel.page.getByText("First.").elementHandle();
    await panel.events(delta(" and more.\n\nThird"));
    await panel.events(answered("First.\n\n```js\nlet a;\n```\n\nSecond and more.\n\nThird."));
    for (const block of [code, paragraph])
      assert.equal(await block?.evaluate((part) => part.isConnected), true);
    assert.match(await panel.page.locator(".markdown").innerText(), /Second and more\.\s+Third\./);
  });
});
