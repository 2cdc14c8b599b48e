import type {
  AssistantMessage,
  Compacted,
  LogEvent,
  SteeringBody,
  SummaryForm,
  SummaryReplaced,
  TokenCount,
} from "./events";
import type { Entry, SessionView } from "./view";

/** One summary that a compaction has had. Every one of them is kept, so that one can go back to it. */
export interface SummaryVersion {
  /** Of the event that brought it. */
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly origin: "first" | SummaryReplaced["origin"];
  readonly summary: string;
  readonly wish?: string;
  readonly model?: string;
  readonly form?: SummaryForm;
  readonly durationMs?: number;
}

/** The marker of a compaction in the transcript. */
export interface CompactionEntry {
  readonly kind: "compaction";
  readonly id: string;
  readonly at: number;
  readonly event: Compacted;
  /** Measured by the first reply after the compaction; an estimate until then. */
  readonly after: TokenCount;
  /** Oldest first; never empty. */
  readonly versions: readonly SummaryVersion[];
  /** The id of the version that is in force. */
  readonly version: string;
  /** When another version came into force, in milliseconds since 1970. */
  readonly changedAt: number;
  /** The compactions whose summaries this one has read, oldest first. */
  readonly chain: readonly string[];
  readonly isUndone: boolean;
}

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
      const { id, at, origin, summary, wish, model, form, durationMs } = event;
      const version: SummaryVersion = {
        id,
        at,
        origin,
        summary,
        ...(wish === undefined ? {} : { wish }),
        ...(model === undefined ? {} : { model }),
        ...(form === undefined ? {} : { form }),
        ...(durationMs === undefined ? {} : { durationMs }),
      };
      return changed(view, event.compactionId, (entry) => ({
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
