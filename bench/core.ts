import { planCompaction, type CompactionPlan } from "../src/core/compaction/plan";
import { Journal } from "../src/core/log/journal";
import { createTools } from "../src/core/tools";
import { ContextProjection, projectContext, type Context } from "../src/core/window/context";
import { DEFAULT_RATES } from "../src/core/window/estimate";
import type { ContextMessage } from "../src/core/window/messages";
import { compactAtOf, promptTokens, type Window } from "../src/core/window/window";
import { LOG_VERSION, type Compacted, type LogEvent } from "../src/shared/events";
import { applyEvent, EMPTY_VIEW, type SessionView } from "../src/shared/view";
import { makeLongLog } from "./core/longLog";
import { heapOf, medianTime, printFigures, type Figure } from "./measure";

const MESSAGES = 10_000;

/** Goals on a log of 10,000 messages, in milliseconds. */
const ESTIMATE_MS = 1;
const PLAN_MS = 10;

/** How much more a message may weigh, or a streamed token take, in a long session than in a short one. */
const HEAP_GROWTH = 1.25;
const TOKEN_GROWTH = 2;

const unused = {} as never;
const tools = createTools({ workspace: unused, shell: unused, limits: { commandTimeLimitSeconds: 120 } }).map(
  ({ schema }) => schema,
);

function windowOf(numCtx: number): Window {
  return { numCtx, compactAt: compactAtOf(numCtx, 0.8), tools, rates: DEFAULT_RATES };
}

/** `npm run bench -- core [--json]`: what the core costs on a log of 10,000 messages. The exit code is 1 when a goal is missed. */
export function main(words: readonly string[]): Promise<void> {
  const whole = makeLongLog(MESSAGES);
  const compacted = makeLongLog(MESSAGES, 40);
  printFigures(
    [
      machineFigure(),
      ...estimateFigures(whole),
      ...planFigures("all in the context", whole, 1_048_576),
      ...planFigures("compacted every 40", compacted, 8192),
      ...heapFigures(),
      ...tokenFigures(),
      ...openFigures(compacted),
    ],
    words.includes("--json"),
  );
  return Promise.resolve();
}

function estimateFigures(log: readonly LogEvent[]): Figure[] {
  const window = windowOf(1_048_576);
  const context = projectContext(log);
  const round: ContextMessage[] = [
    { role: "tool", source: "r", content: "x".repeat(8000), toolName: "read_file", callId: "c" },
  ];
  const appended = { ...context, messages: [...context.messages, ...round] };
  const uncounted = { ...context, anchor: undefined };
  const estimate = (of: Pick<Context, "messages" | "anchor">) => () => promptTokens(of, window);
  const fresh = () => promptTokens({ messages: projectContext(log).messages, anchor: undefined }, window);
  return [
    figure("estimate, counted by the server but for the newest result", ESTIMATE_MS, estimate(appended)),
    figure("estimate, nothing counted (another model, a lost count)", ESTIMATE_MS, estimate(uncounted)),
    figure("projection and first estimate of a log that was never measured", undefined, fresh),
  ];
}

function planFigures(which: string, log: readonly LogEvent[], numCtx: number): Figure[] {
  const context = projectContext(log);
  const planOf = (keep: number) => {
    const plan = planCompaction({
      events: log,
      messages: context.messages,
      keep,
      window: windowOf(numCtx),
      systemPrompt: context.messages[0]?.content ?? "",
    });
    if (plan === undefined) throw new Error("There is nothing to plan.");
    return plan;
  };
  const running = () => {
    const projection = new ContextProjection();
    for (const event of log) projection.apply(event);
    return projection;
  };
  const planAndRebuild = (keep: number) => (projection?: ContextProjection) => {
    projection?.apply(eventOf(planOf(keep)));
    return projection?.context;
  };
  const planAndReplay = () => projectContext([...log, eventOf(planOf(6))]);
  return [
    figure(`plan and rebuild, ${which}`, PLAN_MS, planAndRebuild(6), running),
    figure(`plan and rebuild, ${which}, 50 messages kept`, PLAN_MS, planAndRebuild(50), running),
    figure(`plan and the context from the log's beginning, ${which}`, undefined, planAndReplay),
  ];
}

function eventOf(plan: CompactionPlan): LogEvent & Compacted {
  const { tailFrom, shortened, kept, messagesSummarised, tail, tokensWithoutSummary } = plan;
  return {
    type: "compacted",
    v: LOG_VERSION,
    id: "new",
    at: 0,
    trigger: "automatic",
    model: "bench",
    form: "isolated",
    parts: 1,
    summary: "- notes",
    systemPrompt: "",
    ...(tailFrom === undefined ? {} : { tailFrom }),
    shortened,
    kept,
    messagesSummarised,
    messagesKept: tail.length,
    before: { tokens: 0, estimated: true },
    afterTokens: tokensWithoutSummary,
    durationMs: 0,
  };
}

/** What a session keeps on the heap for each message: its log, and everything that is computed from it. */
function heapFigures(): Figure[] {
  const perMessage = (messages: number) => {
    const { bytes, value } = heapOf(() => journalOf(makeLongLog(messages, 40)));
    if (value.events.length < messages) throw new Error("The log is too short.");
    return bytes / messages;
  };
  perMessage(100);
  const [short, long] = [perMessage(1_000), perMessage(MESSAGES)];
  return [
    { what: "heap for each message of a session with 1,000", value: short, unit: "bytes" },
    { what: "heap for each message of a session with 10,000", value: long, unit: "bytes" },
    { what: "  the second over the first", value: long / short, unit: "times", limit: HEAP_GROWTH },
  ];
}

/** A streamed token must not cost more in a long conversation. */
function tokenFigures(): Figure[] {
  const timeAt = (messages: number) => {
    const view = makeLongLog(messages).reduce<SessionView>(applyEvent, EMPTY_VIEW);
    const streaming = applyEvent(view, { type: "reply_started", id: "r" });
    const tokens = () => {
      let next = streaming;
      for (let token = 0; token < TOKENS_TIMED; token++)
        next = applyEvent(next, { type: "reply_delta", text: " token", thinking: "" });
      return next;
    };
    return (1e6 * medianTime(tokens)) / TOKENS_TIMED;
  };
  timeAt(10);
  const [few, some, many] = [timeAt(10), timeAt(1_000), timeAt(MESSAGES)];
  return [
    { what: "reducing one streamed token, 10 messages before it", value: few, unit: "ns" },
    { what: "  1,000 messages before it", value: some, unit: "ns" },
    { what: "  10,000 messages before it", value: many, unit: "ns" },
    { what: "  the last over the first", value: many / few, unit: "times", limit: TOKEN_GROWTH },
  ];
}

const TOKENS_TIMED = 1_000;

function openFigures(log: readonly LogEvent[]): Figure[] {
  return [figure("opening a stored session of 10,000 messages", undefined, () => journalOf(log))];
}

function journalOf(events: readonly LogEvent[]): Journal {
  return new Journal(
    {
      store: { append: () => Promise.resolve() },
      tools,
      now: () => 0,
      newId: () => "n",
      onStoreFailed: () => undefined,
    },
    events,
  );
}

function figure<Input = undefined>(
  what: string,
  limit: number | undefined,
  work: (input: Input | undefined) => unknown,
  prepare?: () => Input,
): Figure {
  const value = medianTime(work, prepare);
  return { what, value, unit: "ms", ...(limit === undefined ? {} : { limit }) };
}

/** What other figures in milliseconds are to be seen beside: a core of 3 GHz takes about 35. */
function machineFigure(): Figure {
  const add = () => {
    let sum = 0;
    for (let step = 0; step < 100_000_000; step++) sum = (sum + step) | 0;
    return sum;
  };
  return figure("this machine: 100 million additions", undefined, add);
}
