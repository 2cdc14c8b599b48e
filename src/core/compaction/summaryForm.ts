import type { ChatRequest } from "../ports";
import { estimateMessages, estimateText, type Rates } from "../window/estimate";
import type { ContextMessage } from "../window/messages";
import type { Window } from "../window/window";

/** What the person has set for the form of the request for a summary (design §3.10). */
export type SummaryRequestSetting = "auto" | "isolated" | "inPlace";

export const SUMMARY_REQUESTS: readonly SummaryRequestSetting[] = ["auto", "isolated", "inPlace"];

/** Reading the conversation again for less time than this (milliseconds) is not worth the larger prompt of the other form. */
export const REREAD_WORTHWHILE_MS = 2_000;

/** What decides about the form. */
export interface FormFacts {
  readonly setting: SummaryRequestSetting;
  /** The array, the instruction and a summary fit the window. */
  readonly fitsInPlace: boolean;
  /** How long the isolated form would read, as predicted from measured speeds, in milliseconds; undefined without such. */
  readonly rereadMs: number | undefined;
  /** The server has what it read for the last reply. */
  readonly isCached: boolean;
}

/** The form of the request for a summary. What does not fit in place is asked for on its own, whatever is set. */
export function chooseForm({ setting, fitsInPlace, rereadMs, isCached }: FormFacts): "isolated" | "in_place" {
  if (setting === "isolated" || !fitsInPlace) return "isolated";
  if (setting === "inPlace") return "in_place";
  const isQuick = rereadMs !== undefined && rereadMs < REREAD_WORTHWHILE_MS;
  return isQuick || !isCached ? "isolated" : "in_place";
}

/** The array of the next request as it is, with what it takes (tokens). */
export interface InPlaceContext {
  readonly messages: readonly ContextMessage[];
  readonly tokens: number;
}

/** What a request in place takes beside its reply, in tokens. */
export function inPlaceTokens(
  { tokens }: Pick<InPlaceContext, "tokens">,
  instruction: string,
  rates: Rates,
): number {
  return tokens + estimateText(instruction, rates) + MARKS_TOKENS;
}

/** What stands around the instruction, in tokens. */
const MARKS_TOKENS = 16;

/** Whether the array, the instruction and a summary with the usual thinking before it fit the window. */
export function fitsInPlace(
  context: InPlaceContext,
  instruction: string,
  summaryTokens: number,
  { numCtx, rates }: Window,
): boolean {
  const reply = summaryTokens + usualThinking(context.messages, rates);
  return inPlaceTokens(context, instruction, rates) + reply + marginOf(numCtx) <= numCtx;
}

const LAST_REPLIES = 4;

/** The most that one of the newest replies has thought, in tokens. */
function usualThinking(messages: readonly ContextMessage[], rates: Rates): number {
  const replies = messages.filter((message) => message.role === "assistant").slice(-LAST_REPLIES);
  return Math.max(0, ...replies.map(({ thinking }) => estimateText(thinking, rates)));
}

function marginOf(numCtx: number): number {
  return Math.max(16, Math.floor(numCtx / 100));
}

/**
 * The request in place (design §3.10): the unchanged array with its system prompt and the same tools, then the instruction, so
 * that the server reads nothing again.
 */
export function inPlaceRequest(
  model: string,
  window: Window,
  context: InPlaceContext,
  instruction: string,
): ChatRequest {
  const { numCtx, rates, tools } = window;
  const left = numCtx - inPlaceTokens(context, instruction, rates) - marginOf(numCtx);
  return {
    model,
    numCtx,
    messages: [...context.messages, { role: "user", source: "", content: instruction }],
    tools,
    maxReplyTokens: Math.max(64, left),
    thinking: "default",
  };
}

/** How many tokens a request in place makes the server read that counted everything up to `anchorIndex` before. */
export function tokensToReadInPlace(
  messages: readonly ContextMessage[],
  anchorIndex: number,
  instruction: string,
  rates: Rates,
): number {
  const turn = messages.findLastIndex(({ role }) => role === "user") + 1;
  // Templates leave the thinking of a turn out as soon as a message of the user follows it: all behind it is read again.
  const thought = messages.findIndex(
    (message, index) => index >= turn && message.role === "assistant" && message.thinking !== "",
  );
  const from = thought === -1 ? anchorIndex + 1 : Math.min(thought, anchorIndex + 1);
  return estimateMessages(messages.slice(from), rates) + estimateText(instruction, rates) + MARKS_TOKENS;
}
