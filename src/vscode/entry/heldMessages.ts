/** Passes messages on in their order; what comes while nobody listens is held until somebody does. */
export class HeldMessages {
  readonly #held: unknown[] = [];
  #listener: ((message: unknown) => void) | undefined;

  pass(message: unknown): void {
    if (this.#listener === undefined) this.#held.push(message);
    else this.#listener(message);
  }

  /** Hands over what was held and, until the function that is returned is called, whatever comes. */
  listen(listener: (message: unknown) => void): () => void {
    this.#listener = listener;
    for (const message of this.#held.splice(0)) listener(message);
    return () => {
      if (this.#listener === listener) this.#listener = undefined;
    };
  }
}
