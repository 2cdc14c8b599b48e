import type { Listing } from "../../core/ports";
import { walk } from "./walk";
import type { WalkEntry, WalkOptions, WalkStart } from "./walk";

/** Counting ends here: a workspace of this size is narrowed, not listed. */
export const MOST_COUNTED = 300_000;

/** What a listing needs beside where it starts. */
export interface ListOptions extends WalkOptions {
  readonly maxEntries: number;
  readonly toShown: (absolute: string) => string;
  /** Entries that stand before all others, e.g. the names of several workspace folders. */
  readonly before: readonly string[];
}

/** Lists everything below some folders, level by level, and counts what is beyond `maxEntries`. */
export async function listBelow(starts: readonly WalkStart[], options: ListOptions): Promise<Listing> {
  const entries = [...options.before];
  let total = entries.length;
  let ignoredFiles = 0;
  const isOrdered = () => entries.length < options.maxEntries;
  for await (const { folder, entries: found } of walk(starts, { ...options, isOrdered })) {
    const shown = options.toShown(folder);
    const prefix = shown === "." ? "" : `${shown}/`;
    for (const entry of found) {
      if (entry.isIgnored && entry.kind !== "folder") {
        ignoredFiles += 1;
        continue;
      }
      total += 1;
      if (entries.length < options.maxEntries) entries.push(toText(entry, prefix));
    }
    if (total > MOST_COUNTED) return { entries, total, ignoredFiles, isTotalMinimum: true };
  }
  return { entries, total, ignoredFiles };
}

function toText(entry: WalkEntry, prefix: string): string {
  const path = prefix + entry.name;
  if (entry.kind === "link") return `${path} -> ${entry.target ?? "?"}`;
  if (entry.kind !== "folder") return path;
  return entry.isIgnored ? `${path}/ (ignored)` : `${path}/`;
}
