import type {
  AssistantMessage,
  CompactionFailed,
  Compacted,
  KeptBefore,
  ModelNote,
  Notice,
  SummaryForm,
  SummaryReplaced,
  TokenCount,
  ToolCall,
  ToolOutcome,
  TurnEnded,
  TurnRestored,
} from "./events";
import type { ApprovalQuestion, Meter, Phase, QueuedMessage, Steering } from "./live";

/** One thing in the transcript; nothing ever leaves it. `id` is stable and unique. */
export type Entry =
  | { readonly kind: "user"; readonly id: string; readonly at: number; readonly text: string }
  | AssistantEntry
  | ToolEntry
  | CompactionEntry
  | { readonly kind: "compaction_failed"; readonly id: string; readonly event: CompactionFailed }
  | {
      readonly kind: "turn_ended";
      readonly id: string;
      readonly event: TurnEnded;
      readonly canResume: boolean;
      /** The files that the turn changed and that can be restored. */
      readonly kept?: KeptTurn;
    }
  | { readonly kind: "restored"; readonly id: string; readonly event: TurnRestored }
  | { readonly kind: "notice"; readonly id: string; readonly event: Notice | ModelNote };

export interface AssistantEntry {
  readonly kind: "assistant";
  readonly id: string;
  readonly text: string;
  readonly thinking: string;
  readonly model: string;
  readonly end: AssistantMessage["end"];
}

export interface ToolEntry {
  readonly kind: "tool";
  /** The call's id. */
  readonly id: string;
  readonly call: ToolCall;
  readonly state: "pending" | "running" | ToolOutcome;
  readonly result: string;
  readonly summary: string;
  /** The id of the result's event, once there is one. */
  readonly resultId?: string;
  /** True while the result's body is not in the context because the person took it out. */
  readonly isDropped?: boolean;
}

/** The reply that is being received. */
export interface StreamingReply {
  readonly id: string;
  readonly text: string;
  readonly thinking: string;
}

/** A question that waits for the person. */
export interface PendingApproval {
  readonly callId: string;
  readonly question: ApprovalQuestion;
  /** Goes back with the answer. */
  readonly askId?: number;
}

/** Something that the person pinned: every compaction keeps it word for word. */
export interface Pin {
  readonly id: string;
  readonly text: string;
}

/** What the panel shows: the transcript and what is going on. Plain data, so that it can be sent whole. */
export interface SessionView {
  readonly sessionId: string;
  readonly entries: readonly Entry[];
  readonly phase: Phase;
  readonly streaming: StreamingReply | null;
  /** The last characters that running tools printed, by call id. */
  readonly output: Readonly<Record<string, string>>;
  readonly approvals: readonly PendingApproval[];
  readonly queue: readonly QueuedMessage[];
  /** Oldest first. */
  readonly pins: readonly Pin[];
  /** True when the next automatic compaction is left out because the person asked for that. */
  readonly isPostponed: boolean;
  readonly meter: Meter | null;
  readonly steering: Steering | null;
  /** Of the newest turn. */
  readonly kept: KeptTurn | null;
}

/** One summary that a compaction has had. Every one of them is kept, so that one can go back to it. */
export interface SummaryVersion {
  /** Of the event that brought it. */
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly origin: "first" | SummaryReplaced["origin"];
  readonly summary: string;
  readonly wish?: string;
  readonly model?: string;
  readonly form?: SummaryForm;
  readonly durationMs?: number;
}

/** The marker of a compaction in the transcript. */
export interface CompactionEntry {
  readonly kind: "compaction";
  readonly id: string;
  readonly at: number;
  readonly event: Compacted;
  /** Measured by the first reply after the compaction; an estimate until then. */
  readonly after: TokenCount;
  /** Oldest first; never empty. */
  readonly versions: readonly SummaryVersion[];
  /** The id of the version that is in force. */
  readonly version: string;
  /** When another version came into force, in milliseconds since 1970. */
  readonly changedAt: number;
  /** The compactions whose summaries this one has read, oldest first. */
  readonly chain: readonly string[];
  readonly isUndone: boolean;
}

/** A file that a turn changed; `isExpected` when it only was about to, which at the end of a turn means that Loom was ended. */
export interface TurnFile extends KeptBefore {
  readonly isExpected?: boolean;
}

/** The files of one turn whose former contents are kept, or are known not to be. */
export interface KeptTurn {
  readonly turnId: string;
  /** Each once, in the order of their first change. */
  readonly files: readonly TurnFile[];
  /** How many more have changed that are not named and cannot be restored. */
  readonly more?: number;
  /** True when there are files of which it is not known. */
  readonly isCut?: boolean;
}
