import type { Dirent } from "node:fs";
import { readdir, readlink } from "node:fs/promises";
import { join } from "node:path";
import { isIgnored, rulesFor, withRulesOf } from "./ignoreRules";
import type { IgnoreRules } from "./ignoreRules";

/** Something that a walk came by. */
export interface WalkEntry {
  readonly absolute: string;
  readonly kind: "file" | "folder" | "link" | "other";
  readonly isIgnored: boolean;
  /** Where a link points to, as written in it. */
  readonly target?: string;
}

/** Where a walk begins; `root` is the workspace folder whose ignore rules hold, or the start itself. */
export interface WalkStart {
  readonly folder: string;
  readonly root: string;
}

/** Leaves out what the person's settings hide. */
export type IsExcluded = (absolute: string) => boolean;

/** How a walk goes; `signal` ends it with its reason. */
export interface WalkOptions {
  readonly isExcluded: IsExcluded;
  readonly signal: AbortSignal;
}

/**
 * Goes through folders level by level and gives the entries of one folder at a time, by name. Links are given and not
 * followed, so each real folder comes once; ignored folders and those that cannot be read are not entered.
 */
export async function* walk(
  starts: readonly WalkStart[],
  { isExcluded, signal }: WalkOptions,
): AsyncGenerator<readonly WalkEntry[]> {
  const queue: { folder: string; rules: IgnoreRules }[] = [];
  for (const { folder, root } of starts) queue.push({ folder, rules: await rulesFor(folder, root) });
  // The queue grows while it is gone through.
  for (const next of queue) {
    signal.throwIfAborted();
    const rules = await withRulesOf(next.folder, next.rules);
    const entries = (await entriesOf(next.folder, rules)).filter(({ absolute }) => !isExcluded(absolute));
    for (const entry of entries) {
      if (entry.kind === "folder" && !entry.isIgnored) queue.push({ folder: entry.absolute, rules });
    }
    yield entries;
  }
}

async function entriesOf(folder: string, rules: IgnoreRules): Promise<readonly WalkEntry[]> {
  const names = await readdir(folder, { withFileTypes: true }).catch((): Dirent[] => []);
  names.sort((a, b) => (a.name < b.name ? -1 : 1));
  return Promise.all(names.map((name) => toEntry(join(folder, name.name), name, rules)));
}

async function toEntry(absolute: string, name: Dirent, rules: IgnoreRules): Promise<WalkEntry> {
  const about = { absolute, isIgnored: isIgnored(rules, absolute, name.isDirectory()) };
  if (name.isSymbolicLink()) {
    return { ...about, kind: "link", target: await readlink(absolute).catch(() => "?") };
  }
  return { ...about, kind: name.isDirectory() ? "folder" : name.isFile() ? "file" : "other" };
}
