import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  chooseForm,
  fitsInPlace,
  tokensToReadInPlace,
  type FormFacts,
} from "../../../src/core/compaction/summaryForm";
import { Journal } from "../../../src/core/log/journal";
import { formatStoredLine, parseStoredLine } from "../../../src/core/log/storedEvent";
import { DEFAULT_RATES } from "../../../src/core/window/estimate";
import type { ContextMessage } from "../../../src/core/window/messages";
import {
  learnSpeeds,
  predictMs,
  UNKNOWN_SPEEDS,
  type MeasuredRequest,
} from "../../../src/core/window/speeds";
import type { LogBody, LogEvent } from "../../../src/shared/events";
import { stamp } from "../../support/conversations";

const measured = (
  [promptTokens, cachedTokens, replyTokens]: readonly [number, number | undefined, number],
  [promptMs, replyMs]: readonly [number, number],
): MeasuredRequest => ({
  usage: { promptTokens, replyTokens, ...(cachedTokens === undefined ? {} : { cachedTokens }) },
  timings: { loadMs: 5000, promptMs, replyMs },
});

describe("the speeds of a model", () => {
  test("are tokens read by the time for them, cached ones and loading left out, and tokens written by theirs", () => {
    const speeds = learnSpeeds(UNKNOWN_SPEEDS, measured([3000, 2000, 60], [2000, 1000]), 0);
    assert.deepEqual(speeds, { read: 500, write: 60 });
  });

  test("on a server that does not tell what was cached, the counted beginning of the prompt is taken for it", () => {
    const speeds = learnSpeeds(UNKNOWN_SPEEDS, measured([3000, undefined, 60], [2000, 1000]), 2500);
    assert.equal(speeds.read, 250);
  });

  test("are not learnt from a few tokens, nor without durations", () => {
    assert.deepEqual(learnSpeeds(UNKNOWN_SPEEDS, measured([3000, 2990, 2], [50, 50]), 0), UNKNOWN_SPEEDS);
    const { usage } = measured([3000, 0, 60], [1, 1]);
    assert.deepEqual(learnSpeeds(UNKNOWN_SPEEDS, { usage }, 0), UNKNOWN_SPEEDS);
    assert.deepEqual(learnSpeeds(UNKNOWN_SPEEDS, measured([3000, 0, 60], [0, 0]), 0), UNKNOWN_SPEEDS);
  });

  test("follow the newest requests, and one odd measurement moves them by a factor of three at the most", () => {
    const once = learnSpeeds({ read: 400, write: 50 }, measured([1000, 0, 50], [5000, 500]), 0);
    assert.deepEqual(once, { read: 300, write: 75 });
    const odd = learnSpeeds({ read: 400, write: 50 }, measured([9000, 0, 50], [1, 100_000]), 0);
    assert.equal(odd.read, 1200);
    assert.ok((odd.write ?? 0) >= 50 / 3);
  });

  test("predict a request; nothing is predicted from a speed that is not known", () => {
    assert.equal(predictMs({ read: 1000, write: 100 }, { read: 500, write: 50 }), 4000);
    assert.equal(predictMs({ read: 1000, write: 0 }, { read: 500, write: undefined }), 2000);
    assert.equal(predictMs({ read: 1000, write: 1 }, { read: 500, write: undefined }), undefined);
    assert.equal(predictMs({ read: 0, write: 0 }, UNKNOWN_SPEEDS), 0);
  });

  test("come out of the log again after a restart, those of a summary request too", () => {
    const kept = { words: [], wordsCut: 0, files: [], filesCut: 0, commands: [], commandsCut: 0 };
    const request = { form: "isolated" as const, ...measured([2000, 0, 100], [4000, 1000]) };
    const bodies: LogBody[] = [
      { type: "session_started", sessionId: "s" },
      reply("m", measured([3000, 0, 60], [6000, 1000])),
      reply("other", measured([1000, 0, 20], [100, 100])),
      {
        type: "compacted",
        trigger: "by_hand",
        model: "m",
        form: "isolated",
        parts: 1,
        summary: "- notes",
        systemPrompt: "",
        shortened: [],
        kept,
        messagesSummarised: 2,
        messagesKept: 0,
        before: { tokens: 3060, estimated: false },
        afterTokens: 100,
        durationMs: 5000,
        predictedMs: 4800,
        requests: [
          { form: request.form, usage: request.usage, ...(request.timings && { timings: request.timings }) },
        ],
      },
    ];
    const events = stamp(bodies).map((event) => parseStoredLine(formatStoredLine(event)) as LogEvent);
    assert.deepEqual(events, stamp(bodies));
    const journal = journalOf(events);
    assert.deepEqual(journal.speedsOf("m"), { read: 500, write: 80 });
    assert.deepEqual(journal.speedsOf("other"), { read: 10_000, write: 200 });
    assert.deepEqual(journal.speedsOf("unknown"), UNKNOWN_SPEEDS);
  });
});

function reply(model: string, { usage, timings }: MeasuredRequest): LogBody {
  return {
    type: "assistant_message",
    model,
    text: "Well.",
    thinking: "",
    toolCalls: [],
    end: "complete",
    usage,
    ...(timings === undefined ? {} : { timings }),
    estimatedPromptTokens: 0,
  };
}

function journalOf(events: readonly LogEvent[]): Journal {
  const ports = {
    store: { append: () => Promise.resolve() },
    tools: [],
    now: () => 0,
    newId: () => "n",
    onStoreFailed: () => undefined,
  };
  return new Journal(ports, events);
}

describe("the form of the request for a summary", () => {
  const auto: FormFacts = { setting: "auto", fitsInPlace: true, rereadMs: 10_000, isCached: true };
  for (const [what, facts, form] of [
    ["auto: reading again would take ten seconds", auto, "in_place"],
    ["auto: how long it would take is not known", { ...auto, rereadMs: undefined }, "in_place"],
    ["auto: reading again would take less than two seconds", { ...auto, rereadMs: 1999 }, "isolated"],
    ["auto: two seconds are worth it", { ...auto, rereadMs: 2000 }, "in_place"],
    ["auto: the cache is gone", { ...auto, isCached: false }, "isolated"],
    ["auto: it does not fit", { ...auto, fitsInPlace: false }, "isolated"],
    ["in place is set, and the cache is gone", { ...auto, setting: "inPlace", isCached: false }, "in_place"],
    ["in place is set, and it does not fit", { ...auto, setting: "inPlace", fitsInPlace: false }, "isolated"],
    ["isolated is set", { ...auto, setting: "isolated" }, "isolated"],
  ] as const satisfies readonly (readonly [string, FormFacts, string])[])
    test(`${what}: ${form}`, () => assert.equal(chooseForm(facts), form));

  const window = { numCtx: 4096, compactAt: 3276, tools: [], rates: DEFAULT_RATES };
  const said = (role: "user" | "assistant", content: string, thinking = ""): ContextMessage =>
    role === "user" ? { role, source: "", content } : { role, source: "", content, thinking, toolCalls: [] };

  test("in place fits while array, instruction, summary and the usual thinking do", () => {
    const messages = [said("user", "Hello."), said("assistant", "Hi.")];
    assert.ok(fitsInPlace({ messages, tokens: 3300 }, "Summarise.", 409, window));
    assert.ok(!fitsInPlace({ messages, tokens: 3700 }, "Summarise.", 409, window));
    const thoughtful = [said("user", "Hello."), said("assistant", "Hi.", "I wonder. ".repeat(100))];
    assert.ok(!fitsInPlace({ messages: thoughtful, tokens: 3300 }, "Summarise.", 409, window));
  });

  test("in place reads what no request has held yet, and again what stood behind thinking of the last turn", () => {
    const messages = [
      said("user", "Question. ".repeat(100)),
      said("assistant", "Answer. ".repeat(100)),
      said("user", "More. ".repeat(100)),
    ];
    const appended = tokensToReadInPlace(messages, 1, "Summarise.", DEFAULT_RATES);
    assert.ok(appended > 90 && appended < 350, `${appended}`);
    const thought = [messages[0], said("assistant", "Answer. ".repeat(100), "Hm.")].flatMap(
      (one) => one ?? [],
    );
    const all = tokensToReadInPlace(thought, 1, "Summarise.", DEFAULT_RATES);
    const none = tokensToReadInPlace(messages.slice(0, 2), 1, "Summarise.", DEFAULT_RATES);
    assert.ok(none < 50 && all > 90, `${none} and ${all}`);
  });
});
