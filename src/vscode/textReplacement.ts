/** A place in a text: line and character from 0, as editors count. */
export interface Place {
  readonly line: number;
  readonly character: number;
}

/** One replacement that turns a text into another. */
export interface TextReplacement {
  readonly start: Place;
  readonly end: Place;
  readonly text: string;
}

/**
 * The smallest single replacement that turns `before` into `after`, both with LF as line end; undefined when they are equal.
 * Being small, it leaves cursors, folds and breakpoints elsewhere in the document where they are.
 */
export function replacementBetween(before: string, after: string): TextReplacement | undefined {
  if (before === after) return undefined;
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start++;
  start -= isInsidePair(before, start) || isInsidePair(after, start) ? 1 : 0;
  let end = 0;
  while (end < shorter - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end++;
  end -= isInsidePair(before, before.length - end) || isInsidePair(after, after.length - end) ? 1 : 0;
  return {
    start: placeOf(before, start),
    end: placeOf(before, before.length - end),
    text: after.slice(start, after.length - end),
  };
}

/** The text with LF as its only line end and without a byte-order mark. */
export function withPlainLines(text: string): string {
  return text.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
}

/** True between the two halves of a character outside the basic plane, where an editor cannot cut. */
function isInsidePair(text: string, offset: number): boolean {
  const [high, low] = [text.charCodeAt(offset - 1), text.charCodeAt(offset)];
  return high >= 0xd800 && high <= 0xdbff && low >= 0xdc00 && low <= 0xdfff;
}

function placeOf(text: string, offset: number): Place {
  // A negative second argument would count as 0.
  const lineStart = offset === 0 ? 0 : text.lastIndexOf("\n", offset - 1) + 1;
  let line = 0;
  for (let at = text.indexOf("\n"); at !== -1 && at < lineStart; at = text.indexOf("\n", at + 1)) line++;
  return { line, character: offset - lineStart };
}
