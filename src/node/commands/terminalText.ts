const ESCAPE = String.fromCharCode(0x1b);
const BELL = String.fromCharCode(0x07);
/** What begins CSI sequences, and what begins OSC and the other strings, which run until BELL or a terminator. */
const CSI = `(?:${ESCAPE}\\[|\\x9B)[0-?]*[ -/]*`;
const STRING = `(?:${ESCAPE}[\\]PX^_]|[\\x90\\x98\\x9D-\\x9F])[^${BELL}${ESCAPE}\\x90\\x98\\x9C-\\x9F]*`;
const SHORT = `${ESCAPE}[ -/]*`;

const SEQUENCES = new RegExp(
  `${CSI}[@-~]|${STRING}(?:${BELL}|${ESCAPE}\\\\|\\x9C)|${SHORT}[0-Z\\\\\`-~]`,
  "g",
);
/** The beginning of a sequence whose rest is still to come. */
const UNFINISHED = new RegExp(`(?:${CSI}|${STRING}${ESCAPE}?|${SHORT})$`);

/** Everything that a plain text does not hold: control characters but tab and line feed. */
const CONTROLS = /[^\P{Cc}\t\n]/u;
const ALL_CONTROLS = /[^\P{Cc}\t\n]/gu;

/** A sequence or a line longer than this is passed on as it is, so that memory stays bounded. */
const MOST_PENDING = 8_192;

/**
 * Turns what a program writes to a terminal into plain text: no colours, no cursor movement; a line that is written over
 * (a progress bar) comes once, as it was last. Whole lines are given as they come, the rest at the end.
 */
export class TerminalText {
  #pending = "";

  /** The lines that `piece` completes. */
  push(piece: string): string {
    const text = this.#pending + piece;
    const lineEnd = text.lastIndexOf("\n");
    this.#pending = text.slice(lineEnd + 1);
    const lines = plain(text.slice(0, lineEnd + 1));
    return this.#pending.length > MOST_PENDING ? lines + this.#flush() : lines;
  }

  /** What is left when no more comes. */
  end(): string {
    const rest = plain(this.#pending.replace(UNFINISHED, ""));
    this.#pending = "";
    return rest;
  }

  /** A line of endless length is passed on in pieces; what is written over is forgotten. */
  #flush(): string {
    const overwritten = this.#pending.lastIndexOf("\r", this.#pending.length - 2);
    if (overwritten >= 0) this.#pending = this.#pending.slice(overwritten + 1);
    if (this.#pending.length <= MOST_PENDING) return "";
    const unfinished = UNFINISHED.exec(this.#pending)?.[0] ?? "";
    const kept = unfinished.length < MOST_PENDING ? unfinished : "";
    const rest = plain(this.#pending.slice(0, this.#pending.length - kept.length));
    this.#pending = kept;
    return rest;
  }
}

function plain(text: string): string {
  if (!CONTROLS.test(text)) return text;
  return text.replace(SEQUENCES, "").split("\n").map(plainLine).join("\n");
}

function plainLine(line: string): string {
  const written = line.split("\r").filter((part) => part !== "");
  const last = written.at(-1) ?? "";
  return withoutOverstrikes(last).replace(ALL_CONTROLS, "");
}

/** A backspace takes back the character before it, as in the bold type of manual pages. */
function withoutOverstrikes(line: string): string {
  if (!line.includes("\b")) return line;
  const kept: string[] = [];
  for (const character of line) {
    if (character === "\b") kept.pop();
    else kept.push(character);
  }
  return kept.join("");
}
