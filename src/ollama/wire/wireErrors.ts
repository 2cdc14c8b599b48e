/** The connection could not be made, or broke. `code` is Node's, e.g. ECONNREFUSED. */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";
  constructor(
    readonly code: string,
    /** `open` before anything was sent, `wait` until the headers came, `receive` after. */
    readonly phase: "open" | "wait" | "receive",
    cause: Error,
  ) {
    super(cause.message || code, { cause });
  }
}

/** An answer whose status is not 2xx, read whole before the client sees it. */
export class StatusError extends Error {
  override readonly name = "StatusError";
  constructor(
    readonly status: number,
    readonly body: string,
    /** Where a redirect points. */
    readonly location: string | undefined,
  ) {
    super(`status ${status}`);
  }
}

/** The stream held a line `{"error": …}`: the server gave up after it had begun to answer. */
export class ErrorLine extends Error {
  override readonly name = "ErrorLine";
}

/** The stream held a line that is no JSON object; `message` is its beginning. */
export class GarbageLine extends Error {
  override readonly name = "GarbageLine";
}

/** The stream ended without a last chunk that says so. */
export class EndedWithoutDone extends Error {
  override readonly name = "EndedWithoutDone";
}
