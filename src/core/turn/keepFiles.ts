import type { KeptBefore } from "../../shared/events";
import type { Journal } from "../log/journal";
import type { ToolContext, TouchedFile } from "../tools/tool";
import { currentTurn, type Checkpoints } from "./checkpoints";

/**
 * What a tool is given so that its changes can be taken back: contents go to the store, and the log says which files of the turn
 * there are. What `keep` is told for certain is in the log before the change, the rest once it is known to have changed.
 */
export function keepFor(
  journal: Journal,
  checkpoints: Checkpoints,
): Pick<ToolContext, "keep" | "noteWritten"> {
  const turnId = currentTurn(journal.events) ?? "";
  const place = { sessionId: journal.view.sessionId, turnId };
  /** What may change in this call and is not in the log yet. */
  const uncertain = new Map<string, KeptBefore>();
  const log = async (files: readonly KeptBefore[]): Promise<void> => {
    const fresh = files.filter(({ path }) => !isLogged(journal, turnId, path));
    if (fresh.length === 0) return;
    journal.append({ type: "files_kept", turnId, files: fresh });
    await journal.flushed();
  };
  return {
    async keep(files, isCertain) {
      const kept: KeptBefore[] = [];
      for (const file of files) kept.push(await checkpoints.keep(place, file));
      if (isCertain) return log(kept);
      for (const file of kept) uncertain.set(file.path, file);
    },
    async noteWritten(files) {
      const changed: TouchedFile[] = [];
      for (const file of files) if (await checkpoints.noteWritten(place, file)) changed.push(file);
      await log(changed.flatMap(({ shown }) => uncertain.get(shown) ?? []));
    },
  };
}

function isLogged(journal: Journal, turnId: string, path: string): boolean {
  return journal.events.some(
    (event) =>
      event.type === "files_kept" &&
      event.turnId === turnId &&
      event.files.some((file) => file.path === path),
  );
}
