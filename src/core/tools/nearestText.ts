import { likeness, likenessOf, type Likeness } from "./similarity";

/** The lines of a text that are most like a text that was not found in it; lines count from 1. */
export interface NearestText {
  readonly line: number;
  readonly lines: readonly string[];
  /** The first line that is not the same. */
  readonly difference?: { readonly line: number; readonly inFile: string; readonly wanted: string };
}

/** Alike enough to be shown. */
const ALIKE = 0.5;
/** Enough lines to recognise the place by, and to bound the work on large files. */
const MOST_ANCHORS = 6;
const MOST_LINES = 20_000;
const MOST_CHARACTERS = 1_000_000;

/** Finds the lines most like `wanted`; undefined when nothing is. */
export function nearestText(text: string, wanted: string): NearestText | undefined {
  const lines = text.slice(0, MOST_CHARACTERS).split("\n").slice(0, MOST_LINES);
  const wantedLines = wanted.replace(/^(?:[^\S\n]*\n)+|\s+$/g, "").split("\n");
  const start = bestStart(lines, wantedLines);
  if (start === undefined) return undefined;
  const from = Math.max(0, start);
  const found = lines.slice(from, Math.max(from + 1, start + wantedLines.length));
  const first = wantedLines.findIndex((line, index) => lines[start + index] !== line);
  const inFile = lines[start + first];
  const wantedLine = wantedLines[first];
  if (inFile === undefined || wantedLine === undefined) return { line: from + 1, lines: found };
  return {
    line: from + 1,
    lines: found,
    difference: { line: start + first + 1, inFile, wanted: wantedLine },
  };
}

/** A line of the wanted text by which its place is recognised. */
interface Anchor {
  readonly length: number;
  readonly offset: number;
  readonly like: Likeness;
}

function bestStart(lines: readonly string[], wantedLines: readonly string[]): number | undefined {
  const anchors: readonly Anchor[] = wantedLines
    .map((line, offset) => ({ line, offset }))
    .filter(({ line }) => line.trim() !== "")
    .sort((a, b) => b.line.length - a.line.length)
    .slice(0, MOST_ANCHORS)
    .map(({ line, offset }) => ({ length: line.length, offset, like: likenessOf(line) }));
  const known = new Map<number, Likeness>();
  const likeAt = (index: number): Likeness => {
    const like = known.get(index) ?? likenessOf(lines[index] ?? "");
    known.set(index, like);
    return like;
  };
  const scored = new Set<number>();
  let best = { score: ALIKE, start: undefined as number | undefined };
  for (const [index, line] of lines.entries()) {
    for (const { length, offset, like } of anchors) {
      const start = index - offset;
      if (scored.has(start) || !hasSimilarLength(line.length, length)) continue;
      if (likeness(likeAt(index), like) < ALIKE) continue;
      scored.add(start);
      const scores = anchors.map((anchor) => likeness(likeAt(start + anchor.offset), anchor.like));
      const score = scores.reduce((sum, each) => sum + each, 0) / anchors.length;
      if (score > best.score) best = { score, start };
    }
    // What lies further behind than the text is long is not looked at again.
    known.delete(index - wantedLines.length);
  }
  return best.start;
}

function hasSimilarLength(a: number, b: number): boolean {
  return a < 3 * b + 10 && b < 3 * a + 10;
}
