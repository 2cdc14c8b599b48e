import { Ollama } from "ollama";
import type { ServerAddress } from "../address";
import { isObject, textOf, type JsonObject } from "./json";
import { createFetch } from "./transport";
import { ConnectionError, EndedWithoutDone, ErrorLine, StatusError } from "./wireErrors";

/** How the server is reached. */
export interface ConnectionOptions {
  readonly address: ServerAddress;
  /** Goes with every request as a bearer token; the caller sees to it that it belongs to this address. */
  readonly token?: string | undefined;
  /** Takes one readable line for each request: what, how long, how it ended; never what was said. */
  readonly log?: ((line: string) => void) | undefined;
}

/** One request, in words for the log. */
export interface Call<T> {
  readonly name: string;
  /** The answer is a stream of JSON lines. */
  readonly isStream: boolean;
  readonly describe?: (result: T) => string;
}

/** The way to one server: every request has a client and a connection of its own, which is closed whatever happens. */
export class Connection {
  readonly #options: ConnectionOptions;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  get address(): ServerAddress {
    return this.#options.address;
  }

  log(line: string): void {
    this.#options.log?.(line);
  }

  /**
   * Hands a client to `use`, which must read the answer to its end. Rejects with the signal's reason as soon as that fires, and with the
   * errors of `createFetch`.
   */
  async exchange<T>(call: Call<T>, signal: AbortSignal, use: (client: Ollama) => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    const ending = new AbortController();
    const stop = (): void => ending.abort(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    const { address, token } = this.#options;
    const fetch = createFetch({ signal: ending.signal, token, isStream: call.isStream });
    const startedAt = performance.now();
    const note = (end: string): void =>
      this.log(`${call.name}: ${end}, ${Math.round(performance.now() - startedAt)} ms`);
    try {
      const result = await use(new Ollama({ host: address.url, fetch }));
      note(call.describe?.(result) ?? "ok");
      return result;
    } catch (error) {
      note(signal.aborted ? "stopped" : describeError(error));
      throw isEndOfStream(error)
        ? new EndedWithoutDone("no chunk said that it was the last", { cause: error })
        : error;
    } finally {
      signal.removeEventListener("abort", stop);
      // The client leaves the connection open after the last chunk, or when it fails.
      ending.abort();
    }
  }
}

/** A whole answer as an object; the client passes on whatever JSON came with a 2xx status. */
export function answerOf(value: unknown): JsonObject {
  if (!isObject(value)) throw new SyntaxError("the answer is not an object");
  const error = textOf(value["error"]);
  if (error !== undefined) throw new ErrorLine(error);
  return value;
}

/** True for the client's error about a stream that ended without a last chunk; the client has no type for it. */
export function isEndOfStream(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith("Did not receive done");
}

const SHOWN_CHARACTERS = 200;

function describeError(error: unknown): string {
  if (error instanceof ConnectionError) return `failed: ${error.code} (${error.phase})`;
  if (error instanceof StatusError) return `status ${error.status}: ${withoutContents(error.body)}`;
  if (error instanceof ErrorLine) return `error in the stream: ${withoutContents(error.message)}`;
  return `failed: ${error instanceof Error ? withoutContents(`${error.name} ${error.message}`) : String(error)}`;
}

/** A tool-parse error quotes the model's reply. */
function withoutContents(text: string): string {
  return text
    .replace(/raw=.*/s, "raw=…")
    .replaceAll(/\s+/g, " ")
    .slice(0, SHOWN_CHARACTERS);
}
