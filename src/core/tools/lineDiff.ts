import { formatPatch, structuredPatch } from "diff";
import type { StructuredPatch } from "diff";

/** A change of a text, shown as a unified diff with its numbers of added and removed lines. */
export interface LineDiff {
  readonly diff: string;
  readonly added: number;
  readonly removed: number;
}

/** More changed lines than this are shown as one block, since looking for the smallest difference would take too long. */
const MOST_COMPARED = 1_000;

/** The whole change from `before` (`null`: the file is new) to `after`; both have LF line ends. */
export function diffLines(path: string, before: string | null, after: string): LineDiff {
  const from = before === null ? "/dev/null" : path;
  const patch =
    structuredPatch(from, path, before ?? "", after, undefined, undefined, {
      context: 3,
      maxEditLength: MOST_COMPARED,
    }) ?? oneBlock(from, path, before ?? "", after);
  const lines = patch.hunks.flatMap((hunk) => hunk.lines);
  return {
    diff: formatPatch(patch, { includeIndex: false, includeUnderline: false, includeFileHeaders: true }),
    added: lines.filter((line) => line.startsWith("+")).length,
    removed: lines.filter((line) => line.startsWith("-")).length,
  };
}

function oneBlock(from: string, to: string, before: string, after: string): StructuredPatch {
  const [old, now] = [toLines(before), toLines(after)];
  const { head, tail } = commonEnds(old, now);
  const lines = [
    ...old.slice(head, old.length - tail).flatMap((line) => toPatchLines("-", line)),
    ...now.slice(head, now.length - tail).flatMap((line) => toPatchLines("+", line)),
  ];
  const hunk = {
    oldStart: head + 1,
    oldLines: old.length - tail - head,
    newStart: head + 1,
    newLines: now.length - tail - head,
    lines,
  };
  return { oldFileName: from, newFileName: to, oldHeader: undefined, newHeader: undefined, hunks: [hunk] };
}

/** How many lines two texts have in common at the beginning and at the end. */
export function commonEnds(
  old: readonly string[],
  now: readonly string[],
): { readonly head: number; readonly tail: number } {
  const shorter = Math.min(old.length, now.length);
  let head = 0;
  while (head < shorter && old[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1;
  return { head, tail };
}

/** Lines with their line ends, so that a missing one at the end of the text counts as a difference. */
function toLines(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function toPatchLines(sign: "+" | "-", line: string): readonly string[] {
  return line.endsWith("\n") ? [sign + line.slice(0, -1)] : [sign + line, "\\ No newline at end of file"];
}
