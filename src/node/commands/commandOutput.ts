import type { Readable } from "node:stream";
import { HeadAndTail, keepTail } from "../../core/window/truncate";
import { OutputDecoder } from "./outputDecoder";
import { TerminalText } from "./terminalText";

/** How often the live view of the output is brought up to date, in milliseconds. */
const LIVE_INTERVAL_MS = 100;
/** The most characters of one update of the live view; of more, the newest are shown. */
const LIVE_CHARACTERS = 4_000;

/**
 * What a command writes, as plain text and bounded in memory: the head and the tail for the result, and for the live view a
 * few updates a second however much comes.
 */
export class CommandOutput {
  readonly #kept: HeadAndTail;
  readonly #endings: (() => void)[] = [];
  #unshown = "";
  #timer: NodeJS.Timeout | undefined;
  #isFinished = false;
  /** Counts the pieces that came, to tell when no more do. */
  pieces = 0;

  constructor(
    maxCharacters: number,
    private readonly onOutput: (text: string) => void,
    private readonly encoding?: string,
  ) {
    this.#kept = new HeadAndTail(maxCharacters);
  }

  /** Reads a stream to its end, or until `finish`. */
  read(stream: Readable): void {
    const decoder = new OutputDecoder(this.encoding);
    const text = new TerminalText();
    stream.on("data", (bytes: Buffer) => {
      // After the end a process in the background may write on: read, so that it is not blocked, and dropped.
      if (this.#isFinished) return;
      this.pieces += 1;
      this.#add(text.push(decoder.push(bytes)));
    });
    stream.on("error", () => undefined);
    this.#endings.push(() => this.#add(text.push(decoder.end()) + text.end()));
  }

  /** The whole output, cut in the middle when it is too long. */
  finish(): string {
    for (const end of this.#endings) end();
    this.#isFinished = true;
    this.#show();
    return this.#kept.toString();
  }

  #add(text: string): void {
    if (text === "") return;
    this.#kept.append(text);
    this.#unshown = keepTail(this.#unshown + text, LIVE_CHARACTERS);
    this.#timer ??= setTimeout(() => this.#show(), LIVE_INTERVAL_MS);
  }

  #show(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const text = this.#unshown;
    this.#unshown = "";
    if (text !== "") this.onOutput(text);
  }
}
