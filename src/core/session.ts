import type { LogEvent, TurnRestored } from "../shared/events";
import type { ApprovalDecision, QueuedMessage, SessionEvent } from "../shared/live";
import type { ContextBreakdown } from "../shared/protocol";
import type { SessionView } from "../shared/view";
import {
  ensureSystemPrompt,
  refuseMessage,
  rulesOf,
  windowOf,
  type Agent,
  type CommandOutcome,
  type SendOutcome,
  type SessionSettings,
} from "./agent";
import { Approvals } from "./approvals/approvals";
import { compactAfterTurn } from "./compaction/compactor";
import { pin, unpin } from "./compaction/pins";
import type { HashOf } from "./log/files";
import { Journal, type LogStore } from "./log/journal";
import { repair } from "./log/repair";
import type { ChatModel } from "./ports";
import { Steering } from "./steering";
import type { AnyTool } from "./tools/tool";
import { noteRestored, type Checkpoints } from "./turn/checkpoints";
import { contextNow, steeringOf } from "./turn/contextDetails";
import { settleLeft } from "./turn/keepFiles";
import { Preloader } from "./turn/preloader";
import { SettingsChange } from "./turn/settingsChange";
import { runTurn } from "./turn/turn";
import { renderSummaryMessage } from "./window/summaryMessage";
import type { WorkspaceFacts } from "./window/systemPrompt";
import { breakdownOf, meterOf } from "./window/window";

export type { CommandOutcome, SendOutcome, SessionSettings } from "./agent";
export type { LogStore } from "./log/journal";
export type { WorkspaceFacts } from "./window/systemPrompt";

export interface SessionPorts {
  readonly chatModel: ChatModel;
  readonly tools: readonly AnyTool[];
  readonly describeWorkspace: () => Promise<WorkspaceFacts>;
  /** Lets a compaction notice files that changed since they were read. */
  readonly hashOf?: HashOf;
  /** Lets the person take the file changes of a turn back. */
  readonly checkpoints?: Checkpoints;
  readonly settings: () => SessionSettings;
  readonly store: LogStore;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly newId: () => string;
  /** One readable line, without contents of files or messages. */
  readonly log: (line: string) => void;
}

/**
 * One conversation: the owner of its log, its queue and of what runs. At most one turn or compaction runs at a time; messages
 * sent meanwhile wait and go out once each, in order.
 */
export class Session {
  readonly id: string;
  /** What the person can do to compactions and to the context. */
  readonly steering: Steering;
  readonly #journal: Journal;
  readonly #agent: Agent;
  readonly #preloader: Preloader;
  readonly #settingsChange: SettingsChange;
  #running: { readonly controller: AbortController; readonly done: Promise<void> } | undefined;
  #isDisposed = false;

  /** `events` are those of a stored session, in order; none for a new one. */
  constructor(
    private readonly ports: SessionPorts,
    events: readonly LogEvent[],
  ) {
    const { now, newId, settings } = ports;
    const schemas = ports.tools.map(({ schema }) => schema);
    const onStoreFailed = (error: unknown) => this.#reportStoreFailure(error);
    this.#journal = new Journal({ store: ports.store, tools: schemas, now, newId, onStoreFailed }, events);
    const journal = this.#journal;
    const approvals = new Approvals(() => rulesOf(settings()), {
      asked: (callId, question, askId) => {
        journal.emit({ type: "phase_changed", phase: { name: "approval", since: now(), callId } });
        journal.emit({ type: "approval_asked", callId, question, askId });
      },
      settled: (callId) => journal.emit({ type: "approval_settled", callId }),
    });
    const { hashOf, checkpoints } = ports;
    this.#agent = { ...ports, hashOf, checkpoints, journal, approvals, schemas, checkedWindows: new Set() };
    this.steering = new Steering(this.#agent, {
      isBusy: () => this.isBusy,
      run: (work) => this.#start(work),
    });
    this.#preloader = new Preloader(this.#agent);
    this.#settingsChange = new SettingsChange(this.#agent);
    if (events.length === 0) journal.append({ type: "session_started", sessionId: newId() });
    // Opening a session sends nothing: what waits from before goes out with what the person sends next.
    const waiting = this.view.queue.at(-1)?.id;
    if (repair(journal)) void this.#start(() => settleLeft(journal, checkpoints), waiting);
    this.id = journal.view.sessionId;
    journal.onEvent((event) => {
      if ("v" in event) this.#showMeter();
    });
    this.#showMeter();
  }

  get view(): SessionView {
    return this.#journal.view;
  }

  get events(): readonly LogEvent[] {
    return this.#journal.events;
  }

  get isBusy(): boolean {
    return this.#running !== undefined;
  }

  /** Returns the function that ends the listening. */
  onEvent(listener: (event: SessionEvent) => void): () => void {
    return this.#journal.onEvent(listener);
  }

  /** Takes a message: it goes out now or waits its turn. A refusal says why and what to do, and changes nothing. */
  send(id: string, text: string): SendOutcome {
    if (!this.isBusy) this.#settingsChange.changed(false);
    const refusal = refuseMessage(this.#agent, text);
    if (refusal !== undefined) return { accepted: false, message: refusal };
    if (this.isBusy || this.view.queue.length > 0)
      this.#journal.append({ type: "message_queued", queueId: id, text });
    else void this.#start((signal) => this.#runMessage(text, undefined, signal));
    if (!this.isBusy) this.#startQueued();
    return { accepted: true };
  }

  /** Takes a waiting message back; undefined when it is no longer waiting. */
  withdraw(id: string): QueuedMessage | undefined {
    const message = this.view.queue.find((queued) => queued.id === id);
    if (message !== undefined) this.#journal.append({ type: "message_withdrawn", queueId: id });
    return message;
  }

  /** Ends what runs, at once and in every phase. What is waiting goes out next. */
  stop(): void {
    this.#running?.controller.abort();
  }

  /** Compacts now, whatever the meter says; only while nothing else runs. */
  compactNow(focus?: string): Promise<CommandOutcome> {
    return this.steering.compactNow(focus);
  }

  /** Keeps a text word for word through every compaction from now on; refused beyond a tenth of the window. */
  pin(text: string): CommandOutcome {
    return pin(this.#agent, text);
  }

  /** Takes a pin of `view.pins` back. */
  unpin(pinId: string): CommandOutcome {
    return unpin(this.#agent, pinId);
  }

  /** Goes on with the last turn, without sending anything twice. */
  resume(how: "retry" | "continue"): void {
    const last = this.view.entries.findLast(({ kind }) => kind === "turn_ended");
    if (this.isBusy || last?.kind !== "turn_ended" || !last.canResume) return;
    void this.#start(async (signal) => {
      this.#journal.append({ type: "turn_resumed", how });
      await this.#runTurn(signal);
    });
  }

  /** Has the model loaded, and the context read if it is wanted, while the person still types; nothing of it is in the log. */
  preload(what: "model" | "with_context"): void {
    if (!this.isBusy && !this.#isDisposed) this.#preloader.start(what);
  }

  /** Answers a question that a tool asked; `askId` is that of the question, which may have been asked anew since. */
  decide(callId: string, decision: ApprovalDecision, askId?: number): void {
    this.#agent.approvals.decide(callId, decision, askId);
  }

  /** Notes that the person took file changes of a turn back, and tells the model. */
  noteRestored(restored: Omit<TurnRestored, "type">): void {
    noteRestored(this.#journal, restored);
  }

  /** What fills the context window now. */
  async breakdown(): Promise<ContextBreakdown> {
    return breakdownOf(await contextNow(this.#agent), windowOf(this.#agent));
  }

  /** Slot 1 of the context as Markdown, when the context begins with a compaction. */
  latestSummary(): string | undefined {
    const { compaction } = this.#journal.context;
    return compaction && renderSummaryMessage(compaction.summary, compaction.kept);
  }

  /** To be told that settings may have changed: shows what they mean for the meter and for what runs. */
  settingsChanged(): void {
    this.#settingsChange.changed(this.isBusy);
    this.#showMeter();
  }

  /** Stops, and resolves when everything is stored. */
  async dispose(): Promise<void> {
    this.#isDisposed = true;
    this.stop();
    this.#preloader.stop();
    await this.#running?.done;
    await this.#journal.flushed();
  }

  #startQueued(): void {
    if (this.view.queue.length === 0 || this.#isDisposed) return;
    void this.#start(async (signal) => {
      // Looked at only now: it may have been withdrawn since.
      const [next] = this.view.queue;
      if (next !== undefined) await this.#runMessage(next.text, next.id, signal);
    });
  }

  /** Runs `work` as the one thing that runs; the next waiting message follows it, unless `waitsOn` is still the last of them. */
  #start(work: (signal: AbortSignal) => Promise<void>, waitsOn?: string): Promise<void> {
    const controller = new AbortController();
    this.#preloader.giveWay();
    // One step later, so that nothing which `work` causes can find the session idle.
    const done = Promise.resolve()
      .then(() => this.#settingsChange.adopt())
      .then(() => work(controller.signal))
      .catch((error: unknown) => this.#reportBug(error))
      .finally(() => {
        this.#running = undefined;
        if (!this.#isDisposed) this.#settingsChange.changed(false);
        this.#journal.emit({ type: "phase_changed", phase: { name: "idle" } });
        if (waitsOn === undefined || this.view.queue.at(-1)?.id !== waitsOn) this.#startQueued();
      });
    this.#running = { controller, done };
    return done;
  }

  async #runMessage(text: string, queueId: string | undefined, signal: AbortSignal): Promise<void> {
    this.#journal.append({ type: "user_message", text, ...(queueId === undefined ? {} : { queueId }) });
    await this.#runTurn(signal);
  }

  async #runTurn(signal: AbortSignal): Promise<void> {
    await ensureSystemPrompt(this.#agent);
    const reason = await runTurn(this.#agent, signal);
    if (reason !== "stopped" && reason !== "failed") await compactAfterTurn(this.#agent, signal);
  }

  #showMeter(): void {
    this.#journal.emit({
      type: "meter_changed",
      meter: meterOf(this.#journal.context, windowOf(this.#agent)),
    });
    const steering = steeringOf(this.#agent);
    if (JSON.stringify(steering) !== JSON.stringify(this.view.steering))
      this.#journal.emit({ type: "steering_changed", steering });
  }

  #reportStoreFailure(error: unknown): void {
    this.#journal.append({
      type: "notice",
      level: "warning",
      text: `This session could not be saved: ${messageOf(error)} Loom tries again with all that follows; until that works, a restart loses it.`,
    });
  }

  /** Only bugs get here: everything that can happen is an event. */
  #reportBug(error: unknown): void {
    this.ports.log(
      `internal error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    );
    this.#journal.append({
      type: "turn_ended",
      reason: "failed",
      failure: {
        kind: "internal",
        message: `Loom made a mistake: ${messageOf(error)} The log (Loom: Open Log) has the details.`,
      },
    });
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
