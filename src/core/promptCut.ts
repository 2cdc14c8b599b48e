import type { Usage } from "../shared/events";
import type { Context } from "./context";
import { estimateText, type Rates } from "./estimate";

/** What a count of the server is held against: what was sent at the least, in tokens. */
export interface PromisedPrompt {
  /** An estimate of the whole prompt. */
  readonly expected: number;
  /** What of its beginning the server itself has counted before; 0 for nothing. */
  readonly counted: number;
}

/**
 * What a prompt of `expected` tokens must at least come to. Servers leave out the thinking of the turns before a new message of the
 * user, so a measured beginning may shrink by that much without having been cut.
 */
export function promisedPrompt(
  { messages, anchor }: Pick<Context, "messages" | "anchor">,
  expected: number,
  rates: Rates,
): PromisedPrompt {
  if (anchor === undefined) return { expected, counted: 0 };
  const isNewTurn = messages.slice(anchor.index + 1).some(({ role }) => role === "user");
  if (!isNewTurn) return { expected, counted: anchor.tokens };
  const measured = messages.slice(0, anchor.index + 1);
  const turn = measured.slice(measured.findLastIndex(({ role }) => role === "user") + 1);
  const stripped = turn.reduce(
    (sum, message) => sum + (message.role === "assistant" ? estimateText(message.thinking, rates) : 0),
    0,
  );
  return { expected: Math.max(1, expected - stripped), counted: Math.max(1, anchor.tokens - stripped) };
}

/** Below these shares of what was counted before, or else only estimated, a count is a sign that the server cut the prompt. */
const SUSPICIOUS = { ofCounted: 0.6, ofEstimated: 0.25 } as const;

/** Windows that servers have without being asked are powers of two from here on. */
const SMALLEST_WINDOW = 1024;

/**
 * True when the server's count shows that it cut the prompt in silence. Servers that ignore `truncate: false` fit a long prompt
 * to the window or one token less, or to half of it and two tokens from 0.30.11 on (Ollama #17427); and the window may be
 * another than the one that was asked for.
 */
export function isPromptCut(usage: Usage, { expected, counted }: PromisedPrompt, numCtx: number): boolean {
  const { promptTokens } = usage;
  if (promptTokens === undefined || promptTokens <= 0) return false;
  if (promptTokens >= numCtx - 1 && expected > numCtx) return true;
  if (isHalfOf(promptTokens, numCtx) && expected > promptTokens * 1.25) return true;
  if (isOfSmallerWindow(promptTokens, numCtx) && expected > promptTokens * 1.5) return true;
  const least = counted > 0 ? counted * SUSPICIOUS.ofCounted : expected * SUSPICIOUS.ofEstimated;
  return expected > numCtx * 0.5 && promptTokens < least;
}

/** num_ctx / 2 + 2, give or take two. */
function isHalfOf(promptTokens: number, numCtx: number): boolean {
  return Math.abs(promptTokens - (numCtx / 2 + 2)) <= 2;
}

function isOfSmallerWindow(promptTokens: number, numCtx: number): boolean {
  for (let window = SMALLEST_WINDOW; window < numCtx; window *= 2) {
    if (promptTokens === window || promptTokens === window - 1 || isHalfOf(promptTokens, window)) return true;
  }
  return false;
}
