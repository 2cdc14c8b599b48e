import { randomUUID } from "node:crypto";
import { mkdir, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { LogEvent } from "../../shared/events";
import { SessionAppender } from "./sessionAppender";
import { isErrorCode, SessionClaim } from "./sessionClaim";
import { hasMessages, readSessionFile, setDamagedAside, type SessionFile } from "./sessionFile";

const ENDING = ".jsonl";

/** How many characters of the first message name a session. */
const TITLE_CHARACTERS = 80;

/** One line of the list of sessions. */
export interface SessionSummary {
  readonly key: string;
  /** The beginning of the first message. */
  readonly title: string;
  /** Messages of the person. */
  readonly messages: number;
  /** Milliseconds since 1970. */
  readonly lastUsedAt: number;
  /** True when a window, maybe this one, has it open. */
  readonly isOpen: boolean;
}

/** A file with lines that could not be read. */
export interface Damage {
  readonly title: string;
  readonly lines: number;
  /** Where the file is kept as it was. */
  readonly keptAs: string;
}

/** A session that this window alone may write. */
export interface StoredSession {
  readonly key: string;
  readonly events: readonly LogEvent[];
  readonly appender: SessionAppender;
}

/** The sessions of one workspace: one append-only file each, written by one window at a time. */
export class SessionStore {
  constructor(
    private readonly folder: string,
    private readonly onDamage: (damage: Damage) => void,
  ) {}

  /** A session without a file, which the first message of the person makes. Where nothing can be written, that message says so. */
  async create(): Promise<StoredSession> {
    const key = randomUUID();
    const claim = await mkdir(this.folder, { recursive: true })
      .then(() => this.#claim(key))
      .catch(() => undefined);
    return { key, events: [], appender: SessionAppender.forNewFile(this.#pathOf(key), claim) };
  }

  /** Opens a session for writing: `open_elsewhere` when another window has it, `missing` when there is nothing to open. */
  async open(key: string): Promise<StoredSession | "open_elsewhere" | "missing"> {
    const path = this.#pathOf(key);
    if (await SessionClaim.isHeld(lockOf(path))) return "open_elsewhere";
    if (!(await exists(path))) return "missing";
    const claim = await this.#claim(key);
    if (claim === undefined) return "open_elsewhere";
    try {
      const file = await this.#readMended(key);
      if (!hasMessages(file.events)) {
        await claim.release();
        return "missing";
      }
      const appender = SessionAppender.forFile(path, claim, file.endsWithNewline || file.damagedLines > 0);
      return { key, events: withStart(file.events, key), appender };
    } catch (error) {
      await claim.release();
      throw error;
    }
  }

  /** All sessions, the one used last first. Files that nobody has open are checked, and damaged ones kept aside. */
  async list(): Promise<readonly SessionSummary[]> {
    const summaries: SessionSummary[] = [];
    for (const key of await this.#keys()) {
      const summary = await this.#summarise(key);
      if (summary !== undefined) summaries.push(summary);
    }
    return summaries.sort((one, other) => other.lastUsedAt - one.lastUsedAt);
  }

  async #summarise(key: string): Promise<SessionSummary | undefined> {
    const path = this.#pathOf(key);
    try {
      const isOpen = await SessionClaim.isHeld(lockOf(path));
      const { mtimeMs } = await stat(path);
      // The last line of an open session may be half written, so only closed ones are mended.
      const { events } = isOpen ? await readSessionFile(path) : await this.#mendIfFree(key);
      if (!hasMessages(events)) return undefined;
      const messages = events.filter(({ type }) => type === "user_message").length;
      return { key, title: titleOf(events), messages, lastUsedAt: events.at(-1)?.at ?? mtimeMs, isOpen };
    } catch (error) {
      // Another window may have taken it away meanwhile.
      if (isErrorCode(error, "ENOENT")) return undefined;
      throw error;
    }
  }

  async #mendIfFree(key: string): Promise<SessionFile> {
    const file = await readSessionFile(this.#pathOf(key));
    if (file.damagedLines === 0) return file;
    const claim = await this.#claim(key);
    if (claim === undefined) return file;
    return this.#readMended(key).finally(() => claim.release());
  }

  async #readMended(key: string): Promise<SessionFile> {
    const path = this.#pathOf(key);
    const file = await readSessionFile(path);
    if (file.damagedLines === 0) return file;
    const keptAs = await setDamagedAside(path, file);
    this.onDamage({ title: titleOf(file.events), lines: file.damagedLines, keptAs });
    return file;
  }

  #claim(key: string): Promise<SessionClaim | undefined> {
    return SessionClaim.take(lockOf(this.#pathOf(key)));
  }

  async #keys(): Promise<readonly string[]> {
    try {
      const names = await readdir(this.folder);
      return names.filter((name) => name.endsWith(ENDING)).map((name) => name.slice(0, -ENDING.length));
    } catch (error) {
      if (isErrorCode(error, "ENOENT")) return [];
      throw error;
    }
  }

  #pathOf(key: string): string {
    return join(this.folder, key + ENDING);
  }
}

function lockOf(path: string): string {
  return `${path}.lock`;
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (isErrorCode(error, "ENOENT")) return false;
    throw error;
  }
}

/** The beginning of the first message, on one line. */
function titleOf(events: readonly LogEvent[]): string {
  const first = events.find((event) => event.type === "user_message")?.text ?? "";
  const line = first.trim().replace(/\s+/g, " ");
  return line.length > TITLE_CHARACTERS ? `${line.slice(0, TITLE_CHARACTERS - 1)}…` : line;
}

/** A session whose first line was lost gets another start, so that it has an identity. */
function withStart(events: readonly LogEvent[], key: string): readonly LogEvent[] {
  if (events.some(({ type }) => type === "session_started")) return events;
  const at = events[0]?.at ?? 0;
  return [{ type: "session_started", sessionId: key, v: 1, id: `${key}-start`, at }, ...events];
}
