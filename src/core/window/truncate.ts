/** A number with thousands separators, as all notices write it. */
export function formatCount(count: number): string {
  return count.toLocaleString("en-US");
}

/** `1 line`, `1,200 lines`. */
export function quantity(count: number, noun: string, plural = `${noun}s`): string {
  return `${formatCount(count)} ${count === 1 ? noun : plural}`;
}

/** How many lines a text has; a line end at the end of the text begins no further line. */
export function countLines(text: string): number {
  return text === "" ? 0 : countLineEnds(text) + (text.endsWith("\n") ? 0 : 1);
}

/** The largest index up to `index` (UTF-16 code units) that does not split a surrogate pair of `text`. */
export function safeIndex(text: string, index: number): number {
  if (index <= 0) return 0;
  if (index >= text.length) return text.length;
  const isSplit = /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(index - 1, index + 1));
  return isSplit ? index - 1 : index;
}

/** The first whole lines of `text` that fit, or the beginning of its first line when not even that fits. */
export function keepHead(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  if (maxCharacters <= 0) return "";
  const lineEnd = text.lastIndexOf("\n", maxCharacters - 1);
  return text.slice(0, lineEnd >= 0 ? lineEnd + 1 : safeIndex(text, maxCharacters));
}

/** The last whole lines of `text` that fit, or the end of its last line when not even that fits. */
export function keepTail(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  if (maxCharacters <= 0) return "";
  const earliest = text.length - maxCharacters;
  const lineEnd = text.indexOf("\n", earliest - 1);
  if (lineEnd >= 0 && lineEnd < text.length - 1) return text.slice(lineEnd + 1);
  const start = safeIndex(text, earliest);
  return text.slice(start < earliest ? start + 2 : start);
}

/** The beginning and the end of a text of any length, with a line between them that says how much was left out. */
export function keepHeadAndTail(text: string, maxCharacters: number): string {
  const kept = new HeadAndTail(maxCharacters);
  kept.append(text);
  return kept.toString();
}

/** Collects a text that comes in pieces and keeps its head and its tail: memory stays bounded however much comes. */
export class HeadAndTail {
  #head = "";
  #tail = "";
  #characters = 0;
  #lineEnds = 0;
  readonly #headRoom: number;
  readonly #tailRoom: number;

  constructor(private readonly maxCharacters: number) {
    this.#headRoom = Math.floor(maxCharacters / 2);
    this.#tailRoom = maxCharacters - this.#headRoom;
  }

  append(piece: string): void {
    this.#characters += piece.length;
    this.#lineEnds += countLineEnds(piece);
    const toHead = piece.slice(0, this.#headRoom - this.#head.length);
    this.#head += toHead;
    this.#tail += piece.slice(toHead.length);
    // Trimmed rarely, so that many small pieces do not copy the tail each time.
    if (this.#tail.length > 4 * this.#tailRoom + 1) this.#tail = this.#tail.slice(-2 * this.#tailRoom - 1);
  }

  /** Everything, or head, notice and tail; never longer than `maxCharacters`. */
  toString(): string {
    if (this.#characters <= this.maxCharacters) return this.#head + this.#tail;
    const reserve = leftOutNotice(this.#lineEnds, this.#characters).length + 2;
    const room = this.maxCharacters - reserve;
    if (room <= 0) return keepHead(leftOutNotice(this.#lineEnds, this.#characters), this.maxCharacters);
    const head = keepHead(this.#head, Math.min(this.#headRoom, Math.ceil(room / 2)));
    const tail = keepTail(this.#tail, Math.min(this.#tailRoom, Math.floor(room / 2)));
    const lineEnds = this.#lineEnds - countLineEnds(head) - countLineEnds(tail);
    const notice = leftOutNotice(lineEnds, this.#characters - head.length - tail.length);
    return `${head}${head === "" || head.endsWith("\n") ? "" : "\n"}${notice}\n${tail}`;
  }
}

function leftOutNotice(lines: number, characters: number): string {
  const amount = lines > 0 ? `${quantity(lines, "line")}, ` : "";
  return `[… ${amount}${quantity(characters, "character")} left out …]`;
}

function countLineEnds(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}

/** The first of several lines, as many as fit together with the notice that tells how many are shown. */
export interface ShownLines {
  readonly text: string;
  readonly shown: number;
}

/**
 * Joins the first lines that fit. When some are left out, `notice` (told how many are shown) makes the last line and
 * counts towards `maxCharacters`.
 */
export function keepLines(
  lines: readonly string[],
  maxCharacters: number,
  notice: (shown: number) => string,
): ShownLines {
  const whole = lines.join("\n");
  if (whole.length <= maxCharacters) return { text: whole, shown: lines.length };
  let used = 0;
  let shown = 0;
  for (const line of lines) {
    if (used + line.length + 1 > maxCharacters) break;
    used += line.length + 1;
    shown += 1;
  }
  while (shown > 0 && used + notice(shown).length > maxCharacters) {
    shown -= 1;
    used -= (lines[shown]?.length ?? 0) + 1;
  }
  const text = [...lines.slice(0, shown), notice(shown)].join("\n");
  return { text: keepHead(text, maxCharacters), shown };
}

/** One line, cut to `maxCharacters` around the part that matters, with `…` where something is missing. */
export function excerptAround(line: string, at: number, length: number, maxCharacters: number): string {
  if (line.length <= maxCharacters) return line;
  const room = Math.max(1, maxCharacters - 2);
  const before = Math.max(0, Math.floor((room - length) / 2));
  const start = safeIndex(line, Math.max(0, Math.min(at - before, line.length - room)));
  const end = safeIndex(line, start + room);
  return `${start > 0 ? "…" : ""}${line.slice(start, end)}${end < line.length ? "…" : ""}`;
}
