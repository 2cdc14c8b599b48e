import axe from "axe-core";
import assert from "node:assert/strict";
import { test } from "node:test";
import { usePanels, withPanel } from "./support/panel";
import { BREAKDOWN, DETAILS } from "./support/scenes";
import { answered, logged, meter, said, viewAfter } from "./support/sessions";
import { asked, heard, STEERED, TAKEN_BACK, unfolded } from "./support/steering";

usePanels();

test("a message is pinned whole or what is selected in it; the list takes pins back", async () => {
  const view = viewAfter(said("Never touch legacy/.\nDeploy from main."), answered("I **will** not."));
  await withPanel({ view }, async (panel) => {
    const pins = panel.page.getByRole("button", { name: "Pin", exact: true });
    const whole = "Never touch legacy/.\nDeploy from main.";
    assert.deepEqual(await asked(panel, () => pins.nth(0).press("Enter")), { do: "pin", text: whole });
    await panel.page.locator(".you .said").evaluate((element) => {
      const range = document.createRange();
      range.setStart(element.firstChild ?? element, 0);
      range.setEnd(element.firstChild ?? element, 20);
      getSelection()?.removeAllRanges();
      getSelection()?.addRange(range);
    });
    const part = { do: "pin", text: "Never touch legacy/." } as const;
    assert.deepEqual(await asked(panel, () => pins.nth(0).click()), part);
    // What is selected elsewhere is not meant.
    const answer = { do: "pin", text: "I **will** not." } as const;
    assert.deepEqual(await asked(panel, () => pins.nth(1).click()), answer);
    const told = await heard(
      panel,
      { type: "meter_changed", meter: meter(900) },
      logged({ type: "pinned", pinId: "p1", text: "Never touch legacy/." }),
      {
        type: "steering_changed",
        steering: { isAutomatic: true, undo: null, pins: { tokens: 40, most: 409 } },
      },
    );
    assert.equal(told, "Pinned. The context holds it from the next compaction on.");
    await panel.page.getByRole("button", { name: "1 pin" }).press("Enter");
    const list = panel.page.getByRole("dialog", { name: "Pins" });
    assert.match(await list.innerText(), /About 40 of at most 409 tokens/);
    const unpin = list.getByRole("button", { name: "Unpin: Never touch legacy/." });
    assert.deepEqual(await asked(panel, () => unpin.press("Enter")), { do: "unpin", pinId: "p1" });
    await panel.events(logged({ type: "unpinned", pinId: "p1" }));
    assert.match(await list.innerText(), /Nothing is pinned/);
    await panel.page.keyboard.press("Escape");
    await panel.field.fill("/unpin 3");
    await panel.field.press("Enter");
    await panel.page.locator(".composer-note", { hasText: "There is no pin 3." }).waitFor();
    await panel.field.fill("/pins");
    await panel.field.press("Enter");
    await list.waitFor();
  });
});

test("from 70 % on it is said when compaction comes, and it can be put off once", async () => {
  const steering = { isAutomatic: true, undo: null, pins: { tokens: 0, most: 409 } };
  await withPanel({ view: viewAfter(said("?")) }, async (panel) => {
    const forecast = panel.page.locator(".forecast");
    await panel.events(
      { type: "steering_changed", steering },
      { type: "meter_changed", meter: meter(2_867) },
    );
    assert.equal(await forecast.isVisible(), false);
    await panel.events({ type: "meter_changed", meter: meter(2_900) });
    assert.match(await forecast.innerText(), /Compacts by itself at 80\s%: about 376 tokens left/);
    const preview = forecast.getByRole("button", { name: "Preview" });
    assert.equal((await panel.postedBy("command", () => preview.press("Enter"))).command, "showContext");
    await panel.events({ type: "meter_changed", meter: meter(3_500) });
    assert.match(await forecast.innerText(), /Compacts by itself when the turn has ended/);
    const notNow = forecast.getByRole("button", { name: "Not now" });
    assert.deepEqual(await asked(panel, () => notNow.press("Enter")), { do: "postpone" });
    await panel.events(logged({ type: "compaction_postponed" }));
    assert.match(await forecast.innerText(), /left out once/);
    assert.equal(await notNow.isVisible(), false);
    await panel.events({ type: "steering_changed", steering: { ...steering, isAutomatic: false } });
    assert.equal(await forecast.isVisible(), false);
  });
});

test("the context names its largest items: one goes to each, drops a result and brings it back", async () => {
  await withPanel({ view: TAKEN_BACK, width: 500 }, async (panel) => {
    const [largest] = DETAILS.largest;
    const tool = TAKEN_BACK.entries.find(({ kind }) => kind === "tool");
    assert.ok(largest && tool);
    const item = { ...largest, entryId: tool.id, resultId: "dropped-1" };
    const details = { ...DETAILS, largest: [item], dropped: [item] };
    await panel.tell({ type: "context", breakdown: BREAKDOWN, details });
    const dialog = panel.page.getByRole("dialog", { name: "What fills the context" });
    const drop = dialog.getByRole("button", { name: "Drop the result of read_file src/answer.ts" });
    const dropped = { do: "drop_result", resultId: "dropped-1" } as const;
    assert.deepEqual(await asked(panel, () => drop.press("Enter")), dropped);
    const again = await panel.postedBy("command", () =>
      panel.events(logged({ type: "result_restored", resultId: "dropped-1" })),
    );
    assert.equal(again.command, "showContext");
    await panel.events(logged({ type: "result_dropped", resultId: "dropped-1" }));
    assert.match(
      await dialog.innerText(),
      /14 messages would be summarised, 2 kept word for word\. About 3,470 → at most 1,650 tokens\./,
    );
    const show = dialog.getByRole("button", { name: "Show request" });
    assert.equal((await panel.postedBy("command", () => show.click())).command, "showRequest");
    await dialog.getByRole("button", { name: "read_file src/answer.ts", exact: true }).press("Enter");
    assert.equal(await dialog.isVisible(), false);
    const card = panel.page.getByRole("listitem", { name: /^Tool call: read_file/ });
    assert.equal(await card.evaluate((element) => element === document.activeElement), true);
    const restore = card.getByRole("button", { name: "Restore" });
    const restored = { do: "restore_result", resultId: "dropped-1" } as const;
    assert.deepEqual(await asked(panel, () => restore.press("Enter")), restored);
  });
});

test("right-to-left text stands right, and axe finds nothing in pins and context", async () => {
  await withPanel({ view: STEERED, width: 400 }, async (panel) => {
    await panel.page.evaluate(axe.source);
    const markers = await unfolded(panel);
    const arabic = markers.nth(1).locator(".markdown li").last();
    const [line, list] = await arabic.evaluate((element) => {
      const range = document.createRange();
      range.selectNodeContents(element);
      return [range.getBoundingClientRect().right, element.getBoundingClientRect().right];
    });
    assert.ok(Math.abs((line ?? 0) - (list ?? 99)) < 2, "the line ends at the right edge");
    for (const open of ["/pins", "context"]) {
      if (open === "context") await panel.tell({ type: "context", breakdown: BREAKDOWN, details: DETAILS });
      else {
        await panel.field.fill(open);
        await panel.field.press("Enter");
      }
      const { violations } = await panel.page.evaluate(() =>
        (window as unknown as { axe: typeof axe }).axe.run(document, { resultTypes: ["violations"] }),
      );
      assert.deepEqual(
        violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`),
        [],
      );
    }
  });
});
