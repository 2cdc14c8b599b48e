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
  readonly now: KeptContent | undefined;
  /** All that Loom is known to have left in the file since, oldest first; LF line ends. */
  readonly written: readonly string[];
}

/** What is to be done with a file; undefined when it is as it was. */
export function restoreStep({ file, now, written }: FileToRestore): RestoreStep | undefined {
  const { before } = file;
  if (before === undefined && now === undefined) return undefined;
  if (before && now && isSame(before, now)) return undefined;
  const nowText = now === undefined ? "" : textOf(now);
  const thenText = before === undefined ? "" : textOf(before);
  const action = before === undefined ? "deleted" : now === undefined ? "recreated" : "restored";
  const isChangedSince = now !== undefined && !written.includes(nowText);
  const merged =
    isChangedSince && before !== undefined ? mergeOut(written.at(-1), thenText, nowText) : undefined;
  const step = { file, action, now, nowText, thenText, isChangedSince } as const;
  return merged === undefined ? step : { ...step, merged };
}

function isSame(one: KeptContent, other: KeptContent): boolean {
  if (one.unsaved !== undefined || other.unsaved !== undefined) return textOf(one) === textOf(other);
  return one.bytes.equals(other.bytes);
}

/** Takes the change from `then` to `written` out of `now`; undefined where it is not there any more as a whole. */
function mergeOut(written: string | undefined, then: string, now: string): string | undefined {
  if (written === undefined || written === then) return undefined;
  const back = structuredPatch("", "", written, then, "", "", { context: 2 });
  const merged = applyPatch(now, back, { fuzzFactor: 0 });
  return merged === false || merged === now ? undefined : merged;
}
