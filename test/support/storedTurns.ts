import type { LogBody, LogEvent } from "../../src/shared/events";
import { stamp } from "./conversations";

/** A stored session of `turns` questions with answers of about 260 tokens each, for the model `scripted`. */
export function storedTurns(turns: number, numCtx: number): LogEvent[] {
  const bodies = Array.from({ length: turns }, (_, n): LogBody[] => [
    { type: "user_message", text: `Question ${n}: what does step ${n} do?` },
    {
      type: "assistant_message",
      model: "scripted",
      text: `Answer ${n}: ${"it reads the next line, and gives back what it has found there. ".repeat(15)}`,
      thinking: "",
      toolCalls: [],
      end: "complete",
      usage: {},
      estimatedPromptTokens: 0,
    },
    { type: "turn_ended", reason: "done" },
  ]);
  return stamp([
    { type: "session_started", sessionId: "s1" },
    { type: "window_set", model: "scripted", numCtx, source: "settings" },
    { type: "prompt_built", systemPrompt: "You are Loom." },
    ...bodies.flat(),
  ]);
}
