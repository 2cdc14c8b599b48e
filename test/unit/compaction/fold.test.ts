import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { foldParts, isolatedRequest, summaryInstruction } from "../../../src/core/compaction/summary";
import { DEFAULT_RATES, estimateMessages } from "../../../src/core/window/estimate";
import type { ContextMessage } from "../../../src/core/window/messages";
import { SUMMARY_SENTENCE } from "../../../src/core/window/summaryMessage";
import type { Window } from "../../../src/core/window/window";
import type { LogEvent } from "../../../src/shared/events";
import type { CompactingPhase } from "../../../src/shared/live";
import { stamp } from "../../support/conversations";
import { ScriptedModel, untilStopped, type Step } from "../../support/scriptedModel";
import { startSession, type Fixture } from "../../support/sessionFixture";

/** A stored conversation of about 9,000 tokens: too large for one request in a window of 4,096. */
function storedEvents(): LogEvent[] {
  const turns = Array.from({ length: 12 }, (_, n) => [
    { type: "user_message", text: `Question ${n}?` } as const,
    {
      type: "assistant_message",
      model: "test-model",
      text: `Answer ${n}: ${"so it goes on and on with it, as it always did. ".repeat(55)}`,
      thinking: "",
      toolCalls: [],
      end: "complete",
      usage: {},
      estimatedPromptTokens: 0,
    } as const,
    { type: "turn_ended", reason: "done" } as const,
  ]);
  return stamp([
    { type: "session_started", sessionId: "s1" },
    { type: "window_set", model: "test-model", numCtx: 4096, source: "settings" },
    { type: "prompt_built", systemPrompt: "You are Loom." },
    ...turns.flat(),
  ]);
}

function phasesOf({ session }: Fixture): CompactingPhase[] {
  const phases: CompactingPhase[] = [];
  session.onEvent((event) => {
    if (event.type === "phase_changed" && event.phase.name === "compacting") phases.push(event.phase);
  });
  return phases;
}

const part = (n: number): Step => ({ text: `- notes up to part ${n}` });

test("what the server has counted, not the larger estimate, says how much room a summary has in a request of its own", () => {
  const window: Window = { numCtx: 4096, compactAt: 3276, tools: [], rates: DEFAULT_RATES };
  const content = "so it goes on and on with it, as it always did. ".repeat(400);
  const messages: ContextMessage[] = [{ role: "user", source: "m1", content }];
  assert.ok(estimateMessages(messages, window.rates) > window.numCtx);
  const [summaryTokens, knownTokens] = [409, 3_300];
  const parts = foldParts(messages, window, { summaryTokens, knownTokens });
  assert.equal(parts.length, 1);
  const instruction = summaryInstruction(summaryTokens, undefined);
  const options = { earlier: undefined, instruction, thinking: "default" } as const;
  const { maxReplyTokens } = isolatedRequest("test-model", window, parts[0] ?? { messages }, options);
  assert.ok(maxReplyTokens >= summaryTokens, `${maxReplyTokens} tokens`);
  assert.ok(knownTokens + maxReplyTokens < window.numCtx);
});

describe("a conversation larger than the window", () => {
  test("is folded: every message is read once, each part with the notes before it, and progress is told by part", async () => {
    const model = new ScriptedModel(Array.from({ length: 9 }, (_, n) => part(n + 1)));
    const fixture = startSession(model, { events: storedEvents() });
    const phases = phasesOf(fixture);
    assert.deepEqual(await fixture.session.compactNow(), { ok: true });
    const { requests } = model;
    assert.ok(requests.length > 2, `${requests.length} parts`);
    for (let n = 0; n < 12; n++) {
      const readers = requests.filter(({ messages }) =>
        messages.some(({ content }) => content.startsWith(`Answer ${n}:`)),
      );
      assert.equal(readers.length, 1, `answer ${n}`);
    }
    for (const [index, { messages }] of requests.entries()) {
      const notes = messages.filter(({ content }) => content.includes("- notes up to part"));
      assert.equal(notes.length, index === 0 ? 0 : 1);
      if (index > 0) assert.ok(messages[0]?.content.endsWith(`- notes up to part ${index}`));
    }
    assert.deepEqual(
      phases.slice(1).map((phase) => [phase.part, phase.parts]),
      requests.map((_, index) => [index + 1, requests.length]),
    );
    const event = fixture.stored.findLast(({ type }) => type === "compacted");
    assert.ok(event?.type === "compacted" && event.parts === requests.length);
    assert.equal(event.summary, `- notes up to part ${requests.length}`);
  });

  test("C06: a stop within a part, and one between two parts, leave everything as it was", async () => {
    for (const where of ["within", "between"] as const) {
      const stops: { now?: () => void } = {};
      const second: Step = (_request, _onDelta, signal) => {
        stops.now?.();
        return untilStopped(signal, "- half of");
      };
      const model = new ScriptedModel([part(1), second, { text: "Still here." }]);
      const fixture = startSession(model, { events: storedEvents() });
      const { session, stored, idle } = fixture;
      const before = { meter: session.view.meter, breakdown: await session.breakdown() };
      stops.now = () => session.stop();
      if (where === "between") {
        session.onEvent((event) => {
          const isSecond =
            event.type === "phase_changed" && event.phase.name === "compacting" && event.phase.part === 2;
          if (isSecond) session.stop();
        });
      }
      const outcome = await session.compactNow();
      assert.ok(!outcome.ok);
      assert.match(outcome.message, /as it was/);
      assert.equal(model.requests.length, where === "within" ? 2 : 1);
      assert.deepEqual(stored, [], "nothing is written");
      assert.deepEqual({ meter: session.view.meter, breakdown: await session.breakdown() }, before);
      await idle();
    }
  });

  test("takes notes that have grown by more than its last part, as long as all of it was longer than they are", async () => {
    const [start, window, prompt, question, answer, end] = storedEvents();
    assert.ok(start && window && prompt && question && answer?.type === "assistant_message" && end);
    const saying = (id: string, text: string): LogEvent => ({ ...answer, id, text });
    const line = "so it goes on and on with it, as it always did. ";
    let seen = 0;
    // Where the last part begins depends on the sizes: in some of these it is the last answer alone.
    for (let lines = 90; lines < 110; lines++) {
      const turn = [saying("l1", line.repeat(90)), saying("l2", line.repeat(lines)), saying("l3", "Done.")];
      const events = [start, window, prompt, question, ...turn, end];
      const notes = (count: number): Step => ({ text: "- and one more thing that was said ".repeat(count) });
      const model = new ScriptedModel([notes(8), notes(16), notes(24)]);
      const { session } = startSession(model, { events, settings: { keepMessages: 1 } });
      await session.compactNow();
      assert.equal(session.events.at(-1)?.type, "compacted", `${lines} lines`);
      const last = model.requests.at(-1)?.messages ?? [];
      if (last.length === 3 && last[1]?.content === "Done.") seen++;
    }
    assert.ok(seen > 0);
  });

  test("when the server counts more than was estimated, is folded once more in smaller parts", async () => {
    const tooLong: Step = {
      type: "failed",
      partial: { text: "", thinking: "" },
      failure: { kind: "window_exceeded", message: "It does not fit." },
    };
    const model = new ScriptedModel([part(1), tooLong, ...Array.from({ length: 9 }, (_, n) => part(n + 1))]);
    const { session } = startSession(model, { events: storedEvents() });
    assert.deepEqual(await session.compactNow(), { ok: true });
    const size = (index: number) => JSON.stringify(model.requests[index]?.messages).length;
    assert.ok(size(2) < size(0), "the first part of the second try is smaller");

    const stubborn = new ScriptedModel([tooLong, tooLong]);
    const again = startSession(stubborn, { events: storedEvents() });
    const outcome = await again.session.compactNow();
    assert.ok(!outcome.ok);
    assert.match(outcome.message, /does not fit/);
    assert.equal(stubborn.requests.length, 2, "smaller parts are tried once");
  });

  test("a summary request that the server cut in silence is not believed either", async () => {
    const cut: Step = { text: "- notes on the end of it", usage: { promptTokens: 2050, replyTokens: 9 } };
    const model = new ScriptedModel([cut, ...Array.from({ length: 9 }, (_, n) => part(n + 1))]);
    const { session, stored } = startSession(model, { events: storedEvents() });
    assert.deepEqual(await session.compactNow(), { ok: true });
    const event = stored.findLast(({ type }) => type === "compacted");
    assert.ok(event?.type === "compacted" && !event.summary.includes("on the end of it"));
    assert.ok(session.latestSummary()?.startsWith(SUMMARY_SENTENCE));
  });
});
