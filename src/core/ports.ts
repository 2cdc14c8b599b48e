import type { Failure, Timings, ToolCall, Usage } from "../shared/events";
import type { ApprovalDecision, ApprovalQuestion } from "../shared/live";
import type { ContextMessage } from "./window/messages";

/** A tool as the model is told of it: a JSON schema with the few keywords that Ollama keeps. */
export interface ToolSchema {
  readonly name: string;
  readonly description: string;
  readonly parameters: {
    readonly type: "object";
    readonly required: readonly string[];
    readonly properties: Readonly<Record<string, ToolParameter>>;
  };
}

export interface ToolParameter {
  readonly type: "string" | "integer" | "boolean";
  /** Left out where the name says it all: every word costs tokens on every request. */
  readonly description?: string;
}

export interface ChatRequest {
  readonly model: string;
  /** The context window in tokens; the same on every request of a session. */
  readonly numCtx: number;
  readonly messages: readonly ContextMessage[];
  readonly tools: readonly ToolSchema[];
  /** The most tokens that the reply may take (num_predict). */
  readonly maxReplyTokens: number;
  /** `default` sends what the model's capabilities ask for; `off` is for the second try of a summary. */
  readonly thinking: "default" | "off";
}

/** A piece of a reply as it streams in. */
export interface ReplyDelta {
  readonly text: string;
  readonly thinking: string;
}

export interface ChatReply {
  readonly text: string;
  readonly thinking: string;
  /** Calls as they arrived whole; ids are not unique across replies. */
  readonly toolCalls: readonly ToolCall[];
  readonly usage: Usage;
  readonly timings?: Timings;
  /** `length` when num_predict or the window ended the reply. */
  readonly doneReason: "stop" | "length";
}

/** What a request waits for now; it is told each time that this changes. */
export type Wait =
  /** Another request to the same model is before it. */
  | { readonly for: "turn" }
  /** The model is brought into memory; its size is in bytes. */
  | { readonly for: "loading"; readonly bytes?: number }
  | { readonly for: "reading" };

/** How a chat call ended. Failures are data: a ChatModel never throws for them. */
export type ChatOutcome =
  | { readonly type: "reply"; readonly reply: ChatReply }
  | { readonly type: "stopped"; readonly partial: ReplyDelta }
  | {
      readonly type: "failed";
      readonly partial: ReplyDelta;
      readonly failure: Failure;
      /** What the server said of a prompt that did not fit, in tokens. */
      readonly overflow?: { readonly promptTokens?: number; readonly numCtx?: number };
    };

/** What goes over the wire for a request, or why that cannot be told. */
export type RequestBody = { readonly body: unknown } | { readonly failure: Failure };

/** The model behind the agent. `signal` ends the request at once in every phase; the outcome is then `stopped`. */
export interface ChatModel {
  chat(
    request: ChatRequest,
    onDelta: (delta: ReplyDelta) => void,
    signal: AbortSignal,
    onWait?: (wait: Wait) => void,
  ): Promise<ChatOutcome>;
  /** The body that `chat` would send for this request; absent where nothing goes over a wire. */
  requestBody?(request: ChatRequest, signal: AbortSignal): Promise<RequestBody>;
  /** Brings the model into memory with the options of later requests; true when it is there. Failures show in the next chat. */
  preload(model: string, numCtx: number, signal: AbortSignal): Promise<boolean>;
  /** The num_ctx that the server really allocated for the model, in tokens; undefined when it does not say. */
  allocatedNumCtx(model: string, signal: AbortSignal): Promise<number | undefined>;
  /** Whether the server has the model in memory with this num_ctx (tokens); undefined when it does not say. */
  isLoaded(model: string, numCtx: number, signal: AbortSignal): Promise<boolean | undefined>;
}

/** Asks the person; resolves with `deny` when `signal` fires. */
export type AskApproval = (question: ApprovalQuestion, signal: AbortSignal) => Promise<ApprovalDecision>;

/** A path that a tool was given, resolved: every existing part of it is real, links followed. */
export type ResolvedPath =
  | {
      readonly place: "inside" | "outside";
      /** Absolute, as the file system spells it. */
      readonly absolute: string;
      /** Relative to the workspace folder with `/`, prefixed by the folder's name where there are several; absolute outside. */
      readonly shown: string;
      readonly kind: "file" | "folder" | "other" | "missing";
    }
  | { readonly place: "no_folder" };

export interface TextFile {
  readonly text: string;
  /** Of the content, for noticing that a file changed. */
  readonly hash: string;
  readonly hasUnsavedChanges: boolean;
  /** Named only when the file is not UTF-8. */
  readonly encoding?: string;
}

/** Why a file's text cannot be had. */
export interface NotText {
  readonly reason: "binary" | "too_large" | "unreadable";
  readonly description: string;
  readonly bytes: number;
}

export interface FileChange {
  readonly path: ResolvedPath & { readonly absolute: string };
  /** The text that the change was made from; the change is refused when the file is different by now. `null` makes a new file. */
  readonly before: string | null;
  readonly after: string;
  /** How `after` came from `before`, in order and without overlap: nothing outside of these ranges is touched. */
  readonly replacements?: readonly TextReplacement[];
}

/** A file after a change. */
export interface WrittenFile {
  readonly text: string;
  readonly hash: string;
  /** True when the text is so far only in the editor, on top of what the person typed there without saving. */
  readonly hasUnsavedChanges?: boolean;
}

/** Why nothing was written; the end of a sentence. */
export interface NotWritten {
  readonly error: string;
  /** True when only the file being different from what the change was made from stood against it. */
  readonly isChanged?: boolean;
}

/** One replaced range of a text; `start` and `end` are UTF-16 code units from 0. */
export interface TextReplacement {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Paths are in the form of `ResolvedPath.shown`. */
export interface Listing {
  /**
   * Level by level, so that a cut listing shows the upper folders whole. Folders end with `/`, ignored ones with
   * `/ (ignored)` and are not entered; links are written `path -> target` and not followed.
   */
  readonly entries: readonly string[];
  /** How many entries there are in all. */
  readonly total: number;
  /** True when counting was given up, so that there are at least `total`. */
  readonly isTotalMinimum?: boolean;
  /** How many ignored files are not among the entries. */
  readonly ignoredFiles?: number;
}

export interface SearchQuery {
  readonly pattern: string;
  readonly isRegExp: boolean;
  /** An absolute folder or file to search in; every workspace folder when absent. */
  readonly under?: string;
  readonly maxMatches: number;
  /** Files (absolute) that are not searched unless `under` names one itself. */
  readonly leavesOut?: (absolute: string) => boolean;
}

export interface SearchMatch {
  readonly path: string;
  /** From 1. */
  readonly line: number;
  readonly text: string;
}

export interface SearchResult {
  readonly matches: readonly SearchMatch[];
  readonly isCut: boolean;
  /** How many files were too large to be searched. */
  readonly skippedFiles?: number;
}

/** The files that the tools work on. Paths in and out are plain strings; absolute ones come from `resolve`. */
export interface Workspace {
  resolve(path: string): Promise<ResolvedPath>;
  /** Line ends and a byte-order mark are normalised away: LF only, no mark. */
  readText(absolute: string): Promise<TextFile | NotText>;
  /** Resolves with what the file holds afterwards (a formatter may have changed it), or says why nothing was written. */
  write(change: FileChange): Promise<WrittenFile | NotWritten>;
  /** Calls back when a file may have changed, come or gone, until the returned function is called. */
  onChange?(absolute: string, listener: () => void): () => void;
  /** Everything below a folder; below all workspace folders when `absolute` is undefined. */
  list(absolute: string | undefined, maxEntries: number, signal: AbortSignal): Promise<Listing>;
  search(query: SearchQuery, signal: AbortSignal): Promise<SearchResult | { readonly error: string }>;
  /** Paths, as shown, that look like that of a missing file: from its folder first, then the same name elsewhere. */
  similarNames(absolute: string): Promise<readonly string[]>;
}

export interface CommandRequest {
  readonly command: string;
  /** Milliseconds. */
  readonly timeLimitMs: number;
  /** The most characters of output that are kept, head and tail. */
  readonly maxCharacters: number;
  readonly onOutput: (text: string) => void;
}

export interface CommandResult {
  /** `null` when a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly endedBy: "itself" | "time_limit" | "stop";
  /** Head and tail, with a line between that says how much was left out. */
  readonly output: string;
  /** True when a process that the command started in the background still runs. */
  readonly leftRunning: boolean;
  /** The command lines of those processes, where the system tells them. */
  readonly leftNames?: readonly string[];
}

/** Runs commands in the workspace folder without a terminal and with closed input. */
export interface Shell {
  /** Undefined when there is no folder to run in. */
  readonly folder: string | undefined;
  run(request: CommandRequest, signal: AbortSignal): Promise<CommandResult>;
}
