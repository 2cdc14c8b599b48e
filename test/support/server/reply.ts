import type { ChatRequest, WireMessage, WireTool } from "./wire";

/** What a brain knows of a request: only what is inside the window, as a real model would. */
export interface ChatRequestSeen {
  /** The messages inside the window after the server's cuts; one that was cut through has only its end. */
  readonly messages: readonly WireMessage[];
  /** The offered tools, empty when the cut took them. */
  readonly tools: readonly WireTool[];
  /** Whether the model is to think, after the version's default for an absent `think`. */
  readonly thinks: boolean;
  /** The allocated window in tokens. */
  readonly numCtx: number;
  readonly promptTokens: number;
  /** Counts the chat requests of the server from 0. */
  readonly index: number;
  /** The request as it came, for scripts that look behind the window. */
  readonly request: ChatRequest;
  /** Aborted when the client closes the connection. */
  readonly signal: AbortSignal;
}

/** A tool call of a scripted reply. */
export interface ScriptedToolCall {
  readonly name: string;
  /** An object; a string plays models that break the rule. */
  readonly arguments: Readonly<Record<string, unknown>> | string;
  /** A fresh one by default; null plays servers that give none. */
  readonly id?: string | null;
  /** `function.index`: its place among the calls by default; null leaves it out. */
  readonly index?: number | null;
}

/** One streamed piece of a message, sent as it is. */
export interface Delta {
  readonly thinking?: string;
  readonly content?: string;
  readonly toolCalls?: readonly ScriptedToolCall[];
}

/**
 * Something that goes wrong with an answer. `afterChunks` counts the pieces sent before it: NDJSON lines, or the two halves of a plain
 * JSON body; 0 means before the headers for `hang` and `reset`. It never reaches the last piece.
 */
export type Fault =
  | { readonly kind: "hang"; readonly afterChunks: number; readonly until?: Promise<unknown> }
  | { readonly kind: "reset"; readonly afterChunks: number }
  | { readonly kind: "garbage"; readonly afterChunks: number; readonly line?: string }
  | { readonly kind: "error"; readonly afterChunks: number; readonly message: string }
  | { readonly kind: "eof"; readonly afterChunks: number }
  | { readonly kind: "status"; readonly status: number; readonly body: string | object };

/** One answer of a scripted model. */
export interface Reply {
  readonly thinking?: string;
  readonly content?: string;
  readonly toolCalls?: readonly ScriptedToolCall[];
  /** Takes the place of the three fields above: exactly these pieces in this order, cut by no limit. */
  readonly deltas?: readonly Delta[];
  /** Characters of text in a streamed piece (default 12). */
  readonly chunkSize?: number;
  /** Where tool calls travel: each in a piece of its own (default), all in one, or in the last chunk. */
  readonly callsIn?: "each" | "one" | "done";
  /** `done_reason`, where it is not to follow from the limits. */
  readonly doneReason?: string;
  /** Overrides fields of the last chunk; undefined leaves a field out. */
  readonly final?: Readonly<Record<string, unknown>>;
  readonly fault?: Fault;
  /** Awaited before each piece (0: before the headers), so that a test decides when the stream goes on. */
  readonly before?: (piece: number) => Promise<unknown> | undefined;
  /** The server accepts no further connections from this answer on. */
  readonly thenRefuse?: boolean;
}

/** Decides what the scripted model answers. */
export type Brain = (request: ChatRequestSeen) => Reply | Promise<Reply>;

/** A brain that gives these replies in turn; a function in the list is asked with the request. Asking for more is an error. */
export function scriptReplies(replies: readonly (Reply | Brain)[]): Brain {
  const left = [...replies];
  return (request) => {
    const next = left.shift();
    if (!next)
      throw new Error(
        `The script has only ${replies.length} replies, and chat ${request.index} asked for one more.`,
      );
    return typeof next === "function" ? next(request) : next;
  };
}

/** A door that a test opens: everyone who waits before it goes on then. */
export interface Gate {
  readonly opened: Promise<void>;
  open(): void;
}

/** A closed gate. */
export function createGate(): Gate {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

/** The error text that Ollama gives with a status, for playing faults. */
export function statusFault(status: 400 | 401 | 403 | 404 | 429 | 500 | 502 | 503): Fault {
  return { kind: "status", status, body: { error: STATUS_TEXTS[status] } };
}

const STATUS_TEXTS = {
  400: "invalid options: num_predict",
  401: "unauthorized",
  403: "ollama cloud is disabled: remote model is unavailable",
  404: "model 'gone' not found",
  429: "you have reached your hourly usage limit",
  500: "model runner has unexpectedly stopped, this may be due to resource limitations or an internal error",
  502: "cannot reach the remote model",
  503: "server busy, please try again.  maximum pending requests exceeded",
} as const;
