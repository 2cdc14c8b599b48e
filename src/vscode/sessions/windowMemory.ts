import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { NO_DRAFT, parseDraft, type Draft } from "../../shared/protocol";
import { isErrorCode } from "./sessionClaim";

const NOTE = ".closed";
const CURRENT = "current";

/** Notes of windows that never came back; older ones are thrown away. */
const MOST_NOTES = 10;

interface Note {
  readonly key: string;
  /** What stood in the composer. */
  readonly draft: Draft;
}

/** A session that some window had open. */
export interface Remembered extends Note {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** To be called before going on with it: false when another window has taken it. */
  readonly take: () => Promise<boolean>;
}

/**
 * Which sessions the windows on this workspace had open. A window that closes leaves a note, which one window takes when it
 * starts: so of two windows on one folder each one that is reloaded comes back with its own session. The file `current`, which
 * all of them write when they change sessions, is for a window that ended without closing.
 */
export class WindowMemory {
  constructor(private readonly folder: string) {}

  /** The newest first. */
  async remembered(): Promise<readonly Remembered[]> {
    const names = (await this.#names()).filter((name) => name === CURRENT || name.endsWith(NOTE));
    const found = await Promise.all(names.map((name) => this.#read(name)));
    return found.filter((one) => one !== undefined).sort((one, other) => other.at - one.at);
  }

  async noteClosed(key: string, draft: Draft): Promise<void> {
    await this.#write(`${randomUUID()}${NOTE}`, { key, draft });
    const notes = (await this.#names()).filter((name) => name.endsWith(NOTE));
    if (notes.length <= MOST_NOTES) return;
    for (const { take } of (await this.remembered()).slice(MOST_NOTES)) await take();
  }

  async setCurrent(key: string): Promise<void> {
    await this.#write(CURRENT, { key, draft: NO_DRAFT });
  }

  async #read(name: string): Promise<Remembered | undefined> {
    const path = join(this.folder, name);
    try {
      const [text, { mtimeMs }] = await Promise.all([readFile(path, "utf8"), stat(path)]);
      const note = parseNote(text);
      if (note === undefined) return undefined;
      return {
        ...note,
        at: mtimeMs,
        take: () => (name === CURRENT ? Promise.resolve(true) : this.#remove(path)),
      };
    } catch (error) {
      if (isErrorCode(error, "ENOENT")) return undefined;
      throw error;
    }
  }

  /** Of several windows only one can remove a file. */
  async #remove(path: string): Promise<boolean> {
    try {
      await rm(path);
      return true;
    } catch (error) {
      if (isErrorCode(error, "ENOENT")) return false;
      throw error;
    }
  }

  async #write(name: string, note: Note): Promise<void> {
    await mkdir(this.folder, { recursive: true });
    const whole = join(this.folder, `${randomUUID()}.new`);
    await writeFile(whole, JSON.stringify(note), { mode: 0o600 });
    await rename(whole, join(this.folder, name));
  }

  async #names(): Promise<readonly string[]> {
    try {
      return await readdir(this.folder);
    } catch {
      // What cannot be read is not remembered: the window then starts with a new session.
      return [];
    }
  }
}

function parseNote(text: string): Note | undefined {
  try {
    const { key, draft } = JSON.parse(text) as Partial<Record<keyof Note, unknown>>;
    return typeof key === "string" ? { key, draft: parseDraft(draft) ?? NO_DRAFT } : undefined;
  } catch {
    // Cut by the end of a window: as good as none.
    return undefined;
  }
}
