import type { KeptFacts, LogEvent, ShortenedMessage } from "../../shared/events";
import { LEAST_REPLY_TOKENS, SHARES, SLOT_SCALES, type SlotScale } from "../limits";
import type { StaleFiles } from "../log/files";
import { estimateMessages, estimateText, type Rates } from "../window/estimate";
import type { ContextMessage } from "../window/messages";
import { renderKeptSections, SUMMARY_SENTENCE } from "../window/summaryMessage";
import { fixedTokens, replyRoomOf, type Window } from "../window/window";
import { fitTail } from "./fitTail";
import { keepFacts } from "./kept";
import { keepPins } from "./pins";
import { groupsOf, tailStart, unreadCount, type Group } from "./tail";

/** Everything that decides what a compaction will do. */
export interface PlanInput {
  /** The log as it is: it may grow while a summary is written, by what is pinned or queued. */
  readonly events: readonly LogEvent[];
  readonly messages: readonly ContextMessage[];
  /** How many of the newest messages to keep verbatim. */
  readonly keep: number;
  readonly window: Window;
  /** The system prompt of the new context, built afresh. */
  readonly systemPrompt: string;
  /** Which files are no longer as the model saw them; none are marked when absent. */
  readonly stale?: StaleFiles;
}

/** What a compaction will do, before any model is asked: what is summarised, what stays, what is shortened. */
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
}

/** How far one plan goes. */
interface Draft {
  readonly scale: SlotScale;
  readonly pins: ReturnType<typeof keepPins>;
  /** Whether results that the model has not read may be shortened too: only when they could never be sent whole. */
  readonly shortensUnread: boolean;
}

/** The plan for compacting `messages`; undefined when every message would stay and there is nothing to summarise. */
export function planCompaction(input: PlanInput): CompactionPlan | undefined {
  const pins = keepPins(input.events, input.window.numCtx, input.window.rates);
  let plan: CompactionPlan | undefined;
  for (const shortensUnread of [false, true]) {
    for (const scale of SLOT_SCALES) {
      plan = planDraft(input, { scale, pins, shortensUnread });
      if (plan === undefined || planFits(plan, input.window)) return plan;
    }
    if (plan === undefined || unreadCount(input.messages) === 0 || canBeSent(plan, input.window)) return plan;
  }
  return plan;
}

/** True when the new context of a plan leaves room for a few words, even with the largest summary. */
export function canBeSent(plan: CompactionPlan, { numCtx }: Window): boolean {
  return plan.tokensWithoutSummary + plan.summaryTokens + LEAST_REPLY_TOKENS <= numCtx;
}

function planDraft(input: PlanInput, draft: Draft): CompactionPlan | undefined {
  const { messages, window } = input;
  const { scale } = draft;
  const first = isSummary(messages[1]) ? 2 : 1;
  const summaryTokens = Math.floor(window.numCtx * SHARES.summary * scale.summary);
  const fixed = fixedTokens(input.systemPrompt, window);
  const start = Math.max(first, tailStart(messages, input.keep));
  const groups = groupsOf(messages, start);
  const unread = unreadCount(messages);

  let left = 0;
  let parts = partsFor(input, start, draft);
  const { aim, most } = goalsOf(window);
  const isOver = (goal: number) => {
    const tail = tokensOf(groups.slice(left), window.rates);
    return fixed + parts.tokens + summaryTokens + tail > goal;
  };
  while (left < groups.length - 1 && isOver(aim)) {
    left++;
    parts = partsFor(input, groups[left]?.start ?? messages.length, draft);
  }
  const tail = groups.slice(left).flatMap((group) => group.messages);
  const tailIndex = messages.length - tail.length;
  if (tailIndex <= first) return undefined;
  const room = most - fixed - parts.tokens - summaryTokens;
  const fitted = isOver(most)
    ? fitTail(tail, room, window.rates, unread === 0 ? "read" : draft.shortensUnread ? "results" : "none")
    : { tail, shortened: [] };
  return {
    toSummarise: messages.slice(1),
    messagesSummarised: tailIndex - 1,
    tail: fitted.tail,
    tailFrom: tail[0]?.source,
    shortened: fitted.shortened,
    kept: parts.kept,
    summaryTokens,
    tokensWithoutSummary: fixed + parts.tokens + estimateMessages(fitted.tail, window.rates),
  };
}

/** True when the new context of a plan leaves room for a reply, even with the largest summary. */
function planFits(plan: CompactionPlan, window: Window): boolean {
  return plan.tokensWithoutSummary + plan.summaryTokens + replyRoomOf(window.numCtx) <= window.numCtx;
}

/** What a compaction aims at and what it must reach, in tokens: well below the threshold, or the next turn would set it off again. */
function goalsOf({ numCtx, compactAt }: Window): { readonly aim: number; readonly most: number } {
  return {
    aim: Math.min(Math.floor(numCtx * SHARES.afterCompactionAim), Math.ceil(compactAt / 2)),
    most: Math.min(Math.floor(numCtx * SHARES.afterCompaction), Math.ceil(compactAt * 0.75)),
  };
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
  { scale, pins }: Draft,
): { readonly kept: KeptFacts; readonly tokens: number } {
  const { events, messages, window, stale } = input;
  const { numCtx, rates } = window;
  const tailFrom = messages[start]?.source;
  const end = tailFrom === undefined ? events.length : events.findLastIndex(({ id }) => id === tailFrom);
  const newest = events.findLastIndex(({ type }) => type === "user_message");
  const request = events[newest];
  const caps = { words: numCtx * SHARES.words * scale.words, ledger: numCtx * SHARES.ledger * scale.ledger };
  const isRequestBefore = newest !== -1 && newest < end && request?.type === "user_message";
  const quoted = isRequestBefore ? request.text : undefined;
  const facts = keepFacts(withoutPinned(events.slice(0, end), pins.pins, request), quoted, caps, rates);
  const files = facts.files.map((file) => {
    const since = stale?.get(file.path);
    return since === undefined ? file : { ...file, stale: since };
  });
  const others = pins.pins.filter((text) => text !== quoted?.trim());
  const kept = { ...facts, files, pins: others, pinsCut: pins.pinsCut };
  const text = [SUMMARY_SENTENCE, ...renderKeptSections(kept)].join("\n\n");
  // A message's own marks and the empty lines around the summary.
  return { kept, tokens: estimateText(text, rates) + 12 };
}

/** Nothing is listed twice: a message that is pinned whole is left to the pins. */
function withoutPinned(
  events: readonly LogEvent[],
  pins: readonly string[],
  request: LogEvent | undefined,
): readonly LogEvent[] {
  if (pins.length === 0) return events;
  const isPinned = (event: LogEvent) => event.type === "user_message" && pins.includes(event.text.trim());
  return events.filter((event) => event === request || !isPinned(event));
}
