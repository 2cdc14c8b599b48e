import type { LogEvent, TokenCount } from "./events";

/** What the agent is doing now; `since` is in milliseconds since 1970. */
export type Phase =
  | { readonly name: "idle" }
  | WaitingPhase
  | { readonly name: "thinking"; readonly since: number }
  | { readonly name: "writing"; readonly since: number }
  | { readonly name: "tool"; readonly since: number; readonly callId: string }
  | { readonly name: "approval"; readonly since: number; readonly callId: string }
  | CompactingPhase;

/** What the first piece of a reply waits for. */
export interface WaitingPhase {
  readonly name: "waiting";
  readonly since: number;
  /** `turn`: another request to the same model is before it. */
  readonly what: "request" | "turn" | "loading" | "reading";
  readonly model: string;
  /** The size of the model that is loaded, in bytes. */
  readonly bytes?: number;
  /** Tokens of the prompt that have to be read, an estimate, and how long that is likely to take (milliseconds, from measured speeds). */
  readonly tokens?: number;
  readonly expectedMs?: number;
}

export interface CompactingPhase {
  readonly name: "compacting";
  readonly since: number;
  /** Messages that are being summarised. */
  readonly messages: number;
  readonly used: number;
  readonly window: number;
  readonly part: number;
  readonly parts: number;
  /** How long all of it is likely to take, from measured speeds, in milliseconds. */
  readonly expectedMs?: number;
  /** Tokens of the summary so far, thinking included; an estimate. */
  readonly writtenTokens?: number;
}

/** What a person is asked before a tool does something that needs consent. */
export type ApprovalQuestion = (
  | {
      readonly kind: "edit";
      readonly path: string;
      /** A unified diff of the whole change. */
      readonly diff: string;
      readonly added: number;
      readonly removed: number;
      readonly isNew: boolean;
      /** True when the file changed while an earlier form of this change was shown. */
      readonly isAgain?: boolean;
    }
  | CommandQuestion
  | { readonly kind: "outside"; readonly path: string; readonly access: "read" | "write" }
  /** A file whose name looks as if it held passwords or keys. */
  | { readonly kind: "secret"; readonly path: string; readonly access: "read" | "write" }
  /** A call that only reads, which the model wrote into its answer as text. */
  | { readonly kind: "recovered"; readonly tool: string; readonly target: string }
) & {
  /** True for a call that was taken out of the text of an answer: it is asked about in every case. */
  readonly isRecovered?: boolean;
};

export interface CommandQuestion {
  readonly kind: "command";
  readonly command: string;
  readonly folder: string;
  /** The words of the program that it runs, when it does nothing else. */
  readonly plain?: readonly string[];
  /** The programs that it may run; absent when it could not be taken apart. */
  readonly programs?: readonly string[];
  /** True when it may delete, overwrite, end or send something. */
  readonly isDangerous?: boolean;
  /** The secret-looking files that it names. */
  readonly secrets?: readonly string[];
}

/** Where editors, git and their helpers look for what they start: a change there is as good as a command. */
const STARTS_PROGRAMS = /(^|[\\/])(\.git|\.vscode|\.husky|\.devcontainer)([\\/]|$)|\.code-workspace$/i;

/** Not relative to a workspace folder. */
const OUTSIDE = /^([\\/]|[a-z][\w+.-]*:)/i;

/** Whether a change of this file may let something run later without a question. */
export function startsPrograms(path: string): boolean {
  return STARTS_PROGRAMS.test(path);
}

/** Whether a question can be answered "for this session": not where the same words may do something else the next time. */
export function canRemember(question: ApprovalQuestion): boolean {
  if (question.kind === "recovered" || question.isRecovered === true) return false;
  if (question.kind === "edit") return !startsPrograms(question.path) && !OUTSIDE.test(question.path);
  if (question.kind !== "command") return true;
  return question.plain !== undefined && question.isDangerous !== true && question.secrets === undefined;
}

/** The person's answer; a reason is told to the model. */
export type ApprovalDecision =
  | { readonly answer: "allow" }
  | { readonly answer: "allow_for_session" }
  | { readonly answer: "deny"; readonly reason: string };

/** A message that waits until the agent is free. */
export interface QueuedMessage {
  readonly id: string;
  readonly text: string;
}

/** The context meter. All numbers are tokens of one window, `window` = num_ctx. */
export interface Meter {
  readonly used: TokenCount;
  readonly window: number;
  readonly compactAt: number;
  /** `near` above the threshold, `full` when the window is used up. */
  readonly level: "ok" | "near" | "full";
}

/** What can be said of steering compactions now. All numbers are tokens. */
export interface Steering {
  /** False when only the person starts a compaction. */
  readonly isAutomatic: boolean;
  /** What undoing the newest compaction would bring the context to, and whether that fits; null when there is none. */
  readonly undo: { readonly compactionId: string; readonly tokens: number; readonly fits: boolean } | null;
  readonly pins: { readonly tokens: number; readonly most: number };
}

/** What is going on but is not part of the log: gone after a restart. */
export type LiveEvent =
  | { readonly type: "phase_changed"; readonly phase: Phase }
  | { readonly type: "reply_started"; readonly id: string }
  | { readonly type: "reply_delta"; readonly text: string; readonly thinking: string }
  /** The reply that was streaming is void, e.g. because the call is tried again. */
  | { readonly type: "reply_discarded" }
  | { readonly type: "tool_started"; readonly callId: string }
  | { readonly type: "tool_output"; readonly callId: string; readonly text: string }
  | {
      readonly type: "approval_asked";
      readonly callId: string;
      readonly question: ApprovalQuestion;
      /** Tells this question from others of the same call. */
      readonly askId?: number;
    }
  | { readonly type: "approval_settled"; readonly callId: string }
  | { readonly type: "meter_changed"; readonly meter: Meter }
  | { readonly type: "steering_changed"; readonly steering: Steering };

/** Everything that a session tells its listeners, in the order in which it happened. */
export type SessionEvent = LogEvent | LiveEvent;
