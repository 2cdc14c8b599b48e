import type { RestoredFile } from "../../src/shared/events";

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
  restored: (files: readonly RestoredFile[]) =>
    `Files taken back: ${list(files.map(({ path, how }) => `${path} (${HOW[how]})`))}`,
  item: "Files taken back",
  button: "Restore…",
  buttonLabel: "Restore the files to how they were before this turn",
  undo: "Undo",
  undoLabel: "Bring the files back to how they were before they were restored",
} as const;

function list(texts: readonly string[]): string {
  const rest = texts.length - MOST_NAMED;
  return [...texts.slice(0, MOST_NAMED), ...(rest > 0 ? [`and ${rest} more`] : [])].join(", ");
}
