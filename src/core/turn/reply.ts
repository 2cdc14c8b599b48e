import type { AssistantMessage, Failure, LogEvent, ToolCall } from "../../shared/events";
import { adoptSmallerWindow, modelOf, replyBudget, windowOf, type Agent } from "../agent";
import { compact } from "../compaction/compactor";
import { LEAST_REPLY_TOKENS } from "../limits";
import type { ChatOutcome, ChatReply, ChatRequest, ReplyDelta } from "../ports";
import { cachedAnchor, type Context } from "../window/context";
import { LARGER_WINDOW } from "../window/numCtx";
import {
  findPromptCut,
  promisedPrompt,
  withoutAbsurd,
  type PromisedPrompt,
  type PromptCut,
} from "../window/promptCut";
import { knownTokens, promptTokens, replyRoomOf } from "../window/window";
import { ReplyPhases } from "./replyPhases";

/** What came of asking the model once. */
export type ReplyOutcome =
  | { readonly type: "reply"; readonly event: LogEvent & AssistantMessage }
  | { readonly type: "stopped" }
  | { readonly type: "failed"; readonly failure: Failure };

/** Asks the model for its next reply. An overflow leads to one compaction and one retry (design §3.2). */
export async function askModel(agent: Agent, signal: AbortSignal): Promise<ReplyOutcome> {
  const room = await makeRoom(agent, signal);
  if (room !== undefined) return room;
  const first = await attempt(agent, signal);
  if (first.outcome.type !== "failed" || first.outcome.failure.kind !== "window_exceeded") {
    return settle(agent, first);
  }
  agent.journal.emit({ type: "reply_discarded" });
  takeNumbersOver(agent, first);
  const compaction = await compact(agent, "overflow", undefined, signal);
  if (compaction.type === "stopped") return { type: "stopped" };
  const { unreachable } = compaction.type === "failed" ? compaction : {};
  if (compaction.type !== "compacted")
    return { type: "failed", failure: unreachable ?? first.outcome.failure };
  const second = await attempt(agent, signal);
  takeNumbersOver(agent, second);
  return settle(agent, second);
}

/**
 * Looks before sending (design §3.3): compacts when the prompt and a reply would not fit. Not at the threshold already: between two rounds
 * of a turn that would cost a summary which the end of the turn, where the threshold counts, may show to be needless.
 */
async function makeRoom(agent: Agent, signal: AbortSignal): Promise<ReplyOutcome | undefined> {
  const wasCut = wasLastPromptCut(agent);
  if (fits(agent) && !wasCut) return undefined;
  const outcome = await compact(agent, wasCut ? "overflow" : "window_full", undefined, signal);
  if (outcome.type === "stopped") return { type: "stopped" };
  if (outcome.type === "failed" && outcome.unreachable !== undefined)
    return { type: "failed", failure: outcome.unreachable };
  if (outcome.type === "compacted" && fits(agent)) return undefined;
  const window = windowOf(agent);
  const { tokens } = promptTokens(agent.journal.context, window);
  if (tokens + LEAST_REPLY_TOKENS <= window.numCtx) return undefined;
  const cause = outcome.type === "failed" ? outcome.message : LARGER_WINDOW;
  return {
    type: "failed",
    failure: {
      kind: "window_exceeded",
      message: `The next request needs about ${tokens} tokens, and the context window has ${window.numCtx}. ${cause}`,
    },
  };
}

/** True when the server cut the newest prompt in silence and something can still be done about it. */
function wasLastPromptCut(agent: Agent): boolean {
  const last = agent.journal.events.findLast(
    ({ type }) => type === "assistant_message" || type === "compacted",
  );
  return (
    last?.type === "assistant_message" && last.isPromptCut === true && recentCuts(agent) <= CUTS_ANSWERED
  );
}

/** A cut leads to a compaction; one after another so soon is a server whose counts mean something else. */
const CUTS_ANSWERED = 2;
const RECENT_REPLIES = 8;

/** How many of the newest replies were made from a prompt that was cut. */
function recentCuts({ journal }: Agent): number {
  const replies = journal.events.filter((event) => event.type === "assistant_message").slice(-RECENT_REPLIES);
  return replies.filter(({ isPromptCut }) => isPromptCut === true).length;
}

function fits(agent: Agent): boolean {
  const window = windowOf(agent);
  return promptTokens(agent.journal.context, window).tokens + replyRoomOf(window.numCtx) <= window.numCtx;
}

/** The request for the next reply to this context. */
export function requestFor(agent: Agent, context: Context): ChatRequest {
  const window = windowOf(agent);
  return {
    model: modelOf(agent),
    numCtx: window.numCtx,
    messages: context.messages,
    tools: agent.schemas,
    maxReplyTokens: replyBudget(agent, promptTokens(context, window).tokens),
    thinking: "default",
  };
}

interface Attempt {
  readonly id: string;
  readonly outcome: ChatOutcome;
  /** What the prompt was thought to take, in tokens. */
  readonly expected: number;
  /** What of that was counted before, or else is always the same. */
  readonly known: number;
  readonly promised: PromisedPrompt;
}

async function attempt(agent: Agent, signal: AbortSignal): Promise<Attempt> {
  const { journal } = agent;
  const { context } = journal;
  const window = windowOf(agent);
  const expected = promptTokens(context, window).tokens;
  const id = agent.newId();
  const counted = cachedAnchor(context)?.tokens ?? journal.readAhead;
  const phases = new ReplyPhases(agent, { tokens: expected, counted });
  journal.emit({ type: "reply_started", id });
  const onDelta = (delta: ReplyDelta) => {
    phases.heard(delta);
    journal.emit({ type: "reply_delta", ...delta });
  };
  const request = requestFor(agent, context);
  const outcome = await agent.chatModel.chat(request, onDelta, signal, (wait) => phases.waits(wait));
  const known = knownTokens(context, window);
  return { id, outcome, expected, known, promised: promisedPrompt(context, expected, window.rates) };
}

/** What the server said of the prompt that did not fit replaces what was believed. */
function takeNumbersOver(agent: Agent, { outcome, expected, known }: Attempt): void {
  if (outcome.type !== "failed" || outcome.failure.kind !== "window_exceeded") return;
  const { promptTokens: counted, numCtx } = outcome.overflow ?? {};
  const factor = counted === undefined ? 1.3 : (counted - known) / Math.max(1, expected - known);
  agent.journal.raiseRates(modelOf(agent), Math.max(1.05, factor));
  if (numCtx !== undefined) adoptSmallerWindow(agent, numCtx);
}

/** Makes the attempt part of the log: a whole reply, or what there was of it. */
function settle(agent: Agent, { id, outcome, expected, promised }: Attempt): ReplyOutcome {
  if (outcome.type === "reply") {
    return { type: "reply", event: appendReply(agent, id, outcome.reply, { expected, promised }) };
  }
  const { text, thinking } = outcome.partial;
  if (text === "" && thinking === "") agent.journal.emit({ type: "reply_discarded" });
  else {
    agent.journal.append(
      {
        type: "assistant_message",
        model: modelOf(agent),
        text,
        thinking,
        toolCalls: [],
        end: outcome.type,
        usage: {},
        estimatedPromptTokens: expected,
      },
      id,
    );
  }
  return outcome.type === "stopped" ? outcome : { type: "failed", failure: outcome.failure };
}

function appendReply(
  agent: Agent,
  id: string,
  reply: ChatReply,
  { expected, promised }: Pick<Attempt, "expected" | "promised">,
): LogEvent & AssistantMessage {
  const { numCtx } = windowOf(agent);
  const cut = findPromptCut(reply.usage, promised, numCtx);
  const isCutByLength = reply.doneReason === "length";
  const body: AssistantMessage = {
    type: "assistant_message",
    model: modelOf(agent),
    text: reply.text,
    thinking: reply.thinking,
    // A call in a reply that was cut may itself be cut: it is never run.
    toolCalls: isCutByLength ? [] : uniqueCalls(id, reply.toolCalls),
    end: isCutByLength ? "cut_by_length" : "complete",
    usage: cut ? reply.usage : withoutAbsurd(reply.usage, { expected, promised: promised.expected, numCtx }),
    ...(reply.timings === undefined ? {} : { timings: reply.timings }),
    estimatedPromptTokens: expected,
    ...(cut === undefined ? {} : { isPromptCut: true }),
  };
  const event = agent.journal.append(body, id);
  if (cut !== undefined) warnOfCut(agent, body, cut);
  return { ...event, ...body };
}

/** Says that a prompt was cut, and takes the server's window over when the count gives it away. */
function warnOfCut(
  agent: Agent,
  { usage, estimatedPromptTokens }: AssistantMessage,
  { window }: PromptCut,
): void {
  const cuts = recentCuts(agent);
  if (cuts > CUTS_ANSWERED + 1) return;
  const what = `The server read only ${usage.promptTokens ?? 0} tokens of a prompt of about ${estimatedPromptTokens}: it dropped the beginning without saying so.`;
  const answer =
    cuts > CUTS_ANSWERED
      ? "Compacting did not help, so either its context window is smaller than num_ctx (setting loom.numCtx) or its counts are wrong; Loom goes by its own estimates."
      : "Loom compacts the conversation before the next request. An Ollama from 0.12.6 on refuses such a prompt instead.";
  agent.journal.append({ type: "notice", level: "warning", text: `${what} ${answer}` });
  if (window !== undefined) adoptSmallerWindow(agent, window);
}

/** Servers repeat the ids of calls in later replies, or give none. */
function uniqueCalls(replyId: string, calls: readonly ToolCall[]): ToolCall[] {
  return calls.map((call, index) => ({ ...call, id: `${replyId}.${index + 1}` }));
}
