import { appendFile } from "node:fs/promises";
import { formatStoredLine } from "../core/storedEvent";
import type { LogEvent } from "../shared/events";
import type { SessionClaim } from "./sessionClaim";

/** The file that an appender writes and the right to write it. */
interface Target {
  readonly path: string;
  /** Asked before the first write. */
  readonly claim: () => Promise<SessionClaim | undefined>;
}

/** Appends events to one file, in the order in which they were given. */
export class SessionAppender {
  private writing: Promise<void> = Promise.resolve();
  private claim: SessionClaim | undefined;

  private constructor(
    private readonly target: Target,
    /** Lines that are not in the file yet: at first those before the first message, later those of a failed write. */
    private unsaved: string,
    private isHoldingBack: boolean,
  ) {}

  /**
   * For a file that does not exist yet. What comes before the first message of the person is held back until that message, so
   * that a window in which nobody says anything leaves no file.
   */
  static forNewFile(path: string, claim: Target["claim"]): SessionAppender {
    return new SessionAppender({ path, claim }, "", true);
  }

  /** For a file that this window has claimed. */
  static forFile(path: string, claim: SessionClaim, endsWithNewline: boolean): SessionAppender {
    const appender = new SessionAppender(
      { path, claim: () => Promise.resolve(claim) },
      endsWithNewline ? "" : "\n",
      false,
    );
    appender.claim = claim;
    return appender;
  }

  /** Resolves when the event is in the file or held back; rejects with a sentence when it could not be written, and tries again with the next one. */
  append(event: LogEvent): Promise<void> {
    const line = `${formatStoredLine(event)}\n`;
    if (this.isHoldingBack && event.type !== "user_message") {
      this.unsaved += line;
      return Promise.resolve();
    }
    this.isHoldingBack = false;
    const written = this.writing.then(() => this.write(line));
    this.writing = written.catch(() => undefined);
    return written;
  }

  /** Waits for what is being written and lets go of the file. */
  async close(): Promise<void> {
    await this.writing;
    await this.claim?.release();
    this.claim = undefined;
  }

  private async write(line: string): Promise<void> {
    const text = this.unsaved + line;
    try {
      this.claim ??= await this.target.claim();
      await appendFile(this.target.path, text, { mode: 0o600 });
      this.unsaved = "";
    } catch (error) {
      // Part of it may be in the file, so the next write starts on a line of its own.
      this.unsaved = text.startsWith("\n") ? text : `\n${text}`;
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(reason, { cause: error });
    }
  }
}
