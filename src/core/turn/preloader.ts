import { modelOf, windowOf, type Agent } from "../agent";
import { isCached } from "../compaction/compactor";
import { READINGS } from "../log/journal";
import type { ContextMessage } from "../window/messages";
import { promptTokens } from "../window/window";
import { requestFor } from "./reply";

/** Stands where the next message will: chat templates leave out thinking before the last message of the user. */
const NEXT_MESSAGE: ContextMessage = { role: "user", source: "", content: "." };

/**
 * Does beforehand what the next message would have to wait for: brings the model into memory with the options of the next request, and
 * has it read a conversation that the server does not have in its cache, as after a compaction. One at a time. A message that is
 * sent meanwhile waits for the loading; the reading gives way to it, and what was read by then need not be read again.
 */
export class Preloader {
  readonly #agent: Agent;
  #running: { readonly loading: AbortController; readonly reading: AbortController } | undefined;

  constructor(agent: Agent) {
    this.#agent = agent;
  }

  start(what: "model" | "with_context"): void {
    if (this.#running !== undefined || this.#agent.settings().model === "") return;
    const running = { loading: new AbortController(), reading: new AbortController() };
    if (what === "model") running.reading.abort();
    this.#running = running;
    void this.#run(running.loading.signal, running.reading.signal).finally(() => (this.#running = undefined));
  }

  /** To be told that something else is about to be asked of the model. */
  giveWay(): void {
    this.#running?.reading.abort();
  }

  stop(): void {
    this.#running?.loading.abort();
    this.giveWay();
  }

  async #run(loading: AbortSignal, reading: AbortSignal): Promise<void> {
    const { chatModel, settings, journal } = this.#agent;
    const { model, numCtx } = settings();
    const asked = journal.askedWindow;
    // What the server allocated of the same wish is what the next request asks for.
    const isSame = asked?.model === model && asked.numCtx === numCtx;
    if (isSame && (await isCached(this.#agent, loading))) return;
    const isLoaded = await chatModel.preload(model, isSame ? windowOf(this.#agent).numCtx : numCtx, loading);
    if (isLoaded && isSame && !reading.aborted) await this.#read(reading);
  }

  /** Has the context read as far as the next request will begin with it; what is answered is not looked at. */
  async #read(signal: AbortSignal): Promise<void> {
    const { chatModel, journal, log } = this.#agent;
    const { context } = journal;
    const window = windowOf(this.#agent);
    const isCompactedFirst = promptTokens(context, window).tokens > window.compactAt;
    if (context.messages.length < 2 || isCompactedFirst || !this.#tellsCached()) return;
    log(`reading ahead: ${context.messages.length} messages with ${modelOf(this.#agent)}`);
    const next = { ...context, messages: [...context.messages, NEXT_MESSAGE] };
    const request = { ...requestFor(this.#agent, next), maxReplyTokens: 1 };
    const { length } = journal.events;
    const outcome = await chatModel.chat(request, () => undefined, signal);
    const isSame = !journal.events.slice(length).some(({ type }) => READINGS.has(type));
    if (outcome.type === "reply" && isSame) journal.noteReadAhead(outcome.reply.usage.promptTokens ?? 0);
  }

  /** Whether the server says what of a prompt it had in its cache: the speed of one that does not would be taken for higher than it is. */
  #tellsCached(): boolean {
    const last = this.#agent.journal.events.findLast(({ type }) => type === "assistant_message");
    return last?.type === "assistant_message" && last.usage.cachedTokens !== undefined;
  }
}
