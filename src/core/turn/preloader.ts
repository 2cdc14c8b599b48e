import { windowOf, type Agent } from "../agent";

/**
 * Brings the model of a session into memory with the options that its next request will have, one load at a time. A message that is
 * sent meanwhile waits for it.
 */
export class Preloader {
  readonly #agent: Agent;
  #loading: AbortController | undefined;

  constructor(agent: Agent) {
    this.#agent = agent;
  }

  start(): void {
    const { chatModel, settings, journal } = this.#agent;
    const { model, numCtx } = settings();
    if (this.#loading !== undefined || model === "") return;
    const asked = journal.askedWindow;
    // What the server allocated of the same wish is what the next request asks for.
    const isSame = asked?.model === model && asked.numCtx === numCtx;
    const loading = new AbortController();
    this.#loading = loading;
    void chatModel
      .preload(model, isSame ? windowOf(this.#agent).numCtx : numCtx, loading.signal)
      .finally(() => (this.#loading = undefined));
  }

  stop(): void {
    this.#loading?.abort();
  }
}
