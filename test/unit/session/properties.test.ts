import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import type { Turn } from "../../../bench/survival/conversation";
import { HonestModel } from "../../../bench/survival/honestModel";
import { createSummariser, type SummariserName } from "../../../bench/survival/summarisers";
import { TokenCounter } from "../../../bench/survival/tokenCounter";
import { SUMMARY_REQUESTS, type SummaryRequestSetting } from "../../../src/core/compaction/summaryForm";
import type { ChatModel, ChatOutcome, ChatRequest } from "../../../src/core/ports";
import type { Session } from "../../../src/core/session";
import { createTools } from "../../../src/core/tools";
import { toAnyTool, type AnyTool } from "../../../src/core/tools/tool";
import type { LogEvent } from "../../../src/shared/events";
import { LoadedModel } from "../../support/loadedModel";
import { asksForSummary } from "../../support/asksForSummary";
import { anyLog } from "../../support/conversations";
import { anyHardText, textOf, type HardText } from "../../support/hardTexts";
import { startSession } from "../../support/sessionFixture";

/** Characters of about one token, so that sizes can be said in windows. */
const CHARACTERS_PER_TOKEN = 3;

const anyWindow = fc.constantFrom<number>(2048, 4096, 8192);
const anyForm = fc.constantFrom(...SUMMARY_REQUESTS);
const anySummariser = fc.constantFrom<SummariserName>("perfect", "amnesic", "rambling", "broken");

/** A turn whose texts are 0 to 50 windows long, with rounds of 1 to 8 calls. */
interface HardTurn {
  readonly user: HardText;
  readonly rounds: readonly { readonly text: HardText; readonly results: readonly HardText[] }[];
  readonly answer: HardText;
}

function anyTurn(window: number): fc.Arbitrary<HardTurn> {
  const windows = (...factors: number[]) =>
    fc.constantFrom(...factors.map((factor) => factor * window * CHARACTERS_PER_TOKEN));
  const anyResult = anyHardText(
    fc.oneof({ weight: 12, arbitrary: windows(0, 0.01, 0.05, 0.3, 1) }, windows(50), fc.constant(600_000)),
  );
  const anyRound = fc.record({
    text: anyHardText(windows(0, 0.01, 0.1)),
    results: fc.array(anyResult, { minLength: 1, maxLength: 8 }),
  });
  return fc.record({
    user: anyHardText(windows(0.005, 0.02, 0.1, 2)),
    rounds: fc.array(anyRound, { maxLength: 3 }),
    answer: anyHardText(windows(0.02, 0.1, 0.5, 3)),
  });
}

function turnOf({ user, rounds, answer }: HardTurn): Turn {
  return {
    user: `Go on: ${textOf(user)}`,
    rounds: rounds.map(({ text, results }) => ({ text: textOf(text), results: results.map(textOf) })),
    answer: textOf(answer),
  };
}

const anyPlay = anyWindow.chain((window) =>
  fc.record({
    window: fc.constant(window),
    summariser: anySummariser,
    form: anyForm,
    turns: fc.array(anyTurn(window), { minLength: 1, maxLength: 8 }),
  }),
);

const anySetting = fc.record({ window: anyWindow, summariser: anySummariser, form: anyForm });

/** Looks at every request before the honest model does; what it is given must never change afterwards. */
class WatchedModel extends LoadedModel {
  readonly honest: HonestModel;
  readonly faults: string[] = [];
  order: (source: string) => number = () => 0;

  constructor(summariser: SummariserName) {
    super();
    this.honest = new HonestModel(createSummariser(summariser, []), [], new TokenCounter());
  }

  chat(...[request, onDelta, signal]: Parameters<ChatModel["chat"]>): Promise<ChatOutcome> {
    freeze(request);
    this.#checkOrder(request);
    return this.honest.chat(request, onDelta, signal);
  }

  #checkOrder(request: ChatRequest): void {
    const { messages, tools } = request;
    const places = (asksForSummary(request) ? messages.slice(0, -1) : messages).map(({ source }) =>
      this.order(source),
    );
    const conversation =
      tools.length === 0 ? [] : places.slice(messages[1]?.source === messages[0]?.source ? 2 : 1);
    if (conversation.some((place, index) => index > 0 && place <= (conversation[index - 1] ?? 0))) {
      this.faults.push(`out of order: ${conversation.join(" ")}`);
    }
  }
}

function freeze(value: unknown): void {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  Object.values(value).forEach(freeze);
}

/** The real schemas; reading gives what the turn says, however long. */
function toolsOf(model: HonestModel): readonly AnyTool[] {
  const unused = {} as never;
  const real = createTools({ workspace: unused, shell: unused, limits: { commandTimeLimitSeconds: 120 } });
  return real.map(({ schema }) =>
    toAnyTool<{ path: string }>({
      schema,
      parse: ({ path }) => (typeof path === "string" ? { path } : { error: "path is missing" }),
      run: ({ path }) => {
        const [, round = "0", call = "0"] = /^r(\d+)c(\d+)/.exec(path) ?? [];
        const content = model.result(Number(round), Number(call));
        return Promise.resolve({
          outcome: "ok",
          content,
          summary: "",
          facts: { kind: "read", path, hash: "0" },
        });
      },
    }),
  );
}

interface Setting {
  readonly summariser: SummariserName;
  readonly window: number;
  readonly form: SummaryRequestSetting;
}

function start({ summariser, window, form }: Setting, events: readonly LogEvent[] = []) {
  const model = new WatchedModel(summariser);
  const settings = { numCtx: window, summaryRequest: form };
  const fixture = startSession(model, { tools: toolsOf(model.honest), settings, events });
  fixture.session.onEvent((event) => {
    if ("v" in event) freeze(event);
  });
  model.order = (source) => fixture.session.events.findIndex(({ id }) => id === source);
  return { ...fixture, model };
}

/** What must hold of every session, whatever was said in it. */
function check({ session, model }: ReturnType<typeof start>): void {
  const { overWindow, orphans, withoutRequest } = model.honest.seen;
  assert.deepEqual({ overWindow, orphans, withoutRequest }, { overWindow: 0, orphans: 0, withoutRequest: 0 });
  assert.deepEqual(model.faults, []);
  const ends = session.events.flatMap((event) => (event.type === "turn_ended" ? [event] : []));
  assert.deepEqual(
    ends.filter(({ reason }) => reason === "failed"),
    [],
  );
  const relevant = session.events.filter(({ type }) =>
    /compacted|user_message|assistant_message|tool_result/.test(type),
  );
  assert.ok(
    !relevant.some(({ type }, index) => type === "compacted" && relevant[index - 1]?.type === "compacted"),
    "two compactions with nothing new between",
  );
}

/** Once refused: after the compaction there was room for a short reply, but not for one of the usual size. */
const TIGHT: Setting & { turns: HardTurn[] } = {
  window: 2048,
  summariser: "broken",
  form: "auto",
  turns: [
    {
      user: { kind: "prose", characters: 30 },
      rounds: [{ text: { kind: "prose", characters: 0 }, results: [{ kind: "prose", characters: 1843 }] }],
      answer: { kind: "prose", characters: 122 },
    },
    {
      user: { kind: "log", characters: 614 },
      rounds: [
        {
          text: { kind: "prose", characters: 61 },
          results: [
            { kind: "prose", characters: 307 },
            { kind: "minified", characters: 61 },
            { kind: "prose", characters: 6144 },
            { kind: "prose", characters: 600_000 },
          ],
        },
      ],
      answer: { kind: "prose", characters: 122 },
    },
  ],
};

/** The marker of a compaction that has just ended says what the meter says. */
function assertOneNumber({ events, view }: Session): void {
  const marker = events.findLast((event) => event.type === "compacted");
  assert.deepEqual(view.meter?.used, { tokens: marker?.afterTokens, estimated: true });
}

describe("any conversation through the real session", () => {
  test("no request is over the window, no call without its result, order kept, nothing changed that was given", async () => {
    await fc.assert(
      fc.asyncProperty(anyPlay, async ({ turns, ...setting }) => {
        const played = start(setting);
        for (const [index, turn] of turns.map(turnOf).entries()) {
          played.model.honest.begin(turn);
          const before = played.model.honest.seen.requests;
          const outcome = played.session.send(`m${index}`, turn.user);
          await played.idle();
          if (!outcome.accepted) assert.equal(played.model.honest.seen.requests, before, "nothing is sent");
        }
        check(played);
      }),
      { numRuns: 20, examples: [[TIGHT]] },
    );
  });

  test("any stored conversation can be compacted by hand and gone on with, in any window", async () => {
    await fc.assert(
      fc.asyncProperty(anyLog, anySetting, async (events, setting) => {
        freeze(events);
        const played = start(setting, events);
        played.model.honest.begin({ user: "", rounds: [], answer: "On with it." });
        const compacted = await played.session.compactNow();
        if (compacted.ok) assertOneNumber(played.session);
        played.model.honest.begin({ user: "Go on.", rounds: [], answer: "On with it." });
        assert.deepEqual(played.session.send("m1", "Go on."), { accepted: true });
        await played.idle();
        check(played);
      }),
      { numRuns: 60 },
    );
  });
});
