/** The server sent nothing for as long as the person has set. */
export class Silence extends Error {
  override readonly name = "Silence";
  constructor(readonly minutes: number) {
    super(`nothing came for ${minutes} minutes`);
  }
}

/** Aborts its signal when nothing is heard for so many minutes; 0 for never. It also aborts with the outer signal. */
export class SilenceWatch {
  readonly #controller = new AbortController();
  readonly #outer: AbortSignal;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly minutes: number,
    outer: AbortSignal,
  ) {
    this.#outer = outer;
    outer.addEventListener("abort", this.#stop, { once: true });
    if (outer.aborted) this.#stop();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** To be called when the server is asked, and for everything that comes. */
  heard(): void {
    clearTimeout(this.#timer);
    if (this.minutes <= 0 || this.signal.aborted) return;
    const silence = () => this.#controller.abort(new Silence(this.minutes));
    this.#timer = setTimeout(silence, this.minutes * 60_000);
  }

  /** Lets go of the timer and of the outer signal. */
  end(): void {
    clearTimeout(this.#timer);
    this.#outer.removeEventListener("abort", this.#stop);
  }

  readonly #stop = (): void => this.#controller.abort(this.#outer.reason);
}
