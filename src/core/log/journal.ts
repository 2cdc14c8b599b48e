import type { AssistantMessage, Compacted, LogBody, LogEvent, WindowSet } from "../../shared/events";
import { LOG_VERSION } from "../../shared/events";
import type { LiveEvent, SessionEvent } from "../../shared/live";
import { applyEvent, EMPTY_VIEW, type SessionView } from "../../shared/view";
import type { ToolSchema } from "../ports";
import { cachedAnchor, ContextProjection, type Context } from "../window/context";
import { DEFAULT_RATES, learn, type Rates } from "../window/estimate";
import { learnSpeeds, UNKNOWN_SPEEDS, type Speeds } from "../window/speeds";

/**
 * Where a session's log is kept. Appends keep their order; a rejection carries a readable reason, and what it could not store goes with
 * the next event that can be stored.
 */
export interface LogStore {
  append(event: LogEvent): Promise<void>;
}

export interface JournalPorts {
  readonly store: LogStore;
  readonly tools: readonly ToolSchema[];
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly newId: () => string;
  /** Told when the log cannot be written, once until it can be again. */
  readonly onStoreFailed: (error: unknown) => void;
}

/** The events after which a prompt has been read, or begins differently. */
export const READINGS: ReadonlySet<string> = new Set<LogEvent["type"]>([
  "assistant_message",
  "compacted",
  "compaction_undone",
  "summary_replaced",
  "summary_chosen",
  "result_dropped",
  "result_restored",
  "prompt_built",
  "window_set",
]);

/**
 * The one owner of a session's log and of everything that is computed from it: the view, the context, the window that is in
 * force, and the rates and speeds that the server's counts have taught.
 */
export class Journal {
  readonly #events: LogEvent[] = [];
  readonly #projection = new ContextProjection();
  readonly #listeners = new Set<(event: SessionEvent) => void>();
  readonly #rates = new Map<string, Rates>();
  readonly #speeds = new Map<string, Speeds>();
  #view: SessionView = EMPTY_VIEW;
  #windowSet: WindowSet | undefined;
  #askedWindow: WindowSet | undefined;
  #readAhead = 0;
  #written: Promise<void> = Promise.resolve();
  #isStoreFailing = false;

  constructor(
    private readonly ports: JournalPorts,
    events: readonly LogEvent[],
  ) {
    for (const event of events) this.#apply(event);
  }

  get events(): readonly LogEvent[] {
    return this.#events;
  }

  get view(): SessionView {
    return this.#view;
  }

  get context(): Context {
    return this.#projection.context;
  }

  /** The model and num_ctx of the requests now. */
  get windowSet(): WindowSet | undefined {
    return this.#windowSet;
  }

  /** What the settings asked for last, before the server had its say. */
  get askedWindow(): WindowSet | undefined {
    return this.#askedWindow;
  }

  /** Tokens of the context that the server read before a message needed them, by its own count; 0 once something has changed. */
  get readAhead(): number {
    return this.#readAhead;
  }

  noteReadAhead(tokens: number): void {
    this.#readAhead = tokens;
  }

  ratesOf(model: string): Rates {
    return this.#rates.get(model) ?? DEFAULT_RATES;
  }

  /** How fast a model has been, by the newest requests of this session. */
  speedsOf(model: string): Speeds {
    return this.#speeds.get(model) ?? UNKNOWN_SPEEDS;
  }

  /** Makes later estimates larger, after the server refused a prompt that was thought to fit. */
  raiseRates(model: string, factor: number): void {
    const rates = this.ratesOf(model);
    this.#rates.set(model, { ...rates, margin: Math.min(2, rates.margin * factor) });
  }

  onEvent(listener: (event: SessionEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Stamps an event, makes it part of everything that is computed from the log, tells the listeners, and stores it. */
  append(body: LogBody, id = this.ports.newId()): LogEvent {
    const event: LogEvent = { ...body, v: LOG_VERSION, id, at: this.ports.now() };
    this.#apply(event);
    this.#tell(event);
    this.#written = this.#written.then(async () => {
      try {
        await this.ports.store.append(event);
        this.#isStoreFailing = false;
      } catch (error) {
        if (this.#isStoreFailing) return;
        this.#isStoreFailing = true;
        this.ports.onStoreFailed(error);
      }
    });
    return event;
  }

  emit(event: LiveEvent): void {
    this.#view = applyEvent(this.#view, event);
    this.#tell(event);
  }

  /** Resolves when everything that was appended so far is stored. */
  flushed(): Promise<void> {
    return this.#written;
  }

  #apply(event: LogEvent): void {
    if (event.type === "assistant_message") this.#learn(event);
    if (READINGS.has(event.type)) this.#readAhead = 0;
    if (event.type === "compacted") this.#time(event.model, event);
    if (event.type === "summary_replaced" && event.model !== undefined) this.#time(event.model, event);
    if (event.type === "window_set") {
      this.#windowSet = event;
      if (event.source === "settings") this.#askedWindow = event;
    }
    this.#projection.apply(event);
    this.#events.push(event);
    this.#view = applyEvent(this.#view, event);
  }

  #learn(reply: LogEvent & AssistantMessage): void {
    const { context } = this;
    const { messages, anchor } = context;
    const rates = learn(this.ratesOf(reply.model), messages, anchor, { reply, tools: this.ports.tools });
    this.#rates.set(reply.model, rates);
    const readBefore = cachedAnchor(context)?.tokens ?? this.#readAhead;
    this.#speeds.set(reply.model, learnSpeeds(this.speedsOf(reply.model), reply, readBefore));
  }

  #time(model: string, { requests = [], before }: Partial<Pick<Compacted, "requests" | "before">>): void {
    for (const request of requests) {
      const readBefore = request.form === "in_place" ? (before?.tokens ?? 0) : 0;
      this.#speeds.set(model, learnSpeeds(this.speedsOf(model), request, readBefore));
    }
  }

  #tell(event: SessionEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}
