import type {
  AssistantMessage,
  Compacted,
  LogBody,
  LogEvent,
  ToolCall,
  ToolResult,
} from "../../../src/shared/events";
import type { Meter, SessionEvent } from "../../../src/shared/live";
import type { ModelStatus } from "../../../src/shared/protocol";
import { applyEvent, EMPTY_VIEW, type SessionView } from "../../../src/shared/view";

export const READY = {
  state: "ready",
  address: "http://127.0.0.1:11434",
  model: "qwen3:8b",
  isRehearsal: false,
} satisfies ModelStatus;

let nextId = 0;

/** An event of the log as the host sends it. */
export function logged(body: LogBody): LogEvent {
  nextId += 1;
  return { ...body, v: 1, id: `event-${nextId}`, at: 1_700_000_000_000 + nextId };
}

/** The view of session `s1` after these events. */
export function viewAfter(...events: readonly SessionEvent[]): SessionView {
  return events.reduce(applyEvent, { ...EMPTY_VIEW, sessionId: "s1" });
}

export function said(text: string): LogEvent {
  return logged({ type: "user_message", text });
}

export function answered(text: string, more: Partial<AssistantMessage> = {}): LogEvent {
  return logged({
    type: "assistant_message",
    model: "qwen3:8b",
    text,
    thinking: "",
    toolCalls: [],
    end: "complete",
    usage: {},
    estimatedPromptTokens: 100,
    ...more,
  });
}

export function call(id: string, name: string, args: ToolCall["arguments"]): ToolCall {
  return { id, name, arguments: args };
}

export function result(callId: string, more: Partial<ToolResult> = {}): LogEvent {
  return logged({
    type: "tool_result",
    callId,
    name: "read_file",
    outcome: "ok",
    content: "export const answer = 42;",
    summary: "1 line",
    ...more,
  });
}

export function compacted(more: Partial<Compacted> = {}): LogEvent {
  return logged({
    type: "compacted",
    trigger: "automatic",
    model: "qwen3:8b",
    form: "in_place",
    parts: 1,
    summary: "- Goal: **rename** the parser\n- `src/parse.ts` read, not changed yet",
    systemPrompt: "You are Loom.",
    shortened: [],
    kept: {
      words: ["The deploy password is periwinkle-7.", "Rename parse() to read(), never touch the tests."],
      wordsCut: 1,
      request: "Now read the parser.",
      pins: ["Port 8443 only."],
      files: [
        { path: "src/parse.ts", hash: "a", changed: false },
        { path: "src/main.ts", hash: "b", changed: true, stale: "changed" },
      ],
      filesCut: 0,
      commands: [{ command: "npm test", exitCode: 1 }],
      commandsCut: 0,
    },
    messagesSummarised: 21,
    messagesKept: 6,
    before: { tokens: 3_470, estimated: false },
    afterTokens: 620,
    durationMs: 2_100,
    ...more,
  });
}

export function meter(used: number, more: Partial<Meter> = {}): Meter {
  return {
    used: { tokens: used, estimated: false },
    window: 4_096,
    compactAt: 3_276,
    level: used > 3_276 ? "near" : "ok",
    ...more,
  };
}

export const DIFF = `--- a/src/answer.ts
+++ b/src/answer.ts
@@ -1,4 +1,5 @@
 export function answer(): number {
-  return 41;
+  // Deep Thought took a while.
+  return 42;
 }
`;
