import type { ToolRun } from "./tool";

/** A call that could not be done; `content` says why and what to do instead. */
export function failed(content: string, summary: string): ToolRun {
  return { outcome: "error", content, summary };
}

/** The person stopped the turn while the tool ran. */
export function cancelled(what = "Stopped by the person before it finished."): ToolRun {
  return { outcome: "cancelled", content: what, summary: "stopped" };
}

/** The person said no; the reason is theirs. */
export function denied(what: string, reason: string): ToolRun {
  const said = reason.trim() === "" ? "They gave no reason." : `Their reason: ${reason.trim()}`;
  return {
    outcome: "denied",
    content: `The person declined this. ${what} ${said}\nDo not try the same again; do what they say, or ask them.`,
    summary: "declined",
  };
}

/** There is nothing that a file tool or a command could work on. */
export function noFolder(): ToolRun {
  return failed(
    "No folder is open, so there are no files to work on. Answer without files, or ask the person to open a folder (File > Open Folder).",
    "no folder is open",
  );
}

/** There is no folder that a command could run in, though files may be reached by way of the editor. */
export function noFolderForCommands(): ToolRun {
  return failed(
    "No folder on a disk is open, so commands cannot run. Answer without them, or ask the person to open a folder (File > Open Folder).",
    "no folder is open",
  );
}
