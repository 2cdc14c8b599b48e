import { setTimeout as delay } from "node:timers/promises";
import * as vscode from "vscode";
import type { LogEvent } from "../shared/events";
import type { SessionEvent } from "../shared/live";
import type { Session } from "../core/session";
import { Disposable } from "./disposable";
import { messageOf } from "./log";
import type { SessionAppender } from "./sessionAppender";
import type { SessionStore, SessionSummary, StoredSession } from "./sessionStore";

/** Under this name the workspace remembers the session that was open; an empty text stands for a new one. */
const CURRENT = "loom.currentSession";

/** How long a window that starts waits for the one before it (a reload) to let go of its session, in milliseconds. */
const HANDOVER_MS = 3_000;
const HANDOVER_STEP_MS = 50;

/** Makes the session of a log, `[]` for a new one. */
export type MakeSession = (events: readonly LogEvent[], store: SessionAppender) => Session;

export interface SessionsParts {
  readonly store: SessionStore;
  /** The workspace's, which all windows on it share. */
  readonly memory: vscode.Memento;
  readonly makeSession: MakeSession;
  /** Ends what commands of a session have left running; called when the session is left. */
  readonly endProcesses: () => Promise<void>;
}

interface Open {
  readonly session: Session;
  readonly stored: StoredSession;
  readonly listening: vscode.Disposable;
}

/** The owner of this window's one current session. Opening another one stops it first, and its events never mix with the other's. */
export class Sessions extends Disposable {
  private open: Open | undefined;
  private switching: Promise<unknown> = Promise.resolve();
  private readonly changed = this.register(new vscode.EventEmitter<Session>());
  private readonly happened = this.register(new vscode.EventEmitter<SessionEvent>());
  /** Fires when another session has become the current one. */
  readonly onDidChange = this.changed.event;
  /** What the current session tells, and nothing of any other. */
  readonly onEvent = this.happened.event;

  constructor(private readonly parts: SessionsParts) {
    super();
  }

  /** The current session if there is one yet. */
  get current(): Session | undefined {
    return this.open?.session;
  }

  /** The current session; the first call restores the one that was open when the window closed. */
  ready(): Promise<Session> {
    return this.enqueue(async () => this.open?.session ?? this.restore());
  }

  /** Starts over; the session so far stays in the list. */
  startNew(): Promise<Session> {
    return this.enqueue(async () => {
      const session = this.open?.session;
      const isUnused = session?.view.entries.length === 0 && !session.isBusy;
      return session !== undefined && isUnused ? session : this.switchTo(this.parts.store.create());
    });
  }

  /** Goes on with an earlier session; undefined, with a message to the person, when that cannot be done. */
  openStored(key: string): Promise<Session | undefined> {
    return this.enqueue(async () => {
      if (this.open?.stored.key === key) return this.open.session;
      const stored = await this.parts.store.open(key);
      if (typeof stored !== "string") return this.switchTo(stored);
      void vscode.window.showWarningMessage(
        stored === "open_elsewhere"
          ? vscode.l10n.t(
              "This session is open in another window. Go on with it there, or close that window first.",
            )
          : vscode.l10n.t("This session is not there any more."),
      );
      return undefined;
    });
  }

  list(): Promise<readonly SessionSummary[]> {
    return this.parts.store.list();
  }

  /** The key of the current session in the list. */
  get currentKey(): string | undefined {
    return this.open?.stored.key;
  }

  /** Stops the current session and waits until all of it is saved. */
  close(): Promise<void> {
    return this.enqueue(() => this.leave());
  }

  private async restore(): Promise<Session> {
    const key = this.parts.memory.get<string>(CURRENT) ?? "";
    const stored = key === "" ? "missing" : await this.openWhenFree(key);
    const own = stored === "open_elsewhere" ? await this.openNewest() : stored;
    const session = await this.switchTo(typeof own === "object" ? own : this.parts.store.create());
    // A damaged file is named soon, not only when someone asks for the list; what fails here shows when they do.
    void this.parts.store.list().catch(() => undefined);
    return session;
  }

  private async openWhenFree(key: string): ReturnType<SessionStore["open"]> {
    for (let waited = 0; ; waited += HANDOVER_STEP_MS) {
      const stored = await this.openOrSay(key);
      if (stored !== "open_elsewhere" || waited >= HANDOVER_MS) return stored;
      await delay(HANDOVER_STEP_MS);
    }
  }

  /** Two windows on one folder: each goes on with its own session, so this one takes the newest that is free. */
  private async openNewest(): Promise<StoredSession | undefined> {
    const newest = (await this.parts.store.list()).find(({ isOpen }) => !isOpen);
    const stored = newest && (await this.openOrSay(newest.key));
    return typeof stored === "object" ? stored : undefined;
  }

  private async openOrSay(key: string): ReturnType<SessionStore["open"]> {
    try {
      return await this.parts.store.open(key);
    } catch (error) {
      const reason = messageOf(error);
      void vscode.window.showErrorMessage(vscode.l10n.t("The last session could not be opened: {0}", reason));
      return "missing";
    }
  }

  private async switchTo(stored: StoredSession): Promise<Session> {
    const wasBusy = this.open?.session.isBusy ?? false;
    await this.leave();
    const session = this.parts.makeSession(stored.events, stored.appender);
    const stopListening = session.onEvent((event) => {
      this.happened.fire(event);
      if (event.type === "user_message") this.remember(stored.key);
    });
    this.open = { session, stored, listening: new vscode.Disposable(stopListening) };
    this.remember(stored.events.length > 0 ? stored.key : "");
    this.changed.fire(session);
    if (wasBusy) {
      const text = vscode.l10n.t(
        "Loom was still working in the session that you left, so it was stopped there.",
      );
      void vscode.window.showInformationMessage(text);
    }
    return session;
  }

  private async leave(): Promise<void> {
    const { open } = this;
    if (open === undefined) return;
    this.open = undefined;
    open.listening.dispose();
    try {
      await open.session.dispose();
    } finally {
      await Promise.all([open.stored.appender.close(), this.parts.endProcesses()]);
    }
  }

  private remember(key: string): void {
    if (this.parts.memory.get(CURRENT) !== key) void this.parts.memory.update(CURRENT, key);
  }

  /** One change of session at a time; a failed one does not block the next. */
  private enqueue<Result>(task: () => Promise<Result>): Promise<Result> {
    const result = this.switching.then(task);
    this.switching = result.catch(() => undefined);
    return result;
  }
}
