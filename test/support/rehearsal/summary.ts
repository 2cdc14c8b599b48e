import type { WireMessage } from "../server/wire";
import { sentencesOf } from "./facts";

/** True for a request whose last message asks for a summary of the conversation, with or without tools offered. */
export function asksForSummary(messages: readonly WireMessage[], hasTools: boolean): boolean {
  const last = messages.at(-1);
  if (last?.role !== "user") return false;
  const text = last.content ?? "";
  if (!hasTools) return /summar/i.test(text);
  return /^\W*summari[sz]e\b[^\n]{0,80}\bconversation\b/i.test(text);
}

/** A summary made by copying: what earlier notes and the user said, what was called, and the last answer. */
export function summarise(messages: readonly WireMessage[], numCtx: number): string {
  const instruction = messages.at(-1)?.content ?? "";
  const spoken = messages.slice(0, -1).filter((message) => message.role !== "system");
  const asked = Number(/at most (\d+) words/i.exec(instruction)?.[1] ?? numCtx / 16);
  const total = spoken.reduce((sum, message) => sum + wordCount(message.content ?? ""), 0);
  const focus =
    /what concerns this: (.+)/i.exec(instruction)?.[1]?.toLowerCase().split(/\W+/).filter(Boolean) ?? [];
  const lines = [...new Set(spoken.flatMap(linesOf))];
  const about = (line: string): number => focus.filter((word) => line.toLowerCase().includes(word)).length;
  const ranked = lines.toSorted((left, right) => about(right) - about(left));
  let room = Math.max(12, Math.min(asked, total / 2));
  const kept = new Set<string>();
  for (const line of ranked) {
    if (wordCount(line) > room) continue;
    room -= wordCount(line);
    kept.add(line);
  }
  const chosen = lines.filter((line) => kept.has(line));
  const shown = chosen.length > 0 ? chosen : [(lines[0] ?? "Nothing was said yet.").slice(0, 80)];
  return shown.map((line) => `- ${line}`).join("\n");
}

/** The longest sentence that is copied, in characters. */
const LONGEST = 200;

function linesOf(message: WireMessage): readonly string[] {
  const text = message.content ?? "";
  if (message.role === "tool") return [];
  if (message.role === "assistant")
    return (message.tool_calls ?? []).map((call) => {
      const { path, command, pattern } = call.function.arguments;
      const target = [path, command, pattern].find((value) => typeof value === "string");
      return `Called ${call.function.name}${target === undefined ? "" : ` on ${target}`}.`;
    });
  // What code keeps after a summary is carried over by code; copying it would say it twice.
  const notes = text.startsWith("[") ? (text.split(/\n\n/)[1] ?? "") : text;
  return sentencesOf(notes).filter((sentence) => sentence.length <= LONGEST && !sentence.endsWith("?"));
}

function wordCount(text: string): number {
  return text.split(/\s+/).filter(Boolean).length;
}
