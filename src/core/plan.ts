import type { KeptFacts, LogEvent, ShortenedMessage } from "../shared/events";
import { estimateMessages, estimateText, type Rates } from "./estimate";
import { keepFacts } from "./kept";
import { SHARES } from "./limits";
import { cutToTokens } from "./cutToTokens";
import type { ContextMessage } from "./messages";
import { renderKeptSections, SUMMARY_SENTENCE } from "./summaryMessage";
import { groupsOf, tailStart, unreadCount, type Group } from "./tail";

import { fixedTokens, replyRoomOf, type Window } from "./window";

/** Everything that decides what a compaction will do. */
export interface PlanInput {
  readonly events: readonly LogEvent[];
  readonly messages: readonly ContextMessage[];
  /** How many of the newest messages to keep verbatim. */
  readonly keep: number;
  readonly window: Window;
  /** The system prompt of the new context, built afresh. */
  readonly systemPrompt: string;
}

/** What a compaction will do, before any model is asked: what is summarised, what stays, what is shortened and why. */
export interface CompactionPlan {
  /** All messages but the system prompt, in order: what the summary is made of. */
  readonly toSummarise: readonly ContextMessage[];
  /** How many of these are replaced by the summary; the others also stay verbatim. */
  readonly messagesSummarised: number;
  readonly tail: readonly ContextMessage[];
  readonly tailFrom: string | undefined;
  readonly shortened: readonly ShortenedMessage[];
  readonly kept: KeptFacts;
  /** The most tokens that the summary may take in the new context. */
  readonly summaryTokens: number;
  /** Estimates for the new context without the summary, and for the old one, in tokens. */
  readonly tokensWithoutSummary: number;
  readonly reasons: readonly PlanReason[];
}

/** Why a plan departs from "keep the last messages as they are". */
export type PlanReason =
  | { readonly why: "tail_too_large"; readonly groupsLeft: number }
  | {
      readonly why: "message_too_large";
      readonly eventId: string;
      readonly tokens: number;
      readonly keptTokens: number;
    }
  | { readonly why: "unread_kept_whole"; readonly tokens: number };

/** The parts of slot 1, as multiples of their shares of the window. */
export interface SlotScale {
  readonly summary: number;
  readonly words: number;
  readonly ledger: number;
}

/** What slot 1 may take: all of its shares, or less when the newest messages leave no room for them. The summary gives way last. */
export const SLOT_SCALES = [
  { summary: 1, words: 1, ledger: 1 },
  { summary: 1, words: 1, ledger: 0 },
  { summary: 1, words: 1 / 2, ledger: 0 },
  { summary: 1 / 2, words: 1 / 4, ledger: 0 },
] as const satisfies readonly SlotScale[];

/** The plan for compacting `messages`; undefined when every message would stay and there is nothing to summarise. */
export function planCompaction(input: PlanInput): CompactionPlan | undefined {
  let plan: CompactionPlan | undefined;
  for (const scale of SLOT_SCALES) {
    plan = planAtScale(input, scale);
    if (plan === undefined || planFits(plan, input.window)) return plan;
  }
  return plan;
}

function planAtScale(input: PlanInput, scale: SlotScale): CompactionPlan | undefined {
  const { messages, window } = input;
  const first = isSummary(messages[1]) ? 2 : 1;
  const summaryTokens = Math.floor(window.numCtx * SHARES.summary * scale.summary);
  const fixed = fixedTokens(input.systemPrompt, window);
  const start = Math.max(first, tailStart(messages, input.keep));
  const groups = groupsOf(messages, start);
  const unread = unreadCount(messages);
  const reasons: PlanReason[] = [];

  let left = 0;
  let parts = partsFor(input, start, scale);
  const isOver = (share: number) => {
    const tail = tokensOf(groups.slice(left), window.rates);
    return fixed + parts.tokens + summaryTokens + tail > Math.floor(window.numCtx * share);
  };
  while (left < groups.length - 1 && isOver(SHARES.afterCompactionAim)) {
    left++;
    parts = partsFor(input, groups[left]?.start ?? messages.length, scale);
  }
  if (left > 0) reasons.push({ why: "tail_too_large", groupsLeft: left });
  const tail = groups.slice(left).flatMap((group) => group.messages);
  const tailIndex = messages.length - tail.length;
  if (tailIndex <= first) return undefined;
  const room = Math.floor(window.numCtx * SHARES.afterCompaction) - fixed - parts.tokens - summaryTokens;
  const fitted = isOver(SHARES.afterCompaction)
    ? fitTail(tail, unread, room, window)
    : { tail, shortened: [], reasons: [] };
  return {
    toSummarise: messages.slice(1),
    messagesSummarised: tailIndex - 1,
    tail: fitted.tail,
    tailFrom: tail[0]?.source,
    shortened: fitted.shortened,
    kept: parts.kept,
    summaryTokens,
    tokensWithoutSummary: fixed + parts.tokens + estimateMessages(fitted.tail, window.rates),
    reasons: [...reasons, ...fitted.reasons],
  };
}

/** True when the new context of a plan leaves room for a reply, even with the largest summary. */
export function planFits(plan: CompactionPlan, window: Window): boolean {
  return plan.tokensWithoutSummary + plan.summaryTokens + replyRoomOf(window.numCtx) <= window.numCtx;
}

function isSummary(message: ContextMessage | undefined): boolean {
  return message?.role === "user" && message.content.startsWith(SUMMARY_SENTENCE);
}

function tokensOf(groups: readonly Group[], rates: Rates): number {
  return estimateMessages(
    groups.flatMap(({ messages }) => messages),
    rates,
  );
}

/** What slot 1 keeps by code when the tail begins at `start`, and its size with the bracketed sentence, in tokens. */
function partsFor(
  input: PlanInput,
  start: number,
  scale: SlotScale,
): { readonly kept: KeptFacts; readonly tokens: number } {
  const { events, messages, window } = input;
  const { numCtx, rates } = window;
  const tailFrom = messages[start]?.source;
  const end = tailFrom === undefined ? events.length : events.findIndex(({ id }) => id === tailFrom);
  const newest = events.findLastIndex(({ type }) => type === "user_message");
  const request = events[newest];
  const caps = { words: numCtx * SHARES.words * scale.words, ledger: numCtx * SHARES.ledger * scale.ledger };
  const isRequestBefore = newest !== -1 && newest < end && request?.type === "user_message";
  const kept = keepFacts(events.slice(0, end), isRequestBefore ? request.text : undefined, caps, rates);
  const text = [SUMMARY_SENTENCE, ...renderKeptSections(kept)].join("\n\n");
  // A message's own marks and the empty lines around the summary.
  return { kept, tokens: estimateText(text, rates) + 12 };
}

interface FittedTail {
  readonly tail: readonly ContextMessage[];
  readonly shortened: readonly ShortenedMessage[];
  readonly reasons: readonly PlanReason[];
}

/** The newest group alone is too large: its read messages are shortened, largest first; unread ones stay whole. */
function fitTail(tail: readonly ContextMessage[], unread: number, room: number, window: Window): FittedTail {
  const { rates } = window;
  const sizes = tail.map((message) => estimateMessages([message], rates));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  if (unread > 0) return { tail, shortened: [], reasons: [{ why: "unread_kept_whole", tokens: total }] };
  const share = Math.max(MINIMUM_MESSAGE_TOKENS, Math.floor(room / Math.max(1, tail.length)));
  const shortened: ShortenedMessage[] = [];
  const reasons: PlanReason[] = [];
  const fitted = tail.map((message, index) => {
    const tokens = sizes[index] ?? 0;
    if (tokens <= share || message.content === "") return message;
    const content = cutToTokens(
      message.content,
      share,
      rates,
      "shortened to fit the context window; ask or re-read for the rest",
    );
    shortened.push({ eventId: message.source, content });
    reasons.push({ why: "message_too_large", eventId: message.source, tokens, keptTokens: share });
    return { ...message, content };
  });
  return { tail: fitted, shortened, reasons };
}

/** A shortened message keeps at least this much. */
const MINIMUM_MESSAGE_TOKENS = 64;
