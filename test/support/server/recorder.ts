import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { countPrompt } from "./template";
import type { ChatRequest, WireMessage } from "./wire";

/** One request that the server received; the fields go on changing until it has ended. */
export interface SeenRequest {
  readonly path: string;
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  /** The parsed JSON; the text where it is none; undefined without a body. */
  readonly body: unknown;
  /** Milliseconds since the server started. */
  readonly at: number;
  /** The model was loaded for this request. */
  readonly loaded: boolean;
  /** A loaded runner had to go because this request asked for another num_ctx, shift or the like. */
  readonly reloaded: boolean;
  /** The client closed the connection before the answer was complete. */
  readonly aborted: boolean;
  /** Answered, aborted or broken off by the server. */
  readonly ended: boolean;
  /** The answer's status; undefined while no headers were sent. */
  readonly status: number | undefined;
}

/** A chat request with messages, and what the server did with it. */
export interface SeenChat extends SeenRequest {
  /** Counts the chats of the server from 0. */
  readonly index: number;
  readonly request: ChatRequest;
  /** The whole prompt in tokens, before any cut. */
  readonly promptTokens: number;
  /** What is left of it in the window; 0 when the request was refused. */
  readonly windowTokens: number;
  /** The messages really inside the window after the server's cuts. */
  readonly windowedMessages: readonly WireMessage[];
  /** Tokens that the prompt cache saved. */
  readonly cachedTokens: number;
  /** Tokens generated, known at the end. */
  readonly generatedTokens: number;
}

/** What the server itself writes of a request. */
export class RequestRecord implements SeenRequest {
  readonly path: string;
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
  readonly at: number;
  loaded = false;
  reloaded = false;
  aborted = false;
  ended = false;
  readonly #response: ServerResponse;

  constructor(
    came: Pick<SeenRequest, "path" | "method" | "headers" | "body" | "at">,
    response: ServerResponse,
  ) {
    this.path = came.path;
    this.method = came.method;
    this.headers = came.headers;
    this.body = came.body;
    this.at = came.at;
    this.#response = response;
  }

  get status(): number | undefined {
    return this.#response.headersSent ? this.#response.statusCode : undefined;
  }
}

/** What the server itself writes of a chat. */
export class ChatRecord extends RequestRecord implements SeenChat {
  readonly index: number;
  readonly request: ChatRequest;
  promptTokens: number;
  windowTokens = 0;
  windowedMessages: readonly WireMessage[] = [];
  cachedTokens = 0;
  generatedTokens = 0;

  constructor(
    came: Pick<SeenRequest, "path" | "method" | "headers" | "body" | "at">,
    response: ServerResponse,
    chat: Pick<SeenChat, "index" | "request">,
  ) {
    super(came, response);
    this.index = chat.index;
    this.request = chat.request;
    this.promptTokens = countPrompt(chat.request);
  }
}

/** True when a text is inside the window of a chat: in a message, its thinking or the arguments of a call. */
export function isInWindow(chat: Pick<SeenChat, "windowedMessages">, text: string): boolean {
  const quoted = JSON.stringify(text).slice(1, -1);
  return chat.windowedMessages.some((message) => JSON.stringify(message).includes(quoted));
}

/** Everything that was asked of a server, and the waiting for it. */
export class Recorder {
  readonly requests: RequestRecord[] = [];
  readonly chats: ChatRecord[] = [];
  #probes: (() => boolean)[] = [];

  /** To be called after every change of a record. */
  changed(): void {
    this.#probes = this.#probes.filter((probe) => !probe());
  }

  /** Forgets the requests that have ended. */
  forget(): void {
    this.requests.splice(0, this.requests.length, ...this.requests.filter(({ ended }) => !ended));
    this.chats.splice(0, this.chats.length, ...this.chats.filter(({ ended }) => !ended));
  }

  /** Resolves with what `find` finds, as soon as it finds something. */
  async waitFor<T>(find: () => T | undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#probes.push(() => {
        try {
          const found = find();
          if (found !== undefined) resolve(found);
          return found !== undefined;
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
          return true;
        }
      });
      this.changed();
    });
  }
}
