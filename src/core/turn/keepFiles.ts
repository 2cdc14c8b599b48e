import type { FilesKept, KeptBefore } from "../../shared/events";
import type { Journal } from "../log/journal";
import type { ToolContext } from "../tools/tool";
import { currentTurn, stagesOf, type Checkpoints, type CommandStock } from "./checkpoints";

type Keeping = Pick<ToolContext, "keep" | "noteWritten" | "noteNotWritten" | "takeStock">;

/**
 * What a tool is given so that its changes can be taken back: contents go to the store, and the log says which files of the turn
 * there are. What will certainly be changed is in the log before, as expected; the rest once it is known to have changed.
 */
export function keepFor(journal: Journal, checkpoints: Checkpoints): Keeping {
  const turnId = currentTurn(journal.events) ?? "";
  const place = { sessionId: journal.view.sessionId, turnId };
  const kept = new Map<string, KeptBefore>();
  const byCommand = new Set<string>();
  const log = (files: readonly KeptBefore[], stage: FilesKept["stage"]) =>
    logFiles(journal, { turnId, files, ...(stage && { stage }) });
  return {
    async keep(files, isCertain) {
      for (const file of files) {
        kept.set(file.shown, await checkpoints.keep(place, file));
        if (!isCertain) byCommand.add(file.shown);
      }
      if (isCertain) await log(known(kept, files), "expected");
    },
    async noteWritten(files) {
      const changed: KeptBefore[] = [];
      const unchanged: KeptBefore[] = [];
      for (const file of files) {
        const isChanged = await checkpoints.noteWritten(place, file, byCommand.has(file.shown));
        const isExpected = stagesOf(journal.events, turnId).get(file.shown) === "expected";
        if (isChanged ?? isExpected) changed.push(...known(kept, [file]));
        // Of what could not be kept nobody knows it.
        else if (isChanged === false) unchanged.push(...known(kept, [file]));
      }
      await log(changed, undefined);
      await log(unchanged, "unchanged");
    },
    async noteNotWritten(files) {
      const stages = stagesOf(journal.events, turnId);
      const expected = files.filter(({ shown }) => stages.get(shown) === "expected");
      await log(known(kept, expected), "unchanged");
    },
    async takeStock(signal) {
      const stock = await checkpoints.takeStock?.(place, signal);
      return stock && (() => settle(journal, stock));
    },
  };
}

/** Notes what commands changed that were cut off together with Loom. */
export async function settleLeft(journal: Journal, checkpoints: Checkpoints | undefined): Promise<void> {
  const stocks = await checkpoints?.leftStocks?.(journal.view.sessionId);
  for (const stock of stocks ?? []) await settle(journal, stock);
}

async function settle(journal: Journal, stock: CommandStock): Promise<void> {
  await logFiles(journal, { turnId: stock.turnId, ...(await stock.changes()) });
  await stock.done();
}

function known(
  kept: ReadonlyMap<string, KeptBefore>,
  files: readonly { readonly shown: string }[],
): readonly KeptBefore[] {
  return files.flatMap(({ shown }) => kept.get(shown) ?? []);
}

/** Appends what the log does not say yet. */
async function logFiles(journal: Journal, kept: Omit<FilesKept, "type">): Promise<void> {
  const { turnId, stage, more = 0 } = kept;
  const stages = stagesOf(journal.events, turnId);
  const files = kept.files.filter(({ path }) => {
    const said = stages.get(path);
    if (stage === "expected") return said === undefined || said === "unchanged";
    return stage === "unchanged" ? said !== undefined && said !== "unchanged" : said !== "changed";
  });
  if (files.length === 0 && more === 0) return;
  journal.append({ type: "files_kept", ...kept, files });
  await journal.flushed();
}
