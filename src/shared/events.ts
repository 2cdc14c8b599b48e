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
}

/** What the server counted for one request, in tokens; a count that it left out is absent. */
export interface Usage {
  readonly promptTokens?: number;
  readonly cachedTokens?: number;
  readonly replyTokens?: number;
}

/** How long the server said that the parts of one request took, in milliseconds. */
export interface Timings {
  readonly loadMs: number;
  readonly promptMs: number;
  readonly replyMs: number;
}

/** Tokens of the context; `estimated` until the server has counted them. */
export interface TokenCount {
  readonly tokens: number;
  readonly estimated: boolean;
}

/** Why a model call or a whole turn failed, with the way out in the last sentence of `message`. */
export interface Failure {
  readonly kind: FailureKind;
  readonly message: string;
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

/** Why a compaction ran: 80 % reached, by hand, before a call that would not fit, after the server refused. */
export type CompactionTrigger = "automatic" | "by_hand" | "window_full" | "overflow";

/** Who wrote the summary and from what request: see design §3.10; `by_code` is the fallback without a model. */
export type SummaryForm = "isolated" | "in_place" | "by_code";

/** A message of the tail that did not fit whole and what stands in its place. */
export interface ShortenedMessage {
  readonly eventId: string;
  readonly content: string;
}

export interface KeptFile {
  readonly path: string;
  /** Of the content that the model saw or wrote last. */
  readonly hash: string;
  readonly changed: boolean;
  /** What happened to it since, by the time of the compaction; absent when it is as the model saw it. */
  readonly stale?: "changed" | "deleted";
}

export interface KeptCommand {
  readonly command: string;
  readonly exitCode: number | null;
}

/** What code keeps of the summarised part, word for word, whatever the summary says. */
export interface KeptFacts {
  /** What the person typed, oldest first. */
  readonly words: readonly string[];
  /** How many messages of the person are cut or left out of `words` because of its cap. */
  readonly wordsCut: number;
  /** The newest request, when it lies before the tail. */
  readonly request?: string;
  /** What the person pinned, oldest first; absent in logs of earlier versions. */
  readonly pins?: readonly string[];
  /** How many pins are left out because the window is smaller now than when they were pinned. */
  readonly pinsCut?: number;
  readonly files: readonly KeptFile[];
  readonly filesCut: number;
  readonly commands: readonly KeptCommand[];
  readonly commandsCut: number;
}

export interface Compacted {
  readonly type: "compacted";
  readonly trigger: CompactionTrigger;
  readonly focus?: string;
  readonly model: string;
  readonly form: SummaryForm;
  /** The number of summary requests; above 1 when the conversation was folded. */
  readonly parts: number;
  readonly summary: string;
  /** Built afresh for this compaction: slot 0 of the new context. */
  readonly systemPrompt: string;
  /** The first event of the tail; absent when nothing was kept verbatim. */
  readonly tailFrom?: string;
  readonly shortened: readonly ShortenedMessage[];
  readonly kept: KeptFacts;
  readonly messagesSummarised: number;
  readonly messagesKept: number;
  readonly before: TokenCount;
  /** An estimate (tokens); the next reply brings the measured count. */
  readonly afterTokens: number;
  readonly durationMs: number;
}

/** What a compaction failed on: system prompt, tools and pins alone fill the window, one message does, or the summary. */
export type CompactionFault = "fixed_part" | "giant_message" | "summary";

export interface CompactionFailed {
  readonly type: "compaction_failed";
  readonly trigger: CompactionTrigger;
  readonly message: string;
  readonly fault?: CompactionFault;
  /** Under what it failed. */
  readonly conditions?: CompactionConditions;
}

/** What decides besides the conversation whether a compaction can succeed: a change ends the pause of the automatic one. */
export interface CompactionConditions {
  readonly model: string;
  /** Tokens. */
  readonly numCtx: number;
  /** A share of num_ctx between 0 and 1. */
  readonly threshold: number;
  readonly keepMessages: number;
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
  | Pinned
  | Unpinned
  | Notice;

export interface Stamp {
  readonly v: typeof LOG_VERSION;
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** One line of the append-only log. */
export type LogEvent = LogBody & Stamp;
