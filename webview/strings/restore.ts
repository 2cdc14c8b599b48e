import type { KeptBefore, RestoredFile } from "../../src/shared/events";

const HOW: Readonly<Record<RestoredFile["how"], string>> = {
  restored: "restored",
  recreated: "created again",
  deleted: "deleted",
  merged: "merged",
};

/** More paths than this are counted only. */
const MOST_NAMED = 6;

/** What is said of the files that a turn changed. */
export const restore = {
  changed: (paths: readonly string[]) => `Changed in this turn: ${list(paths)}`,
  expected: (paths: readonly string[]) =>
    `Perhaps changed, since Loom was closed in the middle of it: ${list(paths)}`,
  lost: (files: readonly KeptBefore[], more: number) =>
    `Changed too, but cannot be restored: ${list(
      files.map(({ path, reason }) => (reason === undefined ? path : `${path} (${reason})`)),
      more,
    )}`,
  isCut: "The workspace has more files than are looked at; what commands changed in the rest is not known",
  restored: (files: readonly RestoredFile[]) =>
    `Files taken back: ${list(files.map(({ path, how }) => `${path} (${HOW[how]})`))}`,
  item: "Files taken back",
  button: "Restore…",
  buttonLabel: "Restore the files to how they were before this turn",
  undo: "Undo",
  undoLabel: "Bring the files back to how they were before they were restored",
} as const;

function list(texts: readonly string[], more = 0): string {
  const rest = Math.max(0, texts.length - MOST_NAMED) + more;
  return [...texts.slice(0, MOST_NAMED), ...(rest > 0 ? [`and ${rest} more`] : [])].join(", ");
}
