import { appendFile, mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { formatStoredLine } from "../../core/log/storedEvent";
import type { LogEvent } from "../../shared/events";
import type { SessionClaim } from "./sessionClaim";

/** Appends events to one file, in the order in which they were given, as long as this window holds the claim. */
export class SessionAppender {
  #writing: Promise<void> = Promise.resolve();

  private constructor(
    private readonly path: string,
    private readonly claim: SessionClaim | undefined,
    /** Lines that are not in the file yet: at first those before the first message, later those of a failed write. */
    private unsaved: string,
    private isHoldingBack: boolean,
  ) {}

  /**
   * For a file that does not exist yet. What comes before the first message of the person is held back until that message, so
   * that a window in which nobody says anything leaves no file.
   */
  static forNewFile(path: string, claim: SessionClaim | undefined): SessionAppender {
    return new SessionAppender(path, claim, "", true);
  }

  static forFile(path: string, claim: SessionClaim, endsWithNewline: boolean): SessionAppender {
    return new SessionAppender(path, claim, endsWithNewline ? "" : "\n", false);
  }

  /**
   * Resolves when the event is in the file or held back; rejects with the reason when it could not be written, and tries again
   * with the next one.
   */
  append(event: LogEvent): Promise<void> {
    const line = `${formatStoredLine(event)}\n`;
    if (this.isHoldingBack && event.type !== "user_message") {
      this.unsaved += line;
      return Promise.resolve();
    }
    this.isHoldingBack = false;
    const written = this.#writing.then(() => this.#write(line));
    this.#writing = written.catch(() => undefined);
    return written;
  }

  /** Waits for what is being written and lets go of the file. */
  async close(): Promise<void> {
    await this.#writing;
    await this.claim?.release();
  }

  async #write(line: string): Promise<void> {
    const text = this.unsaved + line;
    if ((await this.claim?.isOurs()) === false) throw new Error("Another window has opened it.");
    try {
      // At first, and after a failure, the folder may not be there.
      if (this.unsaved !== "") await mkdir(dirname(this.path), { recursive: true });
      await appendFile(this.path, text, { mode: 0o600 });
      this.unsaved = "";
    } catch (error) {
      // Part of it may be in the file, so the next write starts on a line of its own.
      this.unsaved = text.startsWith("\n") ? text : `\n${text}`;
      throw error;
    }
  }
}
