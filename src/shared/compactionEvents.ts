import type { Timings, TokenCount, Usage } from "./counts";

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
  /** How long it was expected to take, from measured speeds; absent without such, and in logs of earlier versions. */
  readonly predictedMs?: number;
  /** Every request that was answered for it, in order, those with an unusable summary too. */
  readonly requests?: readonly SummaryRequest[];
}

/** What the server said of one request for a summary. */
export interface SummaryRequest {
  readonly form: SummaryForm;
  readonly usage: Usage;
  readonly timings?: Timings;
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

/** The context is again what it would be without this compaction; what came after it stays behind the restored messages. */
export interface CompactionUndone {
  readonly type: "compaction_undone";
  /** The id of the `compacted` event. */
  readonly compactionId: string;
}

/** Another summary in place of the one that a compaction brought. This event is a version of it; the first is the compaction. */
export interface SummaryReplaced {
  readonly type: "summary_replaced";
  readonly compactionId: string;
  readonly summary: string;
  readonly origin: "edited" | "regenerated";
  /** What the person asked for when it was written anew. */
  readonly wish?: string;
  /** Who wrote it anew, from what request, and how long that took. */
  readonly model?: string;
  readonly form?: SummaryForm;
  readonly durationMs?: number;
  /** Every request that was answered for it. */
  readonly requests?: readonly SummaryRequest[];
}

/** Back to a version of the summary that was there before. */
export interface SummaryChosen {
  readonly type: "summary_chosen";
  readonly compactionId: string;
  /** The id of the `compacted` or `summary_replaced` event that brought it. */
  readonly versionId: string;
}

/** The body of a tool result leaves the context; a line that says so stands in its place. */
export interface ResultDropped {
  readonly type: "result_dropped";
  /** The id of the `tool_result` event. */
  readonly resultId: string;
}

export interface ResultRestored {
  readonly type: "result_restored";
  readonly resultId: string;
}

/** The person asked that the next automatic compaction is left out once. */
export interface CompactionPostponed {
  readonly type: "compaction_postponed";
}

/** It was left out: the one after it runs again. */
export interface PostponementUsed {
  readonly type: "postponement_used";
}

/** What a person did to compactions and to the context. */
export type SteeringBody =
  | CompactionUndone
  | SummaryReplaced
  | SummaryChosen
  | ResultDropped
  | ResultRestored
  | CompactionPostponed
  | PostponementUsed;
