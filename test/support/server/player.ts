import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { setImmediate } from "node:timers/promises";
import type { Fault } from "./reply";

/** How an answer is to be sent. */
export interface Performance {
  readonly contentType: "application/x-ndjson" | "application/json; charset=utf-8";
  readonly fault?: Fault | undefined;
  /** Awaited before each piece. */
  readonly before?: ((piece: number) => Promise<unknown> | undefined) | undefined;
  /** Aborted when the connection is closed. */
  readonly signal: AbortSignal;
}

/** Sends the pieces of an answer, the fault in its place; rejects when the client has gone. */
export async function play(
  response: ServerResponse,
  pieces: readonly string[],
  performance: Performance,
): Promise<void> {
  const { fault, before, signal } = performance;
  if (fault?.kind === "status") return answer(response, fault.status, fault.body);
  const faultAt = fault ? Math.min(fault.afterChunks, pieces.length - 1) : -1;
  for (const [index, piece] of pieces.entries()) {
    if (fault && index === faultAt && (await strike(response, fault, performance)) === "over") return;
    await unlessAborted(before?.(index), signal);
    await send(response, piece, performance);
  }
  response.end();
}

/** Sends a whole answer at once; text as it is, anything else as JSON. */
export function answer(response: ServerResponse, status: number, body: string | object): void {
  const isText = typeof body === "string";
  const type = isText ? "text/plain; charset=utf-8" : "application/json; charset=utf-8";
  response.writeHead(status, { "Content-Type": type });
  response.end(isText ? body : JSON.stringify(body));
}

/** One line of an NDJSON stream. */
export function ndjsonLine(value: object): string {
  return `${JSON.stringify(value)}\n`;
}

/** A JSON body in two pieces, so that faults have a middle to happen in. */
export function halves(value: object): readonly [string, string] {
  const text = JSON.stringify(value);
  const middle = Math.floor(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)];
}

/** Waits for a promise, but no longer than the connection lives. */
export async function unlessAborted<T>(waiting: Promise<T> | T, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  if (!(waiting instanceof Promise)) return waiting;
  const listening = new AbortController();
  const gone = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error), { signal: listening.signal });
  });
  try {
    return await Promise.race([waiting, gone]);
  } finally {
    listening.abort();
  }
}

async function strike(
  response: ServerResponse,
  fault: Exclude<Fault, { kind: "status" }>,
  performance: Performance,
): Promise<"over" | "goes on"> {
  switch (fault.kind) {
    case "hang":
      await unlessAborted(fault.until ?? new Promise<never>(() => undefined), performance.signal);
      return "goes on";
    case "garbage":
      await send(response, fault.line ?? '{"model": "broken", "mess\n', performance);
      return "goes on";
    case "error":
      await send(response, ndjsonLine({ error: fault.message }), performance);
      response.end();
      return "over";
    case "eof":
      if (!response.headersSent) begin(response, performance);
      response.end();
      return "over";
    case "reset":
      await flushed(response);
      response.socket?.resetAndDestroy();
      return "over";
  }
}

function begin(response: ServerResponse, performance: Performance): void {
  response.writeHead(200, { "Content-Type": performance.contentType });
}

/** A reset throws away what has not left the process, and the client is to have all pieces before it. */
async function flushed(response: ServerResponse): Promise<void> {
  while (response.writableLength > 0 || (response.socket?.writableLength ?? 0) > 0) await setImmediate();
}

async function send(response: ServerResponse, piece: string, performance: Performance): Promise<void> {
  performance.signal.throwIfAborted();
  if (!response.headersSent) begin(response, performance);
  if (response.write(piece)) return;
  await once(response, "drain", { signal: performance.signal });
}
