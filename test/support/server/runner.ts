/** What a request asks of the runner of its model; any other value than the loaded one means a reload. */
export interface RunnerOptions {
  /** Allocated, not asked. */
  readonly numCtx: number;
  /** Everything else that a reload depends on, as one comparable text. */
  readonly rest: string;
}

/** A place at a runner, held from before the prompt is read until the reply has ended. */
export interface RunnerSlot {
  readonly numCtx: number;
  /** The model was loaded for this request. */
  readonly loaded: boolean;
  /** A runner with other options had to go for it. */
  readonly reloaded: boolean;
  release(): void;
}

interface Waiting {
  readonly options: RunnerOptions;
  readonly start: (slot: RunnerSlot) => void;
}

/** How many earlier prompts a new engine remembers besides the one in the slot. */
const REMEMBERED_PROMPTS = 16;

/** The one runner of a model: what it is loaded with, who waits for it, and the prompts that it has in its cache. */
export class Runner {
  #loaded: RunnerOptions | undefined;
  #active = 0;
  #reloads = 0;
  #prompts: (readonly string[])[] = [];
  readonly #waiting: Waiting[] = [];
  readonly #parallel: number;

  constructor(parallel: number) {
    this.#parallel = parallel;
  }

  /** The allocated window, or undefined while the model is not loaded. */
  get numCtx(): number | undefined {
    return this.#loaded?.numCtx;
  }

  get reloads(): number {
    return this.#reloads;
  }

  /** Requests that run or wait. */
  get pending(): number {
    return this.#active + this.#waiting.length;
  }

  /** Waits its turn, first come first served, and loads what the request needs; rejects with the signal's reason. */
  async acquire(options: RunnerOptions, signal: AbortSignal): Promise<RunnerSlot> {
    signal.throwIfAborted();
    return new Promise((resolve, reject) => {
      const waiting: Waiting = { options, start: resolve };
      this.#waiting.push(waiting);
      signal.addEventListener("abort", () => {
        const place = this.#waiting.indexOf(waiting);
        if (place < 0) return;
        this.#waiting.splice(place, 1);
        reject(signal.reason as Error);
        this.#next();
      });
      this.#next();
    });
  }

  /** Forgets the model and its cache, as keep_alive 0 does. */
  unload(): void {
    this.#loaded = undefined;
    this.#prompts = [];
  }

  /** How many tokens of a prompt need no evaluation; the last one always does. */
  cachedCount(prompt: readonly string[]): number {
    const common = this.#prompts.map((known) => commonPrefix(known, prompt));
    return Math.min(Math.max(0, ...common), Math.max(0, prompt.length - 1));
  }

  /** Puts a prompt into the cache; old engines have room for this one only. */
  remember(prompt: readonly string[], remembersOthers: boolean): void {
    const others = this.#prompts.filter((known) => commonPrefix(known, prompt) < known.length);
    this.#prompts = remembersOthers ? [prompt, ...others].slice(0, REMEMBERED_PROMPTS) : [prompt];
  }

  #next(): void {
    const first = this.#waiting[0];
    if (!first || this.#active >= this.#parallel) return;
    const fits = this.#loaded !== undefined && isServedBy(first.options, this.#loaded);
    if (this.#active > 0 && !fits) return;
    this.#waiting.shift();
    this.#active++;
    const reloaded = !fits && this.#loaded !== undefined;
    if (!fits) {
      this.unload();
      this.#loaded = first.options;
      if (reloaded) this.#reloads++;
    }
    first.start({ ...this.#slot(), loaded: !fits, reloaded });
    this.#next();
  }

  #slot(): Pick<RunnerSlot, "numCtx" | "release"> {
    let isHeld = true;
    return {
      numCtx: this.#loaded?.numCtx ?? 0,
      release: () => {
        if (!isHeld) return;
        isHeld = false;
        this.#active--;
        this.#next();
      },
    };
  }
}

function isServedBy(asked: RunnerOptions, loaded: RunnerOptions): boolean {
  return asked.rest === loaded.rest && asked.numCtx === loaded.numCtx;
}

function commonPrefix(left: readonly string[], right: readonly string[]): number {
  let length = 0;
  while (length < left.length && length < right.length && left[length] === right[length]) length++;
  return length;
}
