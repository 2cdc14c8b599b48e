import type { Compacted, LogEvent } from "../../shared/events";

/** The compaction that the context begins with, and where it is in the log. */
export interface ActiveCompaction {
  readonly index: number;
  readonly event: LogEvent & Compacted;
  /** The summary that is in force: its first one or another in its place. */
  readonly summary: string;
}

/** The newest compaction that was not undone; undefined where the context is the whole conversation. */
export function activeCompaction(events: readonly LogEvent[]): ActiveCompaction | undefined {
  const undone = new Set<string>();
  for (let index = events.length - 1; index >= 0; index--) {
    const event = events[index];
    if (event?.type === "compaction_undone") undone.add(event.compactionId);
    if (event?.type === "compacted" && !undone.has(event.id)) {
      return { index, event, summary: summaryInForce(event, events.slice(index + 1)) };
    }
  }
  return undefined;
}

function summaryInForce(compaction: LogEvent & Compacted, later: readonly LogEvent[]): string {
  const versions = new Map([[compaction.id, compaction.summary]]);
  let summary = compaction.summary;
  for (const event of later) {
    if (event.type === "summary_replaced" && event.compactionId === compaction.id) {
      versions.set(event.id, event.summary);
      summary = event.summary;
    }
    if (event.type === "summary_chosen" && event.compactionId === compaction.id) {
      summary = versions.get(event.versionId) ?? summary;
    }
  }
  return summary;
}

/** The tool results whose bodies the person took out of the context, by the ids of their events. */
export function droppedResults(events: readonly LogEvent[]): ReadonlySet<string> {
  const dropped = new Set<string>();
  for (const event of events) {
    if (event.type === "result_dropped") dropped.add(event.resultId);
    if (event.type === "result_restored") dropped.delete(event.resultId);
  }
  return dropped;
}
