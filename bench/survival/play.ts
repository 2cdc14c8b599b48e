import type { SummaryRequestSetting } from "../../src/core/compaction/summaryForm";
import { Session, type SessionSettings } from "../../src/core/session";
import { createTools } from "../../src/core/tools";
import { toAnyTool, type AnyTool } from "../../src/core/tools/tool";
import type { AssistantMessage } from "../../src/shared/events";
import { DEFAULT_SETTINGS } from "../../src/terminal/settings";
import type { Conversation, Needle, Origin } from "./conversation";
import { HonestModel, type Seen } from "./honestModel";
import { createSummariser, type SummariserName } from "./summarisers";
import type { TokenCounter } from "./tokenCounter";

/** What one conversation came to. */
export interface Played extends Seen {
  readonly found: Readonly<Record<Origin, number>>;
  readonly planted: Readonly<Record<Origin, number>>;
  readonly rounds: number;
  readonly compactions: number;
  /** Compactions with nothing new since the one before. */
  readonly loops: number;
  readonly turnsFailed: number;
  readonly estimates: readonly Estimate[];
}

/** What a request was thought to take and what it took, in tokens. */
export interface Estimate {
  /** Counts the replies of a session from 1. */
  readonly reply: number;
  readonly expected: number;
  readonly counted: number;
}

/** How a conversation is played. */
export interface Setting {
  /** The window, in tokens. */
  readonly numCtx: number;
  readonly summariser: SummariserName;
  readonly form: SummaryRequestSetting;
}

/** Plays a conversation through the real agent loop. */
export async function playOurs(
  conversation: Conversation,
  { numCtx, summariser, form }: Setting,
  counter: TokenCounter,
): Promise<Played> {
  const { needles } = conversation;
  const model = new HonestModel(createSummariser(summariser, needles), needles, counter);
  const settings: SessionSettings = { ...DEFAULT_SETTINGS, model: "bench", numCtx, summaryRequest: form };
  let ids = 0;
  const session = new Session(
    {
      chatModel: model,
      tools: benchTools(model),
      describeWorkspace: () =>
        Promise.resolve({
          folders: [{ name: "bench", path: "/home/user/bench" }],
          operatingSystem: "linux",
          shell: "bash",
          date: "2026-01-01",
        }),
      settings: () => settings,
      store: { append: () => Promise.resolve() },
      now: () => 0,
      newId: () => `b${++ids}`,
      log: () => undefined,
    },
    [],
  );
  for (const [index, turn] of conversation.turns.entries()) {
    model.begin(turn);
    const outcome = session.send(`m${index}`, turn.user);
    if (!outcome.accepted) throw new Error(outcome.message);
    await idle(session);
  }
  return {
    ...model.seen,
    ...needlesIn(
      model.seen.lastRequest,
      needles.filter(({ value }) => model.seen.shown.has(value)),
    ),
    ...countsOf(session),
  };
}

/** How many needles of each origin a request holds. */
export function needlesIn(request: string, needles: readonly Needle[]): Pick<Played, "found" | "planted"> {
  const found = { user: 0, tool: 0, decision: 0 };
  const planted = { user: 0, tool: 0, decision: 0 };
  for (const { value, origin } of needles) {
    planted[origin]++;
    if (request.includes(value)) found[origin]++;
  }
  return { found, planted };
}

function countsOf(
  session: Session,
): Pick<Played, "rounds" | "compactions" | "loops" | "turnsFailed" | "estimates"> {
  const { events } = session;
  const replies = events.filter((event) => event.type === "assistant_message");
  let loops = 0;
  let isFresh = false;
  for (const { type } of events) {
    if (type === "compacted") {
      if (isFresh) loops++;
      isFresh = true;
    }
    if (type === "user_message" || type === "assistant_message" || type === "tool_result") isFresh = false;
  }
  return {
    rounds: replies.length,
    compactions: events.filter(({ type }) => type === "compacted").length,
    loops,
    turnsFailed: events.filter((event) => event.type === "turn_ended" && event.reason !== "done").length,
    estimates: replies.map(({ estimatedPromptTokens, usage }: AssistantMessage, index) => ({
      reply: index + 1,
      expected: estimatedPromptTokens,
      counted: usage.promptTokens ?? 0,
    })),
  };
}

/** The real schemas, so that the fixed part of a request is as large as in use; reading gives what the script says. */
function benchTools(model: HonestModel): readonly AnyTool[] {
  const unused = {} as never;
  const real = createTools({ workspace: unused, shell: unused, limits: { commandTimeLimitSeconds: 120 } });
  return real.map(({ schema }) =>
    toAnyTool<{ path: string }>({
      schema,
      parse: ({ path }) => (typeof path === "string" ? { path } : { error: "path is missing" }),
      run: ({ path }, { maxCharacters }) => {
        const [, round = "0", call = "0"] = /^r(\d+)c(\d+)/.exec(path) ?? [];
        const content = model.result(Number(round), Number(call)).slice(0, maxCharacters);
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

function idle(session: Session): Promise<void> {
  return new Promise((resolve) => {
    const stop = session.onEvent((event) => {
      if (event.type !== "phase_changed" || event.phase.name !== "idle") return;
      stop();
      resolve();
    });
  });
}
