import { unlessAborted } from "./aborting";

/** Work for a key: what it is, and how it is told that other work is before it. */
export interface Queued {
  readonly key: string;
  readonly kind: "chat" | "preload";
  /** Told, when the work has to wait, what kind of work is the last one before it. */
  readonly onWait?: ((before: Queued["kind"]) => void) | undefined;
}

/**
 * Lets requests for the same key run one after the other, in the order in which they came. Only those of this window: the requests of
 * another one wait in the server, and are seen as reading that takes longer than expected.
 */
export class RequestQueue {
  readonly #tails = new Map<string, { readonly kind: Queued["kind"]; readonly done: Promise<unknown> }>();

  /** Runs `work` when all earlier work for the key has ended; rejects with the signal's reason if that fires while it waits. */
  async run<T>({ key, kind, onWait }: Queued, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const earlier = this.#tails.get(key);
    let release = (): void => undefined;
    const mine = new Promise<void>((resolve) => {
      release = resolve;
    });
    const done = Promise.all([earlier?.done, mine]).then(() => {
      if (this.#tails.get(key) === tail) this.#tails.delete(key);
    });
    const tail = { kind, done };
    this.#tails.set(key, tail);
    try {
      if (earlier !== undefined) {
        onWait?.(earlier.kind);
        await unlessAborted(earlier.done, signal);
      }
      return await work();
    } finally {
      release();
    }
  }
}
