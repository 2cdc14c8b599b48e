import type { Usage } from "../shared/events";

/** Below this share of what was expected a count is a sign that the server cut the prompt. */
const SUSPICIOUS_SHARE = 0.6;

/**
 * True when the server's count shows that it cut the prompt in silence. Servers that ignore `truncate: false` fit a long prompt
 * to num_ctx or num_ctx − 1 tokens, or to num_ctx / 2 + 2 from 0.30.11 on (Ollama #17427); `expected` is the estimate that the
 * request was sent with, and `counted` what was already measured of the same beginning (both in tokens).
 */
export function isPromptCut(usage: Usage, expected: number, counted: number, numCtx: number): boolean {
  const { promptTokens } = usage;
  if (promptTokens === undefined || promptTokens <= 0) return false;
  const isHalf = Math.abs(promptTokens - (numCtx / 2 + 2)) <= 2 && expected > promptTokens * 1.25;
  const isWhole = promptTokens >= numCtx - 1 && expected > numCtx;
  const isFarBelow = counted > 0 && expected > numCtx * 0.5 && promptTokens < counted * SUSPICIOUS_SHARE;
  return isHalf || isWhole || isFarBelow;
}
