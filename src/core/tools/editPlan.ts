import type { TextReplacement } from "../ports";
import { matchTolerantly } from "./tolerantMatch";

/** What is to be replaced in a text, as the model wrote it. */
export interface WantedEdit {
  readonly oldText: string;
  readonly newText: string;
  readonly replaceAll: boolean;
}

/** What an edit comes to; lines count from 1. */
export type EditPlan =
  | {
      readonly type: "replace";
      readonly replacements: readonly TextReplacement[];
      /** True when the text was found only by leaving blanks and quotes out of account. */
      readonly isTolerant: boolean;
    }
  | { readonly type: "not_found" }
  | {
      readonly type: "several";
      readonly lines: readonly number[];
      /** As in `replace`; none of these is replaced, not even all of them. */
      readonly isTolerant: boolean;
    };

/** In a longer text only the exact text is looked for: taking it apart would hold everything else up for seconds. */
const MOST_TOLERANT = 2_000_000;

/** Line ends as the tools see them, whatever the model wrote. */
export function toLineFeeds(text: string): string {
  return text.replace(/\r\n?/g, "\n");
}

/**
 * Finds what an edit replaces: the exact text, else one text that differs only in blanks, line ends or typographic quotes.
 * `oldText` must not be empty. Nothing in `newText` has a special meaning.
 */
export function planEdit(text: string, edit: WantedEdit): EditPlan {
  const oldText = toLineFeeds(edit.oldText);
  const newText = toLineFeeds(edit.newText);
  const exact = positionsOf(text, oldText, edit.replaceAll);
  if (exact.length > 1 && !edit.replaceAll) {
    return { type: "several", lines: linesOf(text, exact), isTolerant: false };
  }
  if (exact.length > 0) {
    const length = oldText.length;
    const replacements = exact.map((start) => ({ start, end: start + length, text: newText }));
    return { type: "replace", replacements, isTolerant: false };
  }
  if (text.length > MOST_TOLERANT) return { type: "not_found" };
  const { starts, replacement } = matchTolerantly(text, oldText, newText);
  if (replacement) return { type: "replace", replacements: [replacement], isTolerant: true };
  if (starts.length < 2) return { type: "not_found" };
  return { type: "several", lines: linesOf(text, starts), isTolerant: true };
}

/** The text after the replacements. */
export function applyReplacements(text: string, replacements: readonly TextReplacement[]): string {
  let result = "";
  let at = 0;
  for (const replacement of replacements) {
    result += text.slice(at, replacement.start) + replacement.text;
    at = replacement.end;
  }
  return result + text.slice(at);
}

/** Hits that overlap count as several, so that an ambiguous text is never taken for a unique one. */
function positionsOf(text: string, wanted: string, isForReplacing: boolean): readonly number[] {
  const positions: number[] = [];
  const step = isForReplacing ? wanted.length : 1;
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + step)) positions.push(at);
  return positions;
}

function linesOf(text: string, positions: readonly number[]): readonly number[] {
  let line = 1;
  let at = 0;
  return positions.map((position) => {
    line += text.slice(at, position).split("\n").length - 1;
    at = position;
    return line;
  });
}
