import { similarity } from "./similarity";

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

/** Finds the lines most like `wanted`; undefined when nothing is. */
export function nearestText(text: string, wanted: string): NearestText | undefined {
  const lines = text.split("\n").slice(0, MOST_LINES);
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

function bestStart(lines: readonly string[], wantedLines: readonly string[]): number | undefined {
  const anchors = wantedLines
    .map((line, offset) => ({ line, offset }))
    .filter(({ line }) => line.trim() !== "")
    .sort((a, b) => b.line.length - a.line.length)
    .slice(0, MOST_ANCHORS);
  let best = { score: ALIKE, start: undefined as number | undefined };
  for (const [index, line] of lines.entries()) {
    for (const anchor of anchors) {
      if (!hasSimilarLength(line, anchor.line) || similarity(line, anchor.line) < ALIKE) continue;
      const start = index - anchor.offset;
      const score = scoreAt(lines, start, anchors);
      if (score > best.score) best = { score, start };
    }
  }
  return best.start;
}

function hasSimilarLength(a: string, b: string): boolean {
  return a.length < 3 * b.length + 10 && b.length < 3 * a.length + 10;
}

function scoreAt(
  lines: readonly string[],
  start: number,
  anchors: readonly { readonly line: string; readonly offset: number }[],
): number {
  const scores = anchors.map(({ line, offset }) => similarity(lines[start + offset] ?? "", line));
  return scores.reduce((sum, score) => sum + score, 0) / anchors.length;
}
