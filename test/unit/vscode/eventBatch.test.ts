import assert from "node:assert/strict";
import { mock, test } from "node:test";
import type { SessionEvent } from "../../../src/shared/live";
import { EventBatch } from "../../../src/vscode/panel/eventBatch";

const piece = (text: string, thinking = ""): SessionEvent => ({ type: "reply_delta", text, thinking });
const idle: SessionEvent = { type: "phase_changed", phase: { name: "idle" } };

function withClock(run: (tick: (ms: number) => void) => void): void {
  mock.timers.enable({ apis: ["setTimeout"] });
  try {
    run((ms) => mock.timers.tick(ms));
  } finally {
    mock.timers.reset();
  }
}

test("a hundred pieces of a reply within one wait go out as one piece", () => {
  withClock((tick) => {
    const out: (readonly SessionEvent[])[] = [];
    const batch = new EventBatch(20, (events) => out.push(events));
    for (let count = 0; count < 100; count++) batch.add(piece("a", "b"));
    tick(19);
    assert.equal(out.length, 0);
    tick(1);
    assert.deepEqual(out, [[piece("a".repeat(100), "b".repeat(100))]]);
    tick(1000);
    assert.equal(out.length, 1);
  });
});

test("order is kept: what comes between two pieces stays between them", () => {
  withClock((tick) => {
    const out: SessionEvent[] = [];
    const batch = new EventBatch(20, (events) => out.push(...events));
    for (const event of [piece("1"), idle, piece("2"), piece("3")]) batch.add(event);
    tick(20);
    assert.deepEqual(out, [piece("1"), idle, piece("23")]);
  });
});

test("events that come later go out later, and cleared ones never", () => {
  withClock((tick) => {
    const out: SessionEvent[] = [];
    const batch = new EventBatch(20, (events) => out.push(...events));
    batch.add(piece("gone"));
    batch.clear();
    tick(20);
    batch.add(piece("here"));
    tick(20);
    assert.deepEqual(out, [piece("here")]);
  });
});
