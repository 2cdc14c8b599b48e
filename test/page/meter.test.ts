import assert from "node:assert/strict";
import { test } from "node:test";
import type { Meter } from "../../src/shared/live";
import { usePanels, withPanel, type Panel } from "./support/panel";
import { BREAKDOWN, DETAILS } from "./support/scenes";
import { compacted, meter, said, viewAfter } from "./support/sessions";

usePanels();

const bar = (panel: Panel) => panel.page.getByRole("meter", { name: "Context window" });

async function shown(panel: Panel, next: Meter) {
  await panel.events({ type: "meter_changed", meter: next });
  const attribute = (name: string) => bar(panel).getAttribute(name);
  return {
    now: await attribute("aria-valuenow"),
    range: [await attribute("aria-valuemin"), await attribute("aria-valuemax")],
    spoken: await attribute("aria-valuetext"),
    figures: await panel.page.locator(".meter-count").textContent(),
    warning: (await panel.page.locator(".meter-warning").isVisible())
      ? await panel.page.locator(".meter-warning").textContent()
      : null,
    width: await panel.page.locator(".meter-fill").evaluate((fill) => fill.style.width),
    tick: await panel.page
      .locator(".meter-tick")
      .evaluate((tick) => parseFloat(tick.style.insetInlineStart).toFixed(2)),
    colour: await panel.page
      .locator(".meter-fill")
      .evaluate((fill) => getComputedStyle(fill).backgroundColor),
  };
}

test("the meter tells tokens used and window, in figures, as a bar with a tick, and to a screen reader", async () => {
  await withPanel({ view: viewAfter(said("?")), reducedMotion: "reduce" }, async (panel) => {
    assert.equal(await bar(panel).count(), 0);
    const measured = await shown(panel, meter(1_024));
    assert.deepEqual(measured, {
      ...measured,
      now: "1024",
      range: ["0", "4096"],
      spoken: "1,024 of 4,096 tokens, 25\u00a0%",
      figures: "1,024 / 4,096",
      warning: null,
      width: "25%",
      tick: "79.98",
    });
    const estimated = await shown(panel, meter(620, { used: { tokens: 620, estimated: true } }));
    assert.equal(estimated.figures, "~620 / 4,096");
    assert.equal(estimated.spoken, "about 620 of 4,096 tokens, 15\u00a0%");
  });
});

test("the warning is in colour and in words, and the meter is honest above the window", async () => {
  await withPanel({ view: viewAfter(said("?")), reducedMotion: "reduce" }, async (panel) => {
    const calm = await shown(panel, meter(1_024));
    const near = await shown(panel, meter(3_470));
    assert.equal(near.warning, "Context nearly full");
    assert.equal(near.spoken, "3,470 of 4,096 tokens, 85\u00a0%, Context nearly full");
    assert.notEqual(near.colour, calm.colour);
    const full = await shown(panel, meter(4_096, { level: "full" }));
    assert.equal(full.warning, "Context full");
    assert.notEqual(full.colour, near.colour);
    const over = await shown(panel, meter(5_012, { level: "full" }));
    assert.deepEqual(
      [over.now, over.width, over.figures, over.warning],
      ["4096", "100%", "5,012 / 4,096", "Context over the window by 916 tokens"],
    );
    assert.equal(over.spoken, "5,012 of 4,096 tokens, 122\u00a0%, Context over the window by 916 tokens");
  });
});

test("a click on the meter, its button and /context ask for the breakdown; Compact Now stands beside it", async () => {
  await withPanel(
    { view: viewAfter(said("?"), { type: "meter_changed", meter: meter(900) }) },
    async (panel) => {
      const asked = async (action: () => Promise<unknown>) =>
        (await panel.postedBy("command", action)).command;
      assert.equal(await asked(() => bar(panel).click()), "showContext");
      const figures = panel.page.getByRole("button", { name: "900 / 4,096" });
      assert.equal(await asked(() => figures.press("Enter")), "showContext");
      assert.equal(
        await asked(() => panel.page.getByRole("button", { name: "Compact Now" }).click()),
        "compactNow",
      );
      assert.equal(panel.of("command").length, 3);
    },
  );
});

test("the breakdown is a table that adds up, and Escape gives the focus back to where it was", async () => {
  await withPanel(
    { view: viewAfter(said("?"), { type: "meter_changed", meter: meter(900) }) },
    async (panel) => {
      const figures = panel.page.getByRole("button", { name: "900 / 4,096" });
      await panel.postedBy("command", () => figures.press("Enter"));
      await panel.tell({ type: "context", breakdown: BREAKDOWN, details: DETAILS });
      const dialog = panel.page.getByRole("dialog", { name: "What fills the context" });
      assert.match(await dialog.innerText(), /3,470 of 4,096 tokens used \(85\s%\)/);
      assert.match(await dialog.innerText(), /Automatic compaction above 3,276 tokens \(80\s%\)/);
      const counts = await dialog.locator(".parts:not(.items) tbody td:nth-child(2)").allTextContents();
      assert.equal(
        counts.map((text) => Number(text.replace(",", ""))).reduce((sum, count) => sum + count),
        4_096,
      );
      const widths = await dialog
        .locator(".segment")
        .evaluateAll((list) =>
          list.map((part) => (part instanceof HTMLElement ? parseFloat(part.style.width) : 0)),
        );
      assert.ok(Math.abs(widths.reduce((sum, width) => sum + width) - 100) < 0.01);
      await panel.tell({
        type: "context",
        breakdown: { ...BREAKDOWN, used: { tokens: 99, estimated: true } },
        details: DETAILS,
      });
      assert.match(await dialog.innerText(), /~99 of 4,096/);
      await panel.page.keyboard.press("Escape");
      assert.equal(await dialog.isVisible(), false);
      assert.equal(await figures.evaluate((button) => button === document.activeElement), true);
    },
  );
});

test("the breakdown of a session closes when another one is shown", async () => {
  const view = viewAfter(said("?"));
  await withPanel({ view }, async (panel) => {
    await panel.tell({ type: "context", breakdown: BREAKDOWN, details: DETAILS });
    const dialog = panel.page.getByRole("dialog");
    await panel.snapshot({ view });
    assert.equal(await dialog.isVisible(), true);
    await panel.snapshot({ view: { ...view, sessionId: "another" } });
    assert.equal(await dialog.isVisible(), false);
  });
});

test("a breakdown larger than the window is shown whole", async () => {
  await withPanel({}, async (panel) => {
    const parts = [
      { name: "system_prompt", tokens: 1_000 },
      { name: "conversation", tokens: 7_192 },
      { name: "free", tokens: 0 },
    ] as const;
    await panel.tell({ type: "context", breakdown: { ...BREAKDOWN, parts }, details: DETAILS });
    const width = await panel.page
      .locator(".segment.part-conversation")
      .evaluate((part) => (part instanceof HTMLElement ? part.style.width : ""));
    assert.equal(Math.round(parseFloat(width)), 88);
    assert.match(await panel.page.getByRole("dialog").innerText(), /176\s%/);
    await panel.page.getByRole("button", { name: "Close" }).click();
    assert.equal(await panel.page.getByRole("dialog").count(), 0);
  });
});

test("the marker names the threshold where the meter knows it", async () => {
  await withPanel(
    { view: viewAfter(said("?"), { type: "meter_changed", meter: meter(900) }) },
    async (panel) => {
      await panel.events(compacted(), compacted({ trigger: "by_hand" }));
      const titles = await panel.page.locator(".marker-title").allTextContents();
      assert.match(titles[0] ?? "", /automatic at 80\s%$/);
      assert.match(titles[1] ?? "", /by hand$/);
    },
  );
});

test("while something goes on a line says what and for how long, and it is gone afterwards", async () => {
  await withPanel({ view: viewAfter(said("?")) }, async (panel) => {
    const line = panel.page.getByRole("group", { name: "Status" });
    const since = Date.now() - 65_000;
    await panel.events({
      type: "phase_changed",
      phase: { name: "compacting", since, messages: 21, used: 3_470, window: 4_096, part: 2, parts: 3 },
    });
    assert.match(
      await line.innerText(),
      /^Compacting 21 messages, 3,470 \/ 4,096 tokens, part 2 of 3\s+1\smin \d+\ss$/,
    );
    const progress = {
      used: 3_470,
      window: 4_096,
      part: 1,
      parts: 1,
      expectedMs: 80_000,
      writtenTokens: 120,
    };
    await panel.events({
      type: "phase_changed",
      phase: { name: "compacting", since, messages: 21, ...progress },
    });
    assert.match(
      await line.innerText(),
      /^Compacting 21 messages, 3,470 \/ 4,096 tokens, ~120 tokens written\s+1\smin \d+\ss of about 1\smin 20\ss$/,
    );
    const before = await line.locator(".phase-time").textContent();
    await panel.until(
      async () => (await line.locator(".phase-time").textContent()) !== before,
      "the time goes on",
    );
    await panel.events({
      type: "phase_changed",
      phase: { name: "waiting", since, what: "request", model: "qwen3:8b" },
    });
    assert.match(await line.innerText(), /^Waiting for the model/);
    await panel.events({ type: "phase_changed", phase: { name: "idle" } });
    assert.equal(await line.count(), 0);
  });
});
