import type { Usage } from "../../shared/events";
import type { Context } from "./context";
import { BELIEVABLE, estimateText, leftOutThinking, type Rates } from "./estimate";

/** What a count of the server is held against: what was sent at the least, in tokens. */
export interface PromisedPrompt {
  /** An estimate of the whole prompt. */
  readonly expected: number;
  /** What of its beginning the server itself has counted before; 0 for nothing. */
  readonly counted: number;
}

/**
 * What a prompt of `expected` tokens must at least come to. Servers leave out the thinking of earlier turns, and some all of it, so
 * a measured beginning may shrink by that much without having been cut.
 */
export function promisedPrompt(
  { messages, anchor }: Pick<Context, "messages" | "anchor">,
  expected: number,
  rates: Rates,
): PromisedPrompt {
  const thought = leftOutThinking(messages, rates, "all") - leftOutThinking(messages, rates);
  if (anchor === undefined || anchor.swaps !== undefined)
    return { expected: Math.max(1, expected - thought), counted: 0 };
  const measured = messages.slice(0, anchor.index + 1);
  const turn = measured.slice(measured.findLastIndex(({ role }) => role === "user") + 1);
  const thinking = turn.map((message) => (message.role === "assistant" ? message.thinking : ""));
  const stripped = thinking.reduce((sum, text) => sum + estimateText(text, rates), 0);
  return { expected: Math.max(1, expected - stripped), counted: Math.max(1, anchor.tokens - stripped) };
}

/** A prompt that was only appended to and still counts less than this share of before has lost its beginning. */
const FALLEN_SHARE = 0.75;
/** A fall by fewer tokens can come from how a reply is written back. */
const LEAST_FALL = 200;
/** The same share for a prompt of which nothing was counted before. */
const ESTIMATED_SHARE = 0.25;
/** Windows that servers have without being asked are powers of two from here on. */
const SMALLEST_WINDOW = 1024;

/** A prompt that the server cut in silence. */
export interface PromptCut {
  /** The window that the server seems to have, in tokens, when it is another than the one that was asked for. */
  readonly window: number | undefined;
}

/**
 * The cut that the server's count shows, if any. Servers that ignore `truncate: false` fit a long prompt to the window or one token
 * less, or to half of it and two tokens from 0.30.11 on (Ollama #17427); and the window may be another than the one asked for.
 */
export function findPromptCut(
  { promptTokens }: Usage,
  { expected, counted }: PromisedPrompt,
  numCtx: number,
): PromptCut | undefined {
  if (promptTokens === undefined || promptTokens <= 0) return undefined;
  const window = expected > promptTokens * 1.5 ? smallerWindow(promptTokens, numCtx) : undefined;
  const isWhole = promptTokens >= numCtx - 1 && expected > numCtx;
  const isHalf = isHalfOf(promptTokens, numCtx) && expected > promptTokens * 1.25;
  if (isWhole || isHalf) return { window: undefined };
  if (window !== undefined) return { window };
  const hasFallen = promptTokens < counted * FALLEN_SHARE && counted - promptTokens > LEAST_FALL;
  const isFarBelow = counted === 0 && expected > numCtx / 2 && promptTokens < expected * ESTIMATED_SHARE;
  return hasFallen || isFarBelow ? { window: undefined } : undefined;
}

/**
 * The counts without those that cannot be true: a prompt far below what it must come to at the least (`promised`) or far above its
 * estimate, and a reply larger than the window. One such count would hide that the window fills up, or have it filled for good.
 */
export function withoutAbsurd(
  { promptTokens, replyTokens, ...others }: Usage,
  {
    expected,
    promised,
    numCtx,
  }: { readonly expected: number; readonly promised: number; readonly numCtx: number },
): Usage {
  const { lowest, highest } = BELIEVABLE;
  const isPrompt =
    promptTokens !== undefined && promptTokens > promised * lowest && promptTokens < expected * highest;
  return {
    ...others,
    ...(isPrompt && { promptTokens }),
    ...(replyTokens !== undefined && replyTokens <= numCtx && { replyTokens }),
  };
}

/** num_ctx / 2 + 2, give or take two. */
function isHalfOf(promptTokens: number, numCtx: number): boolean {
  return Math.abs(promptTokens - (numCtx / 2 + 2)) <= 2;
}

function smallerWindow(promptTokens: number, numCtx: number): number | undefined {
  for (let window = SMALLEST_WINDOW; window < numCtx; window *= 2) {
    if (promptTokens === window || promptTokens === window - 1 || isHalfOf(promptTokens, window))
      return window;
  }
  return undefined;
}
