import {
  request as requestHttp,
  type ClientRequest,
  type IncomingMessage,
  type RequestOptions,
} from "node:http";
import { request as requestHttps } from "node:https";
import type { LookupFunction, TcpNetConnectOpts } from "node:net";
import { reasonOf } from "./aborting";
import { checkedLines } from "./lines";
import { ConnectionError, StatusError } from "./wireErrors";

export type Fetch = typeof fetch;

/** How the requests of one fetch function are sent. */
export interface TransportOptions {
  /** Closes the connection at once, whatever phase it is in; the promise rejects with the signal's reason. */
  readonly signal: AbortSignal;
  /** Sent as a bearer token. */
  readonly token: string | undefined;
  /** The answer is a stream of JSON lines, which are checked: see `checkedLines`. */
  readonly isStream: boolean;
}

/**
 * A `fetch` without time-outs over Node's own HTTP. It rejects with `ConnectionError`, with `StatusError` for a status that
 * is not 2xx, and its body fails with what `checkedLines` finds.
 *
 * Not the global fetch: that gives up when no headers come for 300 s, which loading a model and reading a long prompt take, and
 * the editor's version replaces a caller's dispatcher. Not undici: its bundle alone is larger than the 300 kB that the host
 * bundle may have. VS Code puts its proxies and certificates into Node's http and https modules, so they hold here too.
 */
export function createFetch(options: TransportOptions): Fetch {
  return async (input, init) => {
    const url = new URL(typeof input === "string" || input instanceof URL ? input : input.url);
    const headers = new Headers(init?.headers);
    if (options.token !== undefined) headers.set("Authorization", `Bearer ${options.token}`);
    // A connection kept for later would hold up the end of the process, and a Stop must be able to close it.
    headers.set("Connection", "close");
    const body = typeof init?.body === "string" ? init.body : undefined;
    const message = { method: init?.method ?? "GET", headers: Object.fromEntries(headers), body };
    const response = await send(url, message, options.signal);
    if (!response.ok)
      throw new StatusError(
        response.status,
        await response.text(),
        response.headers.get("location") ?? undefined,
      );
    if (!options.isStream || response.body === null) return response;
    return new Response(checkedLines(response.body), { status: response.status, headers: response.headers });
  };
}

interface OutgoingMessage {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

function send(url: URL, { method, headers, body }: OutgoingMessage, signal: AbortSignal): Promise<Response> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const request = url.protocol === "https:" ? requestHttps : requestHttp;
    const outgoing = request(url, { method, headers, ...socketOptions(url) });
    const stop = (): void => {
      reject(reasonOf(signal));
      outgoing.destroy();
    };
    signal.addEventListener("abort", stop, { once: true });
    outgoing.on("close", () => signal.removeEventListener("abort", stop));
    let phase: ConnectionError["phase"] = "open";
    outgoing.on("finish", () => (phase = "wait"));
    outgoing.on("error", (error: NodeJS.ErrnoException) => reject(asConnectionError(error, phase)));
    outgoing.on("response", (incoming) => {
      try {
        resolve(toResponse(incoming, outgoing, signal));
      } catch (error) {
        outgoing.destroy();
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    });
    outgoing.end(body);
  });
}

function asConnectionError(error: NodeJS.ErrnoException, phase: ConnectionError["phase"]): ConnectionError {
  return new ConnectionError(error.code ?? "UNKNOWN", phase, error);
}

/** Both families of addresses are tried, whatever the editor has set as Node's default. */
function socketOptions({ hostname }: URL): RequestOptions & Pick<TcpNetConnectOpts, "autoSelectFamily"> {
  return { autoSelectFamily: true, ...(hostname === "localhost" ? { lookup: lookUpLocalhost } : {}) };
}

/** Both loopback addresses, in this order, without asking anyone: where `localhost` means only ::1, Ollama's default would be missed. */
const lookUpLocalhost: LookupFunction = (_name, options, callback) => {
  if (options.all !== true) return callback(null, "127.0.0.1", 4);
  callback(null, [
    { address: "127.0.0.1", family: 4 },
    { address: "::1", family: 6 },
  ]);
};

function toResponse(incoming: IncomingMessage, outgoing: ClientRequest, signal: AbortSignal): Response {
  const headers = new Headers();
  for (const name of ["content-type", "location"]) {
    const value = incoming.headers[name];
    if (typeof value === "string") headers.set(name, value);
  }
  const status = incoming.statusCode ?? 500;
  return new Response(toStream(incoming, outgoing, signal), { status, headers });
}

/** Bytes that may wait for the reader before the socket is paused. */
const QUEUE_BYTES = 1_048_576;

function toStream(
  incoming: IncomingMessage,
  outgoing: ClientRequest,
  signal: AbortSignal,
): ReadableStream<Uint8Array> {
  let failure: Error | undefined;
  let isOver = false;
  const isDrained = (controller: ReadableStreamDefaultController): boolean =>
    controller.desiredSize === QUEUE_BYTES;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        incoming.on("data", (bytes: Uint8Array) => {
          if (isOver) return;
          controller.enqueue(bytes);
          if ((controller.desiredSize ?? 0) <= 0) incoming.pause();
        });
        incoming.on("end", () => {
          if (!isOver) controller.close();
          isOver = true;
        });
        incoming.on("error", (error) => {
          if (isOver) return;
          isOver = true;
          failure = signal.aborted ? reasonOf(signal) : asConnectionError(error, "receive");
          // An error throws away what is queued, so it waits until that has been read; a stop does not wait.
          if (signal.aborted || isDrained(controller)) controller.error(failure);
        });
      },
      pull(controller) {
        if (failure === undefined) incoming.resume();
        else if (isDrained(controller)) controller.error(failure);
      },
      cancel() {
        isOver = true;
        outgoing.destroy();
      },
    },
    { highWaterMark: QUEUE_BYTES, size: (bytes) => bytes?.byteLength ?? 0 },
  );
}
