import type { Listing } from "../../core/ports";
import type { TouchedFile } from "../../core/tools/tool";
import type { FileList } from "../files/stock";
import { pathIn, walk } from "./walk";
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

/** The files below some folders that are not ignored, up to `most`; links are not followed. */
export async function filesBelow(
  starts: readonly WalkStart[],
  { most, toShown, ...options }: WalkOptions & Pick<ListOptions, "toShown"> & { readonly most: number },
): Promise<FileList> {
  const files: TouchedFile[] = [];
  for await (const { folder, entries } of walk(starts, options)) {
    const shown = toShown(folder);
    for (const { name, kind, isIgnored } of entries) {
      if (kind !== "file" || isIgnored) continue;
      if (files.length >= most) return { files, isCut: true };
      files.push({ absolute: pathIn(folder, name), shown: shown === "." ? name : `${shown}/${name}` });
    }
  }
  return { files, isCut: false };
}

function toText(entry: WalkEntry, prefix: string): string {
  const path = prefix + entry.name;
  if (entry.kind === "link") return `${path} -> ${entry.target ?? "?"}`;
  if (entry.kind !== "folder") return path;
  return entry.isIgnored ? `${path}/ (ignored)` : `${path}/`;
}
