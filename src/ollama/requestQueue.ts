import { unlessAborted } from "./aborting";

/** Lets requests for the same key run one after the other, in the order in which they came. */
export class RequestQueue {
  readonly #tails = new Map<string, Promise<unknown>>();

  /** Runs `work` when all earlier work for the key has ended; rejects with the signal's reason if that fires while it waits. */
  async run<T>(key: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const earlier = this.#tails.get(key);
    let release = (): void => undefined;
    const mine = new Promise<void>((resolve) => {
      release = resolve;
    });
    const tail = Promise.all([earlier, mine]).then(() => {
      if (this.#tails.get(key) === tail) this.#tails.delete(key);
    });
    this.#tails.set(key, tail);
    try {
      if (earlier !== undefined) await unlessAborted(earlier, signal);
      return await work();
    } finally {
      release();
    }
  }
}
