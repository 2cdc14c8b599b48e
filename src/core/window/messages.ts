import type { ToolCall } from "../../shared/events";

/**
 * One message of the context that the model is sent. `source` is the id of the log event that it comes from; the system
 * prompt and the summary carry the id of the event that built them.
 */
export type ContextMessage =
  | { readonly role: "system"; readonly source: string; readonly content: string }
  | { readonly role: "user"; readonly source: string; readonly content: string }
  | {
      readonly role: "assistant";
      readonly source: string;
      readonly content: string;
      readonly thinking: string;
      readonly toolCalls: readonly ToolCall[];
    }
  | {
      readonly role: "tool";
      readonly source: string;
      readonly content: string;
      readonly toolName: string;
      readonly callId: string;
    };

/** The messages without what was thought. */
export function withoutThinking(messages: readonly ContextMessage[]): readonly ContextMessage[] {
  return messages.map((message) =>
    message.role === "assistant" && message.thinking !== "" ? { ...message, thinking: "" } : message,
  );
}

/** The events that change nothing of what the model is sent, at least not by themselves. */
export type Unseen =
  | "compaction_undone"
  | "compaction_postponed"
  | "postponement_used"
  | "session_started"
  | "message_queued"
  | "message_withdrawn"
  | "turn_ended"
  | "compaction_failed"
  | "pinned"
  | "unpinned"
  | "files_kept"
  | "turn_restored"
  | "notice";
