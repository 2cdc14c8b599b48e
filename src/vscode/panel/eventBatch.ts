import type { SessionEvent } from "../../shared/live";
import type { Disposing } from "../disposable";

/**
 * Gathers the events of a moment, so that a fast stream becomes few messages to the page: the first event starts the wait, all
 * that come within it go out together and in order, and pieces of a streaming reply become one piece.
 */
export class EventBatch implements Disposing {
  #events: SessionEvent[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly waitMs: number,
    private readonly deliver: (events: readonly SessionEvent[]) => void,
  ) {}

  add(event: SessionEvent): void {
    const last = this.#events.at(-1);
    if (last?.type === "reply_delta" && event.type === "reply_delta") {
      const joined = { ...last, text: last.text + event.text, thinking: last.thinking + event.thinking };
      this.#events[this.#events.length - 1] = joined;
    } else {
      this.#events.push(event);
    }
    this.#timer ??= setTimeout(() => this.#flush(), this.waitMs);
  }

  /** Drops what waits, e.g. because a snapshot that holds it goes out. */
  clear(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#events = [];
  }

  dispose(): void {
    this.clear();
  }

  #flush(): void {
    const events = this.#events;
    this.clear();
    this.deliver(events);
  }
}
