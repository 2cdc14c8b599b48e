import type { TextReplacement } from "../../core/ports";

/** A text with LF as its only line end. */
export function toLineFeeds(raw: string): string {
  return raw.includes("\r") ? raw.replace(/\r\n?/g, "\n") : raw;
}

/** The line end that a text uses most; LF when it has none. */
export function usualLineEnd(raw: string): "\n" | "\r\n" | "\r" {
  const counts = { "\r\n": 0, "\n": 0, "\r": 0 };
  for (const [end] of raw.matchAll(/\r\n|\n|\r/g)) counts[end as keyof typeof counts] += 1;
  if (counts["\r\n"] > counts["\n"] && counts["\r\n"] >= counts["\r"]) return "\r\n";
  return counts["\r"] > counts["\n"] ? "\r" : "\n";
}

/** How `after` came from `before` in one piece, where nothing better is known. */
export function wholeReplacement(before: string, after: string): TextReplacement {
  return { start: 0, end: before.length, text: after };
}

/**
 * Makes replacements that were meant for the text with LF line ends in the text with its own ones. Everything that a
 * replacement leaves as it was keeps its bytes; added lines get the usual line end of the text. Undefined where that cannot
 * be: a CR alone and an LF alone that come to stand side by side would be one line end.
 */
export function replaceInRaw(raw: string, replacements: readonly TextReplacement[]): string | undefined {
  const plain = toLineFeeds(raw);
  const toRaw = offsetsIn(raw);
  const lineEnd = usualLineEnd(raw);
  let [result, wanted] = ["", ""];
  let at = 0;
  for (const replacement of replacements) {
    const { start, end, text } = narrowed(plain, replacement);
    result += raw.slice(toRaw(at), toRaw(start)) + text.replaceAll("\n", lineEnd);
    wanted += plain.slice(at, start) + text;
    at = end;
  }
  result += raw.slice(toRaw(at));
  return toLineFeeds(result) === wanted + plain.slice(at) ? result : undefined;
}

/** The same replacement without what it has in common with the text at both ends. */
function narrowed(text: string, { start, end, text: inserted }: TextReplacement): TextReplacement {
  const shorter = Math.min(end - start, inserted.length);
  let head = 0;
  while (head < shorter && text[start + head] === inserted[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && text[end - 1 - tail] === inserted[inserted.length - 1 - tail]) tail += 1;
  return { start: start + head, end: end - tail, text: inserted.slice(head, inserted.length - tail) };
}

/** Turns offsets in the text with LF line ends into offsets in the raw one. */
function offsetsIn(raw: string): (offset: number) => number {
  const pairs: number[] = [];
  for (let at = raw.indexOf("\r\n"); at >= 0; at = raw.indexOf("\r\n", at + 2)) pairs.push(at - pairs.length);
  return (offset) => {
    let [low, high] = [0, pairs.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((pairs[middle] ?? 0) < offset) low = middle + 1;
      else high = middle;
    }
    return offset + low;
  };
}
