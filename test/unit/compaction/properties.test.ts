import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import { planCompaction } from "../../../src/core/compaction/plan";
import { foldParts } from "../../../src/core/compaction/summary";
import { groupsOf, tailStart } from "../../../src/core/compaction/tail";
import { projectContext } from "../../../src/core/window/context";
import { DEFAULT_RATES, estimateMessages } from "../../../src/core/window/estimate";
import { SUMMARY_SENTENCE } from "../../../src/core/window/summaryMessage";
import { compactAtOf, type Window } from "../../../src/core/window/window";
import type { LogEvent } from "../../../src/shared/events";
import { anyLog, pairingFault } from "../../support/conversations";

const windowOf = (numCtx: number): Window => ({
  numCtx,
  compactAt: compactAtOf(numCtx, 0.8),
  tools: [],
  rates: DEFAULT_RATES,
});

const anyWindow = fc.constantFrom(2048, 4096, 8192, 32_768).map(windowOf);
const anyKeep = fc.integer({ min: 1, max: 12 });
const systemPrompt = "You are Loom, made afresh.";

/** The log with a compaction appended as the core would append it. */
function compacted(events: readonly LogEvent[], keep: number, window: Window, summary: string): LogEvent[] {
  const { messages } = projectContext(events);
  const plan = planCompaction({ events, messages, keep, window, systemPrompt });
  if (plan === undefined) return [...events];
  const event: LogEvent = {
    type: "compacted",
    v: 1,
    id: `c${events.length}`,
    at: events.length,
    trigger: "by_hand",
    model: "m",
    form: "isolated",
    parts: 1,
    summary,
    systemPrompt,
    ...(plan.tailFrom === undefined ? {} : { tailFrom: plan.tailFrom }),
    shortened: plan.shortened,
    kept: plan.kept,
    messagesSummarised: plan.messagesSummarised,
    messagesKept: plan.tail.length,
    before: { tokens: 1, estimated: true },
    afterTokens: 1,
    durationMs: 1,
  };
  return [...events, event];
}

describe("the tail", () => {
  test("never starts with a result, is at least what was asked for, and always ends", () => {
    fc.assert(
      fc.property(anyLog, anyKeep, (events, keep) => {
        const { messages } = projectContext(events);
        const start = tailStart(messages, keep);
        assert.ok(start >= 1);
        assert.ok(start <= Math.max(1, messages.length - keep), "walking back only lengthens");
        assert.ok(start === 1 || messages[start]?.role !== "tool");
      }),
    );
  });

  test("groups hold every message once and in order, calls with their results", () => {
    fc.assert(
      fc.property(anyLog, anyKeep, (events, keep) => {
        const { messages } = projectContext(events);
        const start = tailStart(messages, keep);
        const groups = groupsOf(messages, start);
        assert.deepEqual(
          groups.flatMap((group) => group.messages),
          messages.slice(start),
        );
        for (const group of groups) assert.equal(pairingFault(group.messages), undefined);
      }),
    );
  });
});

describe("a compaction", () => {
  test("rebuilds exactly three parts without orphans, and modifies neither log nor messages", () => {
    fc.assert(
      fc.property(anyLog, anyKeep, anyWindow, (events, keep, window) => {
        const before = projectContext(events);
        const copies = structuredClone({ events, messages: before.messages });
        const after = compacted(events, keep, window, "- the summary");
        assert.deepEqual({ events, messages: before.messages }, copies);
        const { messages, compaction } = projectContext(after);
        if (compaction === undefined) return;
        assert.equal(messages[0]?.content, systemPrompt);
        assert.equal(messages[1]?.role, "user");
        assert.ok(messages[1].content.startsWith(`${SUMMARY_SENTENCE}\n\n- the summary`));
        assert.equal(pairingFault(messages), undefined);
        const tail = messages.slice(2).map(({ source }) => source);
        assert.deepEqual(
          tail,
          before.messages.slice(before.messages.length - tail.length).map(({ source }) => source),
        );
        assert.ok(!messages.slice(2).some(({ content }) => content.startsWith(SUMMARY_SENTENCE)));
      }),
    );
  });

  test("the plan accounts for every message exactly once: summarised or kept", () => {
    fc.assert(
      fc.property(anyLog, anyKeep, anyWindow, (events, keep, window) => {
        const { messages } = projectContext(events);
        const plan = planCompaction({ events, messages, keep, window, systemPrompt });
        if (plan === undefined) return;
        assert.equal(1 + plan.messagesSummarised + plan.tail.length, messages.length);
        assert.deepEqual(plan.toSummarise, messages.slice(1));
      }),
    );
  });

  test("the newest request of the user is there word for word, in the tail or quoted", () => {
    fc.assert(
      fc.property(anyLog, anyKeep, anyWindow, (events, keep, window) => {
        const newest = events.findLast((event) => event.type === "user_message");
        if (newest?.type !== "user_message") return;
        const { messages } = projectContext(compacted(events, keep, window, "- the summary"));
        assert.ok(messages.some(({ role, content }) => role === "user" && content.includes(newest.text)));
      }),
    );
  });

  test("the parts of a fold read every character once, in order, and each fits the window", () => {
    fc.assert(
      fc.property(anyLog, anyWindow, (events, window) => {
        const conversation = projectContext(events).messages.slice(1);
        const summaryTokens = Math.floor(window.numCtx / 10);
        const parts = foldParts(conversation, window, { summaryTokens, knownTokens: Infinity });
        for (const part of parts) {
          assert.ok(estimateMessages(part.messages, window.rates) + summaryTokens < window.numCtx);
          assert.equal(pairingFault(part.messages), undefined);
        }
        const sources = new Set(parts.flatMap(({ messages }) => messages.map(({ source }) => source)));
        assert.deepEqual(sources, new Set(conversation.map(({ source }) => source)));
        const characters = (text: string) => [...text].length;
        for (const message of conversation) {
          const read = parts.flatMap(({ messages }) =>
            messages.filter(({ source }) => source === message.source),
          );
          const text = read.map(({ content }) => content).join("");
          assert.ok(
            text.includes(message.content),
            `${characters(message.content)} characters are read whole`,
          );
        }
      }),
      { numRuns: 60 },
    );
  });

  test("a compaction of a compaction has one summary and carries the words of the person over from the log", () => {
    fc.assert(
      fc.property(anyLog, anyLog, anyWindow, (first, second, window) => {
        const once = compacted(first, 4, window, "- first summary");
        const more = second
          .filter(({ type }) => type === "user_message" || type === "assistant_message")
          .map((event, index): LogEvent => {
            const withoutCalls = event.type === "assistant_message" ? { ...event, toolCalls: [] } : event;
            return { ...withoutCalls, id: `m${index}` };
          });
        const twice = compacted([...once, ...more], 4, window, "- second summary");
        const { messages, compaction } = projectContext(twice);
        const summaries = messages.filter(({ content }) => content.startsWith(SUMMARY_SENTENCE));
        assert.ok(summaries.length <= 1);
        if (compaction?.summary !== "- second summary") return;
        const typed = twice.flatMap((event) => (event.type === "user_message" ? [event.text.trim()] : []));
        for (const words of compaction.kept.words) {
          assert.ok(
            typed.some(
              (text) => text.includes(words) || words.split(" ").every((word) => text.includes(word)),
            ),
            "kept words come from the log",
          );
        }
      }),
      { numRuns: 60 },
    );
  });
});
