import type { LogBody, LogEvent } from "../../src/shared/events";
import { stamp } from "../../test/support/conversations";

/** What a turn of the conversation and all the rest of its prompt take of the small model's tokens, as the server counts them. */
const TURN_TOKENS = 209;
const FIXED_TOKENS = 560;

/** The turns of a conversation whose prompt has at least so many tokens, and hardly more. */
export function turnsFor(tokens: number): number {
  return Math.ceil((tokens - FIXED_TOKENS) / TURN_TOKENS);
}

/** One question with its answer, counted as a server would, so that nobody takes the conversation for larger than it is. */
function turn(model: string, n: number): LogBody[] {
  const promptTokens = FIXED_TOKENS + n * TURN_TOKENS + QUESTION_TOKENS;
  const text = `Step ${n}: ${"it reads the next line, and gives back what it has found there. ".repeat(12)}`;
  return [
    { type: "user_message", text: `Question ${n}: what does step ${n} do?` },
    {
      type: "assistant_message",
      model,
      text,
      thinking: "",
      toolCalls: [],
      end: "complete",
      usage: { promptTokens, replyTokens: TURN_TOKENS - QUESTION_TOKENS },
      estimatedPromptTokens: 0,
    },
    { type: "turn_ended", reason: "done" },
  ];
}

const QUESTION_TOKENS = 18;

/** A stored session of so many turns that begins like no other: nothing of it may be in a cache from an earlier run. */
export function storedConversation(
  {
    model,
    numCtx,
    systemPrompt,
  }: { readonly model: string; readonly numCtx: number; readonly systemPrompt: string },
  run: string,
  turns: number,
): LogEvent[] {
  return stamp([
    { type: "session_started", sessionId: run },
    { type: "window_set", model, numCtx, source: "settings" },
    { type: "prompt_built", systemPrompt },
    { type: "user_message", text: `This is conversation ${run}. Remember periwinkle-7.` },
    ...Array.from({ length: turns }, (_, n) => turn(model, n)).flat(),
  ]);
}
