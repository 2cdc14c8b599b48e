import type { SummaryRequestSetting } from "../../src/core/compaction/summaryForm";
import type { ChatModel } from "../../src/core/ports";
import { Session, type SessionSettings } from "../../src/core/session";
import { createTools } from "../../src/core/tools";
import { DEFAULT_RATES } from "../../src/core/window/estimate";
import { buildSystemPrompt, type WorkspaceFacts } from "../../src/core/window/systemPrompt";
import type { LogEvent } from "../../src/shared/events";
import { DEFAULT_SETTINGS } from "../../src/terminal/settings";
import { MemoryWorkspace } from "../../test/support/memoryWorkspace";
import { FakeShell } from "../../test/support/toolCalls";
import { storedConversation, turnsFor } from "./conversation";
import { SteadyModel } from "./steadyModel";

const NUM_CTX = 8192;
const SUMMARY_TOKENS = 200;

/** How often a conversation is played anew because its summary came out shorter. */
const TRIES = 6;

/** One compaction and the answer after it. */
export interface CompactionRun {
  readonly form: SummaryRequestSetting;
  readonly promptTokens: number;
  /** From the beginning of the compaction to the first token of the next answer. */
  readonly milliseconds: number;
  readonly tokensRead: number;
  readonly predictedMs: number;
  readonly durationMs: number;
}

let runs = 0;

interface Played {
  readonly form: SummaryRequestSetting;
  /** The least tokens that the prompt before the compaction has. */
  readonly size: number;
  readonly model: string;
}

/**
 * Plays a conversation of hardly more than `size` tokens that the server has in its cache, compacts it, and asks one thing more. Writing
 * takes its time too, so a run counts only with a summary of the full length. Throws when none comes out so long.
 */
export async function playCompaction(
  chatModel: ChatModel,
  played: Played,
  report: (line: string) => void,
): Promise<CompactionRun> {
  for (let tried = 0; tried < TRIES; tried++) {
    const { run, isShort } = await playOnce(chatModel, played);
    const seconds = (run.milliseconds / 1000).toFixed(1);
    report(`${played.size} ${played.form}: ${seconds} s${isShort ? ", played anew: a short summary" : ""}`);
    if (!isShort) return run;
  }
  throw new Error(`In ${TRIES} runs the summary was always shorter than ${SUMMARY_TOKENS} tokens.`);
}

async function playOnce(
  chatModel: ChatModel,
  { form, size, model }: Played,
): Promise<{ readonly run: CompactionRun; readonly isShort: boolean }> {
  const steady = new SteadyModel(chatModel, SUMMARY_TOKENS);
  // Unlike any other from its first words on, in this and in every earlier process.
  const run = `${Date.now().toString(36)}-${++runs}`;
  const systemPrompt = buildSystemPrompt(factsOf(run), NUM_CTX, DEFAULT_RATES);
  const events = storedConversation({ model, numCtx: NUM_CTX, systemPrompt }, run, turnsFor(size));
  const { session, say } = start(steady, { run, events, settings: { model, summaryRequest: form } });
  await say("And what is next?");
  if (session.events.some(({ type }) => type === "compacted"))
    throw new Error(
      `A conversation of ${size} tokens does not fit into ${NUM_CTX}: it was compacted before.`,
    );
  const before = steady.exchanges.length;
  const started = performance.now();
  const outcome = await session.compactNow();
  if (!outcome.ok) throw new Error(outcome.message);
  await say("What was it that you should remember?", "first_token");
  const milliseconds = performance.now() - started;
  await say("");
  const compaction = session.events.findLast((event) => event.type === "compacted");
  if (compaction?.type !== "compacted") throw new Error("Nothing was compacted.");
  const after = steady.exchanges.slice(before);
  return {
    run: {
      form,
      promptTokens: steady.exchanges[before - 1]?.promptTokens ?? 0,
      milliseconds,
      tokensRead: sum(after.map(({ promptTokens, cachedTokens }) => promptTokens - cachedTokens)),
      predictedMs: compaction.predictedMs ?? NaN,
      durationMs: compaction.durationMs,
    },
    // The isolated form takes two requests where the conversation and a summary do not fit the window together.
    isShort: after.some(({ isSummary, replyTokens }) => isSummary && replyTokens < SUMMARY_TOKENS),
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** What the rounds of a session with tools made the server read, in tokens. */
export interface RoundsRead {
  /** Tokens of the prompt before that were not found in the cache. */
  readonly reread: readonly number[];
  readonly appended: readonly number[];
  readonly perRound: readonly number[];
  readonly millisecondsPerToken: number;
}

const ROUNDS = 20;

/** Plays a turn of 20 rounds that read a file each. */
export async function playRounds(chatModel: ChatModel, model: string): Promise<RoundsRead> {
  const steady = new SteadyModel(chatModel, SUMMARY_TOKENS);
  const { say } = start(steady, {
    run: `rounds-${Date.now().toString(36)}`,
    events: [],
    settings: { model, roundLimit: ROUNDS + 5 },
  });
  steady.toRead.push(...Array.from({ length: ROUNDS }, (_, n) => `src/part${n}.ts`));
  await say("Read all of it.");
  const pairs = steady.exchanges.slice(1).map((next, index) => ({ next, before: steady.exchanges[index] }));
  const read = pairs.map(({ next }) => next.promptTokens - next.cachedTokens);
  const milliseconds = sum(pairs.map(({ next }) => next.promptMs));
  return {
    reread: pairs.map(({ next, before }) => Math.max(0, (before?.promptTokens ?? 0) - next.cachedTokens)),
    appended: pairs.map(({ next, before }) => next.promptTokens - (before?.promptTokens ?? 0)),
    perRound: read,
    millisecondsPerToken: milliseconds / sum(read),
  };
}

const files = Object.fromEntries(
  Array.from({ length: ROUNDS }, (_, n) => [
    `src/part${n}.ts`,
    `export const part${n} = { amount: ${n}, isPaid: false };\n`.repeat(4),
  ]),
);

function start(
  chatModel: ChatModel,
  {
    run,
    events,
    settings,
  }: {
    readonly run: string;
    readonly events: readonly LogEvent[];
    readonly settings: Partial<SessionSettings>;
  },
) {
  let ids = events.length;
  const all: SessionSettings = {
    ...DEFAULT_SETTINGS,
    numCtx: NUM_CTX,
    automaticCompaction: false,
    ...settings,
  };
  const session = new Session(
    {
      chatModel,
      tools: createTools({
        workspace: new MemoryWorkspace({ files }),
        shell: new FakeShell(),
        limits: { commandTimeLimitSeconds: 20 },
      }),
      describeWorkspace: () => Promise.resolve(factsOf(run)),
      settings: () => all,
      store: { append: () => Promise.resolve() },
      now: Date.now,
      newId: () => `b${++ids}`,
      log: () => undefined,
    },
    events,
  );
  const say = (text: string, until?: "first_token") => sayTo(session, text, until);
  return { session, say };
}

/** Sends a message, none for an empty text, and waits for the first token of the answer or for its end. */
function sayTo(session: Session, text: string, until: "first_token" | "end" = "end"): Promise<void> {
  return new Promise((resolve) => {
    const stop = session.onEvent((event) => {
      const isFirst = until === "first_token" && event.type === "reply_delta";
      const isEnd = event.type === "phase_changed" && event.phase.name === "idle";
      if (!isFirst && !isEnd) return;
      stop();
      resolve();
    });
    if (text !== "") session.send(`m${++messages}`, text);
    else if (!session.isBusy) {
      stop();
      resolve();
    }
  });
}

let messages = 0;

function factsOf(run: string): WorkspaceFacts {
  return {
    folders: [{ name: "bench", path: `/home/someone/${run}` }],
    operatingSystem: "linux",
    shell: "bash",
    date: "2026-03-01",
  };
}
