import * as fc from "fast-check";
import type { ContextMessage } from "../../src/core/window/messages";
import type { LogBody, LogEvent, ToolCall } from "../../src/shared/events";

/** Texts that tokenizers and cuts find hard: empty, prose, code, CJK, emoji, one enormous line. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.constant(""),
  fc.lorem({ maxCount: 60 }),
  fc.lorem({ maxCount: 12, mode: "sentences" }),
  fc.string({ maxLength: 200, unit: "grapheme" }),
  fc.constantFrom(
    "読み込みは四番目の関数で失敗します。",
    "👩‍👩‍👧‍👦🧵",
    "if (a[i] !== b[j]) { return { i, j }; }\n",
  ),
  fc.integer({ min: 1, max: 400 }).map((count) => "const value = compute(input, 42);\n".repeat(count)),
  fc.integer({ min: 1, max: 4 }).map((count) => "x".repeat(count * 10_000)),
  fc
    .integer({ min: 1, max: 3 })
    .map((count) => "and so on, ".repeat(count * 2000) + "🧵".repeat(count * 1500)),
);

/** One step of a conversation: what the person says, an answer, or a round of calls with their results. */
type Step =
  | { readonly kind: "user"; readonly text: string }
  | { readonly kind: "answer"; readonly text: string }
  | { readonly kind: "round"; readonly text: string; readonly results: readonly string[] };

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant("user" as const), text: fc.lorem({ maxCount: 30 }) }),
  fc.record({ kind: fc.constant("answer" as const), text: anyText }),
  fc.record({
    kind: fc.constant("round" as const),
    text: anyText,
    results: fc.array(anyText, { minLength: 1, maxLength: 8 }),
  }),
);

/** A well-formed log: it begins with a session and its prompt, and every call has its result. */
export const anyLog: fc.Arbitrary<LogEvent[]> = fc
  .array(anyStep, { maxLength: 40 })
  .map((steps) => stamp([...BEGINNING, ...steps.flatMap(eventsOf)]));

const BEGINNING: LogBody[] = [
  { type: "session_started", sessionId: "s1" },
  { type: "window_set", model: "m", numCtx: 8192, source: "settings" },
  { type: "prompt_built", systemPrompt: "You are Loom." },
];

function eventsOf(step: Step, index: number): LogBody[] {
  if (step.kind === "user") return [{ type: "user_message", text: step.text }];
  const calls =
    step.kind === "round" ? step.results.map((_, call): ToolCall => callOf(`${index}.${call}`)) : [];
  const results = step.kind === "round" ? step.results : [];
  return [
    {
      type: "assistant_message",
      model: "m",
      text: step.text,
      thinking: "",
      toolCalls: calls,
      end: "complete",
      usage: {},
      estimatedPromptTokens: 0,
    },
    ...results.map((content, call): LogBody => ({
      type: "tool_result",
      callId: `${index}.${call}`,
      name: "read_file",
      outcome: "ok",
      content,
      summary: "",
      facts: { kind: "read", path: `src/file${call}.ts`, hash: "h" },
    })),
  ];
}

function callOf(id: string): ToolCall {
  return { id, name: "read_file", arguments: { path: `src/file${id}.ts` } };
}

/** Events with ids and times in order. */
export function stamp(bodies: readonly LogBody[]): LogEvent[] {
  return bodies.map((body, index): LogEvent => ({ ...body, v: 1, id: `e${index}`, at: index }));
}

/** What is wrong with the order of calls and results; undefined when every call has its results right behind it. */
export function pairingFault(messages: readonly ContextMessage[]): string | undefined {
  let expected: string[] = [];
  for (const message of messages) {
    if (message.role === "tool") {
      const next = expected.shift();
      if (next !== message.callId)
        return `the result of ${message.callId} stands where ${next ?? "none"} belongs`;
      continue;
    }
    if (expected.length > 0) return `calls without result: ${expected.join(", ")}`;
    expected = message.role === "assistant" ? message.toolCalls.map(({ id }) => id) : [];
  }
  return expected.length > 0 ? `calls without result: ${expected.join(", ")}` : undefined;
}
