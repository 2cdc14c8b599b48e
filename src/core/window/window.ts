import type { KeptFacts, TokenCount } from "../../shared/events";
import type { Meter } from "../../shared/live";
import type { ContextBreakdown, ContextPart } from "../../shared/protocol";
import { REPLY_ROOM, SHARES } from "../limits";
import type { ToolSchema } from "../ports";
import type { Context } from "./context";
import {
  estimateConversation,
  estimateFixed,
  estimateMessages,
  estimateText,
  leftOutThinking,
  type Rates,
} from "./estimate";
import type { ContextMessage } from "./messages";
import { renderKeptSections, SUMMARY_SENTENCE } from "./summaryMessage";

/** The window of a session and what is needed to count in it. All numbers are tokens. */
export interface Window {
  readonly numCtx: number;
  readonly compactAt: number;
  readonly tools: readonly ToolSchema[];
  readonly rates: Rates;
}

/** `compactAt` for a window and a threshold between 0 and 1; at 0.8 it is floor(N × 8 / 10). */
export function compactAtOf(numCtx: number, threshold: number): number {
  // In integers, since 0.8 × N in floating point can fall just below a whole number.
  return Math.floor((numCtx * Math.round(threshold * 1000)) / 1000);
}

/** How much of the window is kept free for the reply, in tokens. */
export function replyRoomOf(numCtx: number): number {
  return Math.min(REPLY_ROOM.maximum, Math.max(REPLY_ROOM.minimum, Math.floor(numCtx * SHARES.replyRoom)));
}

/** The size of a request with these messages: measured as far as the anchor reaches, estimated beyond it. */
export function promptTokens(context: Pick<Context, "messages" | "anchor">, window: Window): TokenCount {
  const { messages, anchor } = context;
  if (anchor === undefined) {
    const [system, ...others] = messages;
    const isSystemFirst = system?.role === "system";
    const fixed = fixedTokens(isSystemFirst ? system.content : "", window);
    const conversation = estimateConversation(isSystemFirst ? others : messages, window.rates);
    const tokens = fixed + conversation - leftOutThinking(messages, window.rates);
    return { tokens, estimated: true };
  }
  const added = messages.slice(anchor.index + 1);
  const { swaps = [] } = anchor;
  if (added.length === 0 && swaps.length === 0) return { tokens: anchor.tokens, estimated: false };
  const size = (message: ContextMessage) => estimateMessages([message], window.rates);
  const swapped = swaps.reduce((sum, one) => sum + size(one.in) - size(one.out), 0);
  const tokens = anchor.tokens + swapped + estimateMessages(added, window.rates);
  return { tokens: Math.max(1, tokens), estimated: true };
}

/** The part of a prompt that is not only estimated, in tokens: counted by the server, or else the same on every request. */
export function knownTokens(
  { messages, anchor }: Pick<Context, "messages" | "anchor">,
  window: Window,
): number {
  if (anchor !== undefined && anchor.swaps === undefined) return anchor.tokens;
  return fixedTokens(systemPromptOf({ messages }), window);
}

/** The system prompt of a context; empty before it is built. */
export function systemPromptOf({ messages }: Pick<Context, "messages">): string {
  return messages[0]?.role === "system" ? messages[0].content : "";
}

/** The tokens of the parts that every request has: tool list and system prompt. */
export function fixedTokens(systemPrompt: string, window: Window): number {
  return estimateFixed(systemPrompt, window.tools, window.rates);
}

/** What pins take in slot 1 of a context, in tokens. */
export function pinTokens(pins: readonly string[], rates: Rates): number {
  return estimateText(renderKeptSections({ ...NOTHING_KEPT, pins }).join("\n\n"), rates);
}

/** What the meter shows for this context. */
export function meterOf(context: Context, window: Window): Meter {
  const used = promptTokens(context, window);
  const isFull = used.tokens >= window.numCtx;
  const level = isFull ? "full" : used.tokens > window.compactAt ? "near" : "ok";
  return { used, window: window.numCtx, compactAt: window.compactAt, level };
}

/** What fills the window. The estimated parts are scaled so that they add up to what the meter shows. */
export function breakdownOf(context: Context, window: Window): ContextBreakdown {
  const used = promptTokens(context, window);
  const parts = scaleTo(used.tokens, estimatedParts(context, window));
  const room = Math.max(0, Math.min(replyRoomOf(window.numCtx), window.numCtx - used.tokens));
  return {
    window: window.numCtx,
    used,
    compactAt: window.compactAt,
    parts: [
      ...parts,
      { name: "reply_room", tokens: room },
      { name: "free", tokens: Math.max(0, window.numCtx - used.tokens - room) },
    ],
  };
}

function estimatedParts(context: Context, window: Window): ContextPart[] {
  const { rates } = window;
  const { compaction, messages } = context;
  const tokens = { system_prompt: 0, tool_results: 0, conversation: 0 };
  for (const message of messages) {
    if (message.source === compaction?.id && message.role === "user") continue;
    if (message.role === "system") tokens.system_prompt += estimateFixed(message.content, [], rates);
    else
      tokens[message.role === "tool" ? "tool_results" : "conversation"] += estimateMessages([message], rates);
  }
  const kept = compaction?.kept;
  const only = (part: Partial<KeptFacts>) =>
    kept === undefined
      ? 0
      : estimateText(renderKeptSections({ ...NOTHING_KEPT, ...part }).join("\n\n"), rates);
  const { words = [], wordsCut = 0, request, pins = [], pinsCut = 0 } = kept ?? {};
  const { files = [], filesCut = 0, commands = [], commandsCut = 0 } = kept ?? {};
  return [
    { name: "system_prompt", tokens: tokens.system_prompt },
    { name: "tools", tokens: estimateFixed("", window.tools, rates) },
    { name: "summary", tokens: compaction ? estimateText(SUMMARY_SENTENCE + compaction.summary, rates) : 0 },
    { name: "your_words", tokens: only({ words, wordsCut, ...(request === undefined ? {} : { request }) }) },
    { name: "pins", tokens: only({ pins, pinsCut }) },
    { name: "files_and_commands", tokens: only({ files, filesCut, commands, commandsCut }) },
    { name: "tool_results", tokens: tokens.tool_results },
    { name: "conversation", tokens: tokens.conversation },
  ];
}

const NOTHING_KEPT: KeptFacts = {
  words: [],
  wordsCut: 0,
  files: [],
  filesCut: 0,
  commands: [],
  commandsCut: 0,
};

/** Whole numbers in the proportion of `parts` that add up to exactly `total`. */
function scaleTo(total: number, parts: readonly ContextPart[]): ContextPart[] {
  const sum = parts.reduce((all, { tokens }) => all + tokens, 0);
  if (sum === 0) return [...parts];
  let before = 0;
  let given = 0;
  return parts.map(({ name, tokens }) => {
    before += tokens;
    const upTo = Math.round((before / sum) * total);
    const share = upTo - given;
    given = upTo;
    return { name, tokens: share };
  });
}
