import type { LogBody, LogEvent } from "../../src/shared/events";
import { stamp } from "../../test/support/conversations";

/** One question with its answer, about 210 tokens of a small model. */
function turn(model: string, n: number): LogBody[] {
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
      usage: {},
      estimatedPromptTokens: 0,
    },
    { type: "turn_ended", reason: "done" },
  ];
}

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
