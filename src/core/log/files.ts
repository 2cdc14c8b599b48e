import type { KeptFile, LogEvent } from "../../shared/events";
import type { Workspace } from "../ports";
import { activeCompaction, droppedResults, type ActiveCompaction } from "./activeCompaction";

/** The hash of a file's content now, by its path as in ToolFacts; undefined when it is gone or is no text. */
export type HashOf = (path: string) => Promise<string | undefined>;

/** Looks at files as the tools see them. */
export function hashesIn(workspace: Workspace): HashOf {
  return async (path) => {
    const resolved = await workspace.resolve(path);
    if (resolved.place === "no_folder" || resolved.kind !== "file") return undefined;
    const file = await workspace.readText(resolved.absolute);
    return "hash" in file ? file.hash : undefined;
  };
}

/** What happened to files since the model saw them last, by path. */
export type StaleFiles = ReadonlyMap<string, NonNullable<KeptFile["stale"]>>;

/** The files that tools read or changed, each once, the newest use last. */
export function latestFiles(events: readonly LogEvent[]): KeptFile[] {
  const files = new Map<string, KeptFile>();
  for (const event of events) {
    if (event.type !== "tool_result" || event.facts === undefined || event.facts.kind === "command") continue;
    const { path, hash, kind } = event.facts;
    const changed = kind === "edit" || files.get(path)?.changed === true;
    // Deleted first, so that the newest use of a file stands last.
    files.delete(path);
    files.set(path, { path, hash, changed });
  }
  return [...files.values()];
}

/** More files than any ledger has room for. */
const MOST_FILES = 200;

/** Compares the newest files of a log with their content now; a file that cannot be looked at counts as it was. */
export async function staleFiles(events: readonly LogEvent[], hashOf: HashOf): Promise<StaleFiles> {
  const stale = new Map<string, NonNullable<KeptFile["stale"]>>();
  const look = async ({ path, hash }: KeptFile): Promise<void> => {
    const now = await hashOf(path).catch(() => hash);
    if (now === undefined) stale.set(path, "deleted");
    else if (now !== hash) stale.set(path, "changed");
  };
  await Promise.all(latestFiles(events).slice(-MOST_FILES).map(look));
  return stale;
}

/**
 * What the result of an edit says first when the context no longer holds the file: that it was read again for this edit and, when
 * `hashNow` (before the edit) is known, whether it is as the model saw it last. Undefined while the model has it before its eyes.
 */
export function rereadRemark(
  events: readonly LogEvent[],
  path: string,
  hashNow: string | undefined,
): string | undefined {
  const compaction = activeCompaction(events);
  const dropped = droppedResults(events);
  const inContext = wholeInContext(events, compaction).filter(({ id }) => !dropped.has(id));
  if (latestFiles(inContext).some((file) => file.path === path)) return undefined;
  const seen = latestFiles(events).find((file) => file.path === path)?.hash;
  if (compaction === undefined && seen === undefined) return undefined;
  const isChanged = seen !== undefined && hashNow !== undefined && hashNow !== seen;
  const change = isChanged ? "; it changed since you last saw it" : "";
  const why =
    compaction === undefined
      ? "is no longer in the context as you read it"
      : "was not read since the context summary";
  return `${path} ${why}, so it was read again before this edit${change}.`;
}

/** The events whose messages the context holds as they are. */
function wholeInContext(
  events: readonly LogEvent[],
  compaction: ActiveCompaction | undefined,
): readonly LogEvent[] {
  if (compaction === undefined) return events;
  const { tailFrom, shortened } = compaction.event;
  const start = tailFrom === undefined ? compaction.index : events.findIndex(({ id }) => id === tailFrom);
  const cut = new Set(shortened.map(({ eventId }) => eventId));
  return events.slice(start).filter(({ id }) => !cut.has(id));
}
