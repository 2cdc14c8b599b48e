import type { FilesKept, TurnRestored } from "./checkpointEvents";
import type { Compacted, CompactionFailed, SteeringBody } from "./compactionEvents";
import type { Timings, Usage } from "./counts";

export type * from "./checkpointEvents";
export type * from "./compactionEvents";
export type * from "./counts";

/** The version that every stored event carries; a reader keeps events of other versions as they are. */
export const LOG_VERSION = 1;

/** Any value that survives JSON. */
export type JsonValue =
  string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** A call that the model asked for. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, JsonValue>>;
  /** What the model wrote, when that could not be read as an object; `arguments` is then empty. */
  readonly unreadableArguments?: string;
  /** True when the model wrote the call into its answer as text: it is then asked about in every case. */
  readonly isRecovered?: boolean;
}

/** Why a model call or a whole turn failed, with the way out in the last sentence of `message`. */
export interface Failure {
  readonly kind: FailureKind;
  readonly message: string;
  /** The model that it is about. */
  readonly model?: string;
}

/** The kinds of failure that a person can do something different about. */
export type FailureKind =
  | "not_running"
  | "wrong_address"
  | "model_missing"
  | "no_tools"
  | "no_thinking"
  | "window_exceeded"
  | "message_too_long"
  | "load_failed"
  | "tool_parse"
  | "template"
  | "silent"
  | "cloud"
  | "disk_full"
  | "busy"
  | "unauthorized"
  | "interrupted_stream"
  | "server_error"
  | "no_model"
  | "internal";

export interface SessionStarted {
  readonly type: "session_started";
  readonly sessionId: string;
}

/** The system prompt of all requests from here on, until a compaction brings its own. */
export interface PromptBuilt {
  readonly type: "prompt_built";
  readonly systemPrompt: string;
}

/** The model and the context window (num_ctx, tokens) of all requests from here on. */
export interface WindowSet {
  readonly type: "window_set";
  readonly model: string;
  readonly numCtx: number;
  /** `server` when the server allocated less than the settings asked for. */
  readonly source: "settings" | "server";
}

/** A message that the person sent while the agent was working: it waits. */
export interface MessageQueued {
  readonly type: "message_queued";
  readonly queueId: string;
  readonly text: string;
}

/** A waiting message that the person took back. */
export interface MessageWithdrawn {
  readonly type: "message_withdrawn";
  readonly queueId: string;
}

export interface UserMessage {
  readonly type: "user_message";
  readonly text: string;
  /** The waiting message that this was. */
  readonly queueId?: string;
}

export interface AssistantMessage {
  readonly type: "assistant_message";
  readonly model: string;
  readonly text: string;
  readonly thinking: string;
  /** Only calls that arrived whole; none when the reply was interrupted. */
  readonly toolCalls: readonly ToolCall[];
  readonly end: "complete" | "cut_by_length" | "stopped" | "failed";
  readonly usage: Usage;
  readonly timings?: Timings;
  /** The estimate (tokens) with which this request was sent, for the calibration. */
  readonly estimatedPromptTokens: number;
  /** True when the server's count shows that it cut the prompt; such a count is never used. */
  readonly isPromptCut?: boolean;
}

export type ToolOutcome = "ok" | "error" | "denied" | "cancelled";

export interface ToolResult {
  readonly type: "tool_result";
  readonly callId: string;
  readonly name: string;
  readonly outcome: ToolOutcome;
  /** What the model is told. */
  readonly content: string;
  /** One line for the card. */
  readonly summary: string;
  readonly facts?: ToolFacts;
}

/** What a tool did, for the ledger that a compaction keeps by code. */
export type ToolFacts =
  | { readonly kind: "read"; readonly path: string; readonly hash: string }
  | {
      readonly kind: "edit";
      readonly path: string;
      readonly hash: string;
      readonly added: number;
      readonly removed: number;
      readonly isNew: boolean;
    }
  | { readonly kind: "command"; readonly command: string; readonly exitCode: number | null };

/** Something that the model is told in a user message which the person did not type. */
export interface ModelNote {
  readonly type: "model_note";
  readonly text: string;
}

export interface TurnEnded {
  readonly type: "turn_ended";
  readonly reason: "done" | "stopped" | "failed" | "round_limit" | "repeating" | "no_answer";
  readonly failure?: Failure;
  /** One sentence for the person, when the reason alone does not say it. */
  readonly message?: string;
}

/** The last turn goes on. `retry` takes an interrupted answer at its end out of the context. */
export interface TurnResumed {
  readonly type: "turn_resumed";
  readonly how: "retry" | "continue";
}

/** Something that survives every compaction word for word; the context holds it from the next one on. */
export interface Pinned {
  readonly type: "pinned";
  readonly pinId: string;
  readonly text: string;
}

export interface Unpinned {
  readonly type: "unpinned";
  readonly pinId: string;
}

/** Something that the person should know, where it happened. */
export interface Notice {
  readonly type: "notice";
  readonly level: "info" | "warning";
  readonly text: string;
}

/** Everything that a log can hold, before it is stamped. */
export type LogBody =
  | SessionStarted
  | PromptBuilt
  | WindowSet
  | MessageQueued
  | MessageWithdrawn
  | UserMessage
  | AssistantMessage
  | ToolResult
  | ModelNote
  | TurnEnded
  | TurnResumed
  | Compacted
  | CompactionFailed
  | SteeringBody
  | Pinned
  | Unpinned
  | FilesKept
  | TurnRestored
  | Notice;

export interface Stamp {
  readonly v: typeof LOG_VERSION;
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** One line of the append-only log. */
export type LogEvent = LogBody & Stamp;
