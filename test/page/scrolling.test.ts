import assert from "node:assert/strict";
import { test } from "node:test";
import type { SessionEvent } from "../../src/shared/live";
import { usePanels, withPanel, type Panel } from "./support/panel";
import { answered, call, compacted, logged, said, viewAfter } from "./support/sessions";

usePanels();

const line = (number: number): SessionEvent => ({
  type: "reply_delta",
  text: `Line ${number} of a long answer.\n\n`,
  thinking: "",
});

const STREAMING = viewAfter(
  said("?"),
  { type: "reply_started", id: "r1" },
  ...Array.from({ length: 100 }, (_, number) => line(number)),
);

const scroller = (panel: Panel) => panel.page.getByRole("main");
const jump = (panel: Panel) => panel.page.getByRole("button", { name: "Jump to newest" });

function place(panel: Panel): Promise<{ top: number; left: number }> {
  return scroller(panel).evaluate(({ scrollTop, scrollHeight, clientHeight }) => ({
    top: scrollTop,
    left: scrollHeight - scrollTop - clientHeight,
  }));
}

/** One notch of a mouse wheel over the conversation; comes back when the movement has ended. */
async function wheel(panel: Panel, notches: number): Promise<void> {
  await scroller(panel).hover();
  const { top: start } = await place(panel);
  await panel.page.mouse.wheel(0, notches * 100);
  await panel.until(async () => (await place(panel)).top !== start, "scrolling begins");
  let tops: number[] = [];
  await panel.until(async () => {
    tops = [...tops.slice(-3), (await place(panel)).top];
    return tops.length === 4 && new Set(tops).size === 1;
  }, "scrolling comes to rest");
}

test("V05: the first wheel notch upwards stops following, the end starts it again, and a button leads there", async () => {
  await withPanel({ view: STREAMING }, async (panel) => {
    assert.ok((await place(panel)).left <= 2, "starts at the end");
    for (let number = 100; number < 120; number += 1) await panel.events(line(number));
    assert.ok((await place(panel)).left <= 2, "follows");
    assert.equal(await jump(panel).isVisible(), false);

    await wheel(panel, -1);
    const { top } = await place(panel);
    for (let number = 120; number < 160; number += 1) await panel.events(line(number));
    assert.equal((await place(panel)).top, top, "the place holds");
    assert.equal(await jump(panel).isVisible(), true);

    await wheel(panel, 200);
    assert.ok((await place(panel)).left <= 2, "is at the end again");
    for (let number = 160; number < 180; number += 1) await panel.events(line(number));
    assert.ok((await place(panel)).left <= 2, "follows again");

    await wheel(panel, -3);
    await jump(panel).click();
    await panel.drawn();
    assert.ok((await place(panel)).left <= 2, "the button leads to the end");
    assert.equal(await jump(panel).isVisible(), false);
    await panel.events(line(180));
    assert.ok((await place(panel)).left <= 2, "and follows");
  });
});

test("V05: text that arrives before the wheel has moved the page does not pull it down", async () => {
  await withPanel({ view: STREAMING }, async (panel) => {
    await scroller(panel).evaluate((element) => {
      element.dispatchEvent(new WheelEvent("wheel", { deltaY: -100 }));
    });
    const { top } = await place(panel);
    await panel.events(...Array.from({ length: 10 }, (_, number) => line(number)));
    assert.equal((await place(panel)).top, top);
  });
});

test("V05: in a long conversation, whose far entries are not laid out, the place holds just the same", async () => {
  const turns = Array.from({ length: 200 }, (_, turn) => [
    said(`Question ${turn}`),
    answered(`Answer ${turn}\n\n${"- point\n".repeat(turn % 9)}`),
  ]).flat();
  const view = viewAfter(...turns, { type: "reply_started", id: "r1" }, line(0));
  await withPanel({ view }, async (panel) => {
    await panel.drawn();
    assert.ok((await place(panel)).left <= 2, "starts at the end");
    for (let notch = 0; notch < 12; notch += 1) {
      const before = await panel.page.getByText("Question 195").boundingBox();
      await wheel(panel, -1);
      const after = await panel.page.getByText("Question 195").boundingBox();
      const moved = (after?.y ?? 0) - (before?.y ?? 0);
      assert.ok(Math.abs(moved - 100) <= 2, `notch ${notch} moves by itself only: ${moved}`);
    }
    const reading = panel.page.getByText("Question 190");
    const before = (await reading.boundingBox())?.y ?? NaN;
    for (let number = 1; number < 30; number += 1) await panel.events(line(number));
    assert.ok(Math.abs(((await reading.boundingBox())?.y ?? NaN) - before) <= 1);
    await jump(panel).click();
    await panel.drawn();
    assert.ok((await place(panel)).left <= 2, "the button leads to the end");
  });
});

test("the keyboard scrolls the conversation and stops following too", async () => {
  await withPanel({ view: STREAMING }, async (panel) => {
    await scroller(panel).focus();
    await panel.page.keyboard.press("Home");
    await panel.until(async () => (await place(panel)).top === 0, "the beginning is in view");
    await panel.events(line(100));
    assert.equal((await place(panel)).top, 0);
    await panel.page.keyboard.press("End");
    await panel.until(async () => (await place(panel)).left <= 2, "the end is in view");
    await panel.events(line(101));
    assert.ok((await place(panel)).left <= 2);
  });
});

test("sending a message shows the newest", async () => {
  await withPanel({ view: STREAMING }, async (panel) => {
    await wheel(panel, -5);
    await panel.field.fill("next");
    await panel.postedBy("send", () => panel.field.press("Enter"));
    await panel.drawn();
    assert.ok((await place(panel)).left <= 2);
  });
});

test("the end stays in view when the lower part grows or the panel gets lower", async () => {
  await withPanel({ view: STREAMING }, async (panel) => {
    await panel.field.fill("1\n2\n3\n4\n5\n6");
    await panel.events({ type: "phase_changed", phase: { name: "writing", since: 0 } });
    await panel.drawn();
    assert.ok((await place(panel)).left <= 2);
    await panel.page.setViewportSize({ width: 300, height: 400 });
    await panel.drawn();
    assert.ok((await place(panel)).left <= 2);
  });
});

test("the reader's place in a session comes back when the page is made anew", async () => {
  await withPanel({ view: STREAMING }, async (panel) => {
    await wheel(panel, -8);
    const { top } = await place(panel);
    await panel.page.reload();
    await panel.until(() => panel.of("ready").length === 2, "the page says ready again");
    await panel.snapshot({ view: STREAMING });
    assert.equal((await place(panel)).top, top);
    const other = { ...STREAMING, sessionId: "s2" };
    await panel.snapshot({ view: other });
    assert.ok((await place(panel)).left <= 2, "another session is shown from its end");
  });
});

test("what is being read does not move when something above it grows", async () => {
  const turns = Array.from({ length: 30 }, (_, turn) => [said(`Question ${turn}`), answered("Yes.")]).flat();
  const view = viewAfter(
    said("?"),
    compacted(),
    answered("", { toolCalls: [call("c1", "bash", { command: "x" })] }),
    ...turns,
    logged({ type: "turn_ended", reason: "done" }),
  );
  await withPanel({ view }, async (panel) => {
    await wheel(panel, -4);
    const reading = panel.page.getByText("Question 20");
    const top = async () => (await reading.boundingBox())?.y ?? NaN;
    const before = await top();
    await panel.page.locator(".marker").evaluate((marker) => marker.setAttribute("open", ""));
    await panel.events({ type: "tool_output", callId: "c1", text: "1\n2\n3\n4\n" });
    await panel.drawn();
    assert.ok(Math.abs((await top()) - before) <= 1);
  });
});
