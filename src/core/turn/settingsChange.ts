import type { LogEvent } from "../../shared/events";
import { windowOf, type Agent } from "../agent";

/** Another model or window in mid-session: what runs goes on as it began, and what is started after that has the new one. */
export class SettingsChange {
  readonly #agent: Agent;
  /** What was said of a change since work began. */
  #said: string | undefined;

  constructor(agent: Agent) {
    this.#agent = agent;
  }

  /** Appends what the settings ask for when that has changed since the log last said so. */
  adopt(): void {
    const { journal } = this.#agent;
    this.#said = undefined;
    if (!this.#isChanged()) return;
    const { model, numCtx } = this.#agent.settings();
    const allocated = allocatedBefore(journal.events, model, numCtx);
    journal.append({ type: "window_set", model, numCtx, source: "settings" });
    if (allocated !== undefined)
      journal.append({ type: "window_set", model, numCtx: allocated, source: "server" });
  }

  /** Adopts a change at once while nothing runs, but for a session that has asked for no window yet; says otherwise what it will mean. */
  changed(isBusy: boolean): void {
    if (isBusy) this.#announce();
    else if (this.#agent.journal.windowSet !== undefined) this.adopt();
  }

  #announce(): void {
    const { journal, settings } = this.#agent;
    const { model, numCtx } = settings();
    const now = journal.askedWindow;
    const isChanged = this.#isChanged();
    if (now === undefined || (!isChanged && this.#said === undefined)) return;
    const next = now.model === model ? `num_ctx ${numCtx}` : model;
    const kept = now.model === model ? `num_ctx ${windowOf(this.#agent).numCtx}` : now.model;
    const text = isChanged
      ? `What runs now goes on with ${kept}; from the next message on it is ${next}.`
      : `It stays with ${kept}.`;
    if (text === this.#said) return;
    this.#said = text;
    journal.append({ type: "notice", level: "info", text });
  }

  #isChanged(): boolean {
    const { model, numCtx } = this.#agent.settings();
    const asked = this.#agent.journal.askedWindow;
    return asked?.model !== model || asked.numCtx !== numCtx;
  }
}

/** What the server gave this model when the same window was asked for earlier in the session; undefined when it did not give less. */
function allocatedBefore(events: readonly LogEvent[], model: string, numCtx: number): number | undefined {
  let isAsked = false;
  let allocated: number | undefined;
  for (const event of events) {
    if (event.type !== "window_set") continue;
    if (event.source === "settings") isAsked = event.model === model && event.numCtx === numCtx;
    else if (isAsked) allocated = event.numCtx;
  }
  return allocated;
}
