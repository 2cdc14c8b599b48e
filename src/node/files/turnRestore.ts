import { applyPatch, structuredPatch } from "diff";
import type { RestoredFile } from "../../shared/events";
import type { KeptFile } from "./checkpointStore";
import { textOf, type KeptContent } from "./keptFiles";

/** What it takes to bring a file back to how it was before a turn. */
export interface RestoreStep {
  readonly file: KeptFile;
  readonly action: Exclude<RestoredFile["how"], "merged">;
  /** The file as it is now; undefined when there is none. */
  readonly now: KeptContent | undefined;
  readonly nowText: string;
  /** As it was before the turn; empty for a file that did not exist. */
  readonly thenText: string;
  /** True when the file holds by now what nobody but the person (or another program) can have written. */
  readonly isChangedSince: boolean;
  /** The file as it is now without what Loom changed, where both can be told apart and there is something to tell. */
  readonly merged?: string;
}

/** What is known of one file. */
export interface FileToRestore {
  readonly file: KeptFile;
  /** What is kept of it, by the turn that is taken back and by all since, oldest first. */
  readonly history: readonly KeptFile[];
  readonly now: KeptContent | undefined;
}

/** What is to be done with a file; undefined when it is as it was. */
export function restoreStep({ file, history, now }: FileToRestore): RestoreStep | undefined {
  const { before } = file;
  if (before === undefined && now === undefined) return undefined;
  if (before && now && isSame(before, now)) return undefined;
  const nowText = now === undefined ? "" : textOf(now);
  const thenText = before === undefined ? "" : textOf(before);
  const action = before === undefined ? "deleted" : now === undefined ? "recreated" : "restored";
  const isMixed = history.some(({ isMixed }) => isMixed) || history.some(hasOtherBegun);
  // What a later turn found before it changed the file may hold what the person typed, so only what Loom wrote counts.
  const isWritten = history.some(({ written }) => written?.toString("utf8") === nowText);
  const isChangedSince = now !== undefined && (isMixed || !isWritten);
  const merged = isChangedSince && before !== undefined ? mergeOut(history, nowText) : undefined;
  const step = { file, action, now, nowText, thenText, isChangedSince } as const;
  return merged === undefined ? step : { ...step, merged };
}

/** Whether somebody else changed the file between the turn before and this one. */
function hasOtherBegun({ before }: KeptFile, index: number, history: readonly KeptFile[]): boolean {
  const last = history[index - 1];
  if (last === undefined || before === undefined) return false;
  return textOf(before) !== (last.written?.toString("utf8") ?? (last.before && textOf(last.before)));
}

function isSame(one: KeptContent, other: KeptContent): boolean {
  if (one.unsaved !== undefined || other.unsaved !== undefined) return textOf(one) === textOf(other);
  return one.bytes.equals(other.bytes);
}

/** Takes all that Loom changed out of a text, the newest first; undefined where that is not there any more as a whole. */
function mergeOut(history: readonly KeptFile[], now: string): string | undefined {
  let text = now;
  for (const { before, written, isMixed } of [...history].reverse()) {
    if (!before || !written || isMixed) return undefined;
    const back = structuredPatch("", "", written.toString("utf8"), textOf(before), "", "", { context: 2 });
    const merged = applyPatch(text, back, { fuzzFactor: 0 });
    if (merged === false) return undefined;
    text = merged;
  }
  return text === now ? undefined : text;
}
