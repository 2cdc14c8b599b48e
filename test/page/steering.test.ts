import assert from "node:assert/strict";
import { test } from "node:test";
import { usePanels, withPanel } from "./support/panel";
import { answered, compacted, logged, said, viewAfter } from "./support/sessions";
import { asked, heard, STEERED, TAKEN_BACK, unfolded } from "./support/steering";

usePanels();

test("the newest marker is undone, edited and written again by keyboard; an older one says why it can't be", async () => {
  await withPanel({ view: STEERED, width: 500 }, async (panel) => {
    const markers = await unfolded(panel);
    const newest = markers.nth(1);
    const compactionId = STEERED.steering?.undo?.compactionId ?? "";
    assert.notEqual(compactionId, "");
    const press = (name: string) => () => newest.getByRole("button", { name, exact: true }).press("Enter");
    assert.deepEqual(await asked(panel, press("Undo")), { do: "undo", compactionId });
    assert.deepEqual(await asked(panel, press("Edit")), { do: "edit_summary", compactionId });
    const wish = newest.getByRole("textbox", { name: "Wish for the new summary" });
    await wish.fill("keep the ports");
    const regenerate = { do: "regenerate", compactionId, wish: "keep the ports" } as const;
    assert.deepEqual(await asked(panel, () => wish.press("Enter")), regenerate);
    assert.deepEqual(await asked(panel, press("Regenerate")), { ...regenerate, wish: "" });
    const older = markers.nth(0);
    assert.match(await older.innerText(), /A later compaction stands on this one/);
    assert.equal(await older.getByRole("button", { name: "Undo" }).count(), 0);
  });
});

test("V03: Enter that confirms a candidate of an input method does not write the summary again", async () => {
  await withPanel({ view: STEERED, width: 500 }, async (panel) => {
    const markers = await unfolded(panel);
    const wish = markers.nth(1).getByRole("textbox", { name: "Wish for the new summary" });
    await wish.fill("端口");
    await wish.evaluate((field) => {
      for (const init of [{ isComposing: true }, { keyCode: 229 }])
        field.dispatchEvent(
          new KeyboardEvent("keydown", { key: "Enter", bubbles: true, composed: true, ...init }),
        );
    });
    assert.deepEqual(panel.of("steer"), []);
    assert.equal((await asked(panel, () => wish.press("Enter"))).do, "regenerate");
    assert.equal(panel.of("steer").length, 1);
  });
});

test("the marker shows the summary in force, its versions and how it came about", async () => {
  await withPanel({ view: STEERED, width: 500 }, async (panel) => {
    const markers = await unfolded(panel);
    const newest = markers.nth(1);
    const text = await newest.innerText();
    for (const part of [
      /SELECT port FROM t_ord_7/,
      /Your words\s+The deploy password is periwinkle-7\./,
      /Pins\s+Port 8443 only\./,
      /Why\s+Automatic at 80\s%/,
      /Messages\s+21 summarised, 6 kept word for word/,
      /Tokens\s+3,470 → ~620 tokens/,
      /Builds on\s+Compaction 1, /,
    ]) {
      assert.match(text, part);
    }
    const versions = newest.getByRole("group", { name: "Summaries" }).getByRole("button");
    assert.deepEqual(await versions.allTextContents(), [
      "1. First",
      "2. Regenerated “keep the SQL”",
      "3. Edited",
    ]);
    assert.equal(await versions.nth(2).getAttribute("aria-pressed"), "true");
    const action = await asked(panel, () => versions.nth(0).press("Enter"));
    assert.ok(action.do === "choose_summary" && action.versionId === action.compactionId);
    const { compactionId, versionId } = action;
    await panel.events(logged({ type: "summary_chosen", compactionId, versionId }));
    assert.match(await newest.innerText(), /src\/parse\.ts read, not changed yet/);
    assert.equal(await versions.nth(0).getAttribute("aria-pressed"), "true");
    const copied = await panel.postedBy("copy", () =>
      newest.getByRole("button", { name: "Copy: Summary" }).click(),
    );
    assert.match(copied.text, /^- Goal: \*\*rename\*\* the parser/);
  });
});

test("while Loom works nothing of a marker can be changed, and an undone one says so", async () => {
  await withPanel({ view: STEERED, width: 500 }, async (panel) => {
    const markers = await unfolded(panel);
    const newest = markers.nth(1);
    const undo = newest.getByRole("button", { name: "Undo", exact: true });
    assert.equal(await undo.isEnabled(), true);
    await panel.events({ type: "phase_changed", phase: { name: "writing", since: 0 } });
    assert.equal(await undo.isEnabled(), false);
    await panel.events({ type: "phase_changed", phase: { name: "idle" } });
    const compactionId = STEERED.steering?.undo?.compactionId ?? "";
    const told = await heard(panel, logged({ type: "compaction_undone", compactionId }));
    assert.equal(told, "Compaction undone.");
    assert.match(await newest.innerText(), /Undone: the context holds the messages themselves again/);
    // The one before is the newest now.
    assert.equal(await markers.nth(0).getByRole("button", { name: "Edit" }).isEnabled(), true);
  });
  await withPanel({ view: TAKEN_BACK, width: 500 }, async (panel) => {
    const newest = (await unfolded(panel)).nth(1);
    assert.equal(await newest.getByRole("button", { name: "Undo", exact: true }).isEnabled(), false);
    assert.match(await newest.innerText(), /about 5,120 of 4,096 tokens\. Regenerate the summary instead/);
  });
});

test("V08: one announcement when a compaction starts, however often its progress is told, and one when it ends", async () => {
  const phase = { name: "compacting", since: 0, messages: 9, used: 1, window: 2, part: 1, parts: 2 } as const;
  await withPanel({ view: viewAfter(said("?")) }, async (panel) => {
    const region = panel.page.getByRole("status");
    await region.evaluate((element) => {
      const told: string[] = [];
      Object.assign(window, { told });
      new MutationObserver(() => told.push(element.textContent ?? "")).observe(element, { childList: true });
    });
    const progress = [1, 2].map((part) => ({ type: "phase_changed" as const, phase: { ...phase, part } }));
    for (const event of [...progress, ...progress]) await panel.events(event);
    await panel.events({ type: "phase_changed", phase: { name: "idle" } });
    for (const event of progress) await panel.events(event);
    await panel.events(compacted(), { type: "phase_changed", phase: { name: "idle" } });
    const told = await panel.page.evaluate(() => (window as unknown as { told: string[] }).told);
    assert.equal(told.length, 4);
    assert.equal(told[0], "Compaction started: 9 messages.");
    assert.equal(told[1], "Compaction ended. The conversation is as it was.");
    assert.match(told[3] ?? "", /^Compacted: 21 messages/);
  });
});

test("what is being read does not move when a marker above it grows", async () => {
  const lines = Array.from({ length: 40 }, (_, index) => answered(`Line ${index}.`));
  const view = viewAfter(said("?"), compacted(), ...lines);
  await withPanel({ view, height: 400 }, async (panel) => {
    const marker = panel.page.getByRole("listitem", { name: "Compaction" });
    await marker.locator("summary").first().click();
    const read = panel.page.getByText("Line 30.", { exact: true });
    await read.scrollIntoViewIfNeeded();
    await panel.page.mouse.wheel(0, -40);
    await panel.drawn();
    const before = await read.boundingBox();
    const compactionId = view.entries.find(({ kind }) => kind === "compaction")?.id ?? "";
    const summary = "- one more point\n".repeat(30);
    await panel.events(logged({ type: "summary_replaced", compactionId, summary, origin: "edited" }));
    const after = await read.boundingBox();
    assert.ok(Math.abs((after?.y ?? 0) - (before?.y ?? 99)) < 1, `${before?.y} → ${after?.y}`);
  });
});

test("what stayed word for word can be copied and gone to", async () => {
  const [first, last] = [said("The first."), said("Now read the parser.")];
  const view = viewAfter(first, last, answered("I **read** it."), compacted({ tailFrom: last.id }));
  await withPanel({ view, width: 500 }, async (panel) => {
    const marker = (await unfolded(panel)).nth(0);
    const copy = marker.getByRole("button", { name: "Copy: Word for word" });
    assert.equal(
      (await panel.postedBy("copy", () => copy.press("Enter"))).text,
      "Now read the parser.\n\nI **read** it.",
    );
    await marker.getByRole("button", { name: "Go to the first of them" }).press("Enter");
    const focused = panel.page.locator("li:focus");
    assert.match(await focused.innerText(), /Now read the parser\./);
  });
});
