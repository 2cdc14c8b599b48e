import type { AssistantMessage, Compacted, LogEvent, SteeringBody } from "./events";
import type { CompactionEntry, Entry, SessionView, SummaryVersion } from "./sessionView";

/** The compaction that the context begins with. */
export function currentCompaction({ entries }: Pick<SessionView, "entries">): CompactionEntry | undefined {
  const entry = entries.findLast((one) => one.kind === "compaction" && !one.isUndone);
  return entry?.kind === "compaction" ? entry : undefined;
}

/** The summary that is in force. */
export function currentVersion({ versions, version }: CompactionEntry): SummaryVersion | undefined {
  return versions.find(({ id }) => id === version);
}

/** The marker of a compaction that has just been made. */
export function compactionEntry(
  view: Pick<SessionView, "entries">,
  event: LogEvent & Compacted,
): CompactionEntry {
  const { id, at, summary, model, form, durationMs } = event;
  const before = currentCompaction(view);
  return {
    kind: "compaction",
    id,
    at,
    event,
    after: { tokens: event.afterTokens, estimated: true },
    versions: [{ id, at, origin: "first", summary, model, form, durationMs }],
    version: id,
    changedAt: at,
    chain: before === undefined ? [] : [...before.chain, before.id],
    isUndone: false,
  };
}

/** The first count of the server after a compaction replaces the estimate in its marker. */
export function measureCompaction(entries: readonly Entry[], event: AssistantMessage): readonly Entry[] {
  const { promptTokens } = event.usage;
  const current = currentCompaction({ entries });
  if (promptTokens === undefined || event.isPromptCut || !current?.after.estimated) return entries;
  return changeCompaction(entries, current.id, (entry) => ({
    ...entry,
    after: { tokens: promptTokens, estimated: false },
  }));
}

/** The view after something that the person did to a compaction or to the context. */
export function applySteering(view: SessionView, event: LogEvent & SteeringBody): SessionView {
  switch (event.type) {
    case "compaction_undone":
      return changed(view, event.compactionId, (entry) => ({ ...entry, isUndone: true }));
    case "summary_replaced": {
      const { type: _, v: __, compactionId, requests: ___, ...version } = event;
      const { id, at } = version;
      return changed(view, compactionId, (entry) => ({
        ...entry,
        versions: [...entry.versions, version],
        version: id,
        changedAt: at,
      }));
    }
    case "summary_chosen":
      return changed(view, event.compactionId, (entry) =>
        entry.versions.some(({ id }) => id === event.versionId)
          ? { ...entry, version: event.versionId, changedAt: event.at }
          : entry,
      );
    case "result_dropped":
    case "result_restored":
      return { ...view, entries: setDropped(view.entries, event.resultId, event.type === "result_dropped") };
    case "compaction_postponed":
      return { ...view, isPostponed: true };
    case "postponement_used":
      return { ...view, isPostponed: false };
  }
}

function changed(
  view: SessionView,
  id: string,
  change: (entry: CompactionEntry) => CompactionEntry,
): SessionView {
  return { ...view, entries: changeCompaction(view.entries, id, change) };
}

function changeCompaction(
  entries: readonly Entry[],
  id: string,
  change: (entry: CompactionEntry) => CompactionEntry,
): readonly Entry[] {
  const index = entries.findLastIndex((entry) => entry.kind === "compaction" && entry.id === id);
  const entry = entries[index];
  return entry?.kind === "compaction" ? entries.with(index, change(entry)) : entries;
}

function setDropped(entries: readonly Entry[], resultId: string, isDropped: boolean): readonly Entry[] {
  const index = entries.findLastIndex((entry) => entry.kind === "tool" && entry.resultId === resultId);
  const entry = entries[index];
  return entry?.kind === "tool" ? entries.with(index, { ...entry, isDropped }) : entries;
}
