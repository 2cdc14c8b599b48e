import { setTimeout as delay } from "node:timers/promises";
import vscode = require("vscode");
import type { Session } from "../../core/session";
import type { LogEvent } from "../../shared/events";
import type { SessionEvent } from "../../shared/live";
import { NO_DRAFT, type Draft } from "../../shared/protocol";
import { Disposable } from "../disposable";
import { messageOf } from "../log";
import { inform, tellError, warn } from "../messages";
import type { SessionAppender } from "./sessionAppender";
import type { SessionStore, SessionSummary, StoredSession } from "./sessionStore";
import type { WindowMemory } from "./windowMemory";

/** How long a window that starts waits for the one before it (a reload) to let go of its session, in milliseconds. */
const HANDOVER_MS = 3_000;
const HANDOVER_STEP_MS = 50;

/** Makes the session of a log, `[]` for a new one. */
export type MakeSession = (events: readonly LogEvent[], store: SessionAppender) => Session;

export interface SessionsParts {
  readonly store: SessionStore;
  readonly memory: WindowMemory;
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
  /** What is written in this window and not sent; kept over a reload. */
  draft: Draft = NO_DRAFT;
  #open: Open | undefined;
  #switching: Promise<unknown> = Promise.resolve();
  readonly #changed = this.register(new vscode.EventEmitter<Session>());
  readonly #happened = this.register(new vscode.EventEmitter<SessionEvent>());
  /** Fires when another session has become the current one. */
  readonly onDidChange = this.#changed.event;
  /** What the current session tells, and nothing of any other. */
  readonly onEvent = this.#happened.event;

  constructor(private readonly parts: SessionsParts) {
    super();
  }

  /** The current session if there is one yet. */
  get current(): Session | undefined {
    return this.#open?.session;
  }

  /** The current session; the first call restores the one that was open when the window closed. */
  ready(): Promise<Session> {
    return this.#enqueue(async () => this.#open?.session ?? this.#restore());
  }

  /** Starts over; the session so far stays in the list. */
  startNew(): Promise<Session> {
    return this.#enqueue(async () => {
      const session = this.#open?.session;
      const isUnused = session?.view.entries.length === 0 && !session.isBusy;
      return session !== undefined && isUnused ? session : this.#switchTo(await this.parts.store.create());
    });
  }

  /** Goes on with an earlier session; undefined, with a message to the person, when that cannot be done. */
  openStored(key: string): Promise<Session | undefined> {
    return this.#enqueue(async () => {
      if (this.#open?.stored.key === key) return this.#open.session;
      const stored = await this.parts.store.open(key);
      if (typeof stored !== "string") return this.#switchTo(stored);
      void warn(
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
    return this.#open?.stored.key;
  }

  /** Stops the current session and waits until all of it is saved. */
  close(): Promise<void> {
    return this.#enqueue(async () => {
      const key = this.#open?.stored.key;
      await this.#leave();
      if (key !== undefined) await this.parts.memory.noteClosed(key, this.draft);
    });
  }

  async #restore(): Promise<Session> {
    const session = await this.#switchTo((await this.#findOwn()) ?? (await this.parts.store.create()));
    // A damaged file is named soon, not only when someone asks for the list; what fails here shows when they do.
    void this.parts.store.list().catch(() => undefined);
    return session;
  }

  /** The session that this window had before; undefined for a new one. */
  async #findOwn(): Promise<StoredSession | undefined> {
    for (let waited = 0; ; waited += HANDOVER_STEP_MS) {
      const remembered = await this.parts.memory.remembered();
      for (const { key, draft, take } of remembered) {
        const stored = await this.#openOrSay(key);
        if (stored === "open_elsewhere") continue;
        const isOurs = await take();
        if (isOurs) {
          if (draft.at > this.draft.at) this.draft = draft;
          return typeof stored === "object" ? stored : undefined;
        }
        if (typeof stored === "object") await stored.appender.close();
      }
      // All of them are open: in other windows, or still in the one that is being replaced by this one.
      if (remembered.length === 0 || waited >= HANDOVER_MS) return undefined;
      await delay(HANDOVER_STEP_MS);
    }
  }

  async #openOrSay(key: string): ReturnType<SessionStore["open"]> {
    try {
      return await this.parts.store.open(key);
    } catch (error) {
      const reason = messageOf(error);
      void tellError(vscode.l10n.t("The last session could not be opened: {0}", reason));
      return "missing";
    }
  }

  async #switchTo(stored: StoredSession): Promise<Session> {
    const wasBusy = this.#open?.session.isBusy ?? false;
    await this.#leave();
    const session = this.parts.makeSession(stored.events, stored.appender);
    const stopListening = session.onEvent((event) => this.#happened.fire(event));
    this.#open = { session, stored, listening: new vscode.Disposable(stopListening) };
    // Not worth a failure: without it, the next window starts with a new session.
    await this.parts.memory.setCurrent(stored.key).catch(() => undefined);
    this.#changed.fire(session);
    if (wasBusy) {
      const text = vscode.l10n.t(
        "Loom was still working in the session that you left, so it was stopped there.",
      );
      void inform(text);
    }
    return session;
  }

  async #leave(): Promise<void> {
    const open = this.#open;
    if (open === undefined) return;
    this.#open = undefined;
    open.listening.dispose();
    try {
      await open.session.dispose();
    } finally {
      await Promise.all([open.stored.appender.close(), this.parts.endProcesses()]);
    }
  }

  /** One change of session at a time; a failed one does not block the next. */
  #enqueue<Result>(task: () => Promise<Result>): Promise<Result> {
    const result = this.#switching.then(task);
    this.#switching = result.catch(() => undefined);
    return result;
  }
}
