import type { Dirent } from "node:fs";
import { readdirSync, readlinkSync } from "node:fs";
import { sep } from "node:path";
import { setImmediate } from "node:timers/promises";
import { ignoredIn, rulesFor, withRulesOf } from "./ignoreRules";
import type { IgnoreRules } from "./ignoreRules";

/** Something that a walk came by. */
export interface WalkEntry {
  readonly name: string;
  readonly kind: "file" | "folder" | "link" | "other";
  readonly isIgnored: boolean;
  /** Where a link points to, as written in it. */
  readonly target?: string;
}

/** What is in one folder, by name. */
export interface WalkedFolder {
  /** Absolute. */
  readonly folder: string;
  readonly entries: readonly WalkEntry[];
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
  readonly isExcluded?: IsExcluded;
  /** What is treated as `.gitignore` does it: given, but not entered. */
  readonly isLeftOut?: IsExcluded;
  readonly signal: AbortSignal;
  /** Asked for each folder: false when the order does not matter any more, e.g. for counting the rest. */
  readonly isOrdered?: () => boolean;
}

/** How long the walk may keep the thread for itself, in milliseconds: less than anybody notices. */
const LONGEST_STEP_MS = 8;

/**
 * Goes through folders level by level and gives the entries of one folder at a time. Links are given and not followed, so each
 * real folder comes once; ignored folders and those that cannot be read are not entered. Folders are read without waiting, which in
 * a large tree takes a tenth of the time, and others get their turn in between.
 */
export async function* walk(
  starts: readonly WalkStart[],
  { isExcluded, isLeftOut, signal, isOrdered }: WalkOptions,
): AsyncGenerator<WalkedFolder> {
  const queue: { folder: string; rules: IgnoreRules }[] = [];
  for (const { folder, root } of starts) queue.push({ folder, rules: await rulesFor(folder, root) });
  let resumedAt = performance.now();
  // The queue grows while it is gone through.
  for (const next of queue) {
    if (performance.now() - resumedAt > LONGEST_STEP_MS) {
      await setImmediate();
      resumedAt = performance.now();
    }
    signal.throwIfAborted();
    const names = namesIn(next.folder, next === queue[0] && starts.length === 1);
    if (isOrdered?.() !== false) names.sort((a, b) => (a.name < b.name ? -1 : 1));
    const hasRules = names.some(({ name }) => name === ".gitignore");
    const rules = hasRules ? await withRulesOf(next.folder, next.rules) : next.rules;
    const all = entriesOf(next.folder, names, rules);
    const seen = isExcluded ? all.filter(({ name }) => !isExcluded(pathIn(next.folder, name))) : all;
    const entries = isLeftOut ? seen.map((entry) => marked(entry, next.folder, isLeftOut)) : seen;
    for (const { kind, isIgnored, name } of entries) {
      if (kind === "folder" && !isIgnored) queue.push({ folder: pathIn(next.folder, name), rules });
    }
    yield { folder: next.folder, entries };
  }
}

/** The path of a name in a folder: `join` would go through both again. */
export function pathIn(folder: string, name: string): string {
  return folder.endsWith(sep) ? folder + name : folder + sep + name;
}

function namesIn(folder: string, isNeeded: boolean): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    // Gone by now, or not for us to read; where nothing else is asked for that must not look like an empty folder.
    if (isNeeded) throw error;
    return [];
  }
}

function entriesOf(folder: string, names: readonly Dirent[], rules: IgnoreRules): readonly WalkEntry[] {
  const isIgnored = ignoredIn(rules, folder);
  return names.map((entry) => {
    const { name } = entry;
    if (entry.isSymbolicLink()) {
      return {
        name,
        isIgnored: isIgnored(name, false),
        kind: "link",
        target: targetOf(pathIn(folder, name)),
      };
    }
    const isFolder = entry.isDirectory();
    const kind = isFolder ? "folder" : entry.isFile() ? "file" : "other";
    return { name, isIgnored: isIgnored(name, isFolder), kind };
  });
}

function marked(entry: WalkEntry, folder: string, isLeftOut: IsExcluded): WalkEntry {
  return entry.isIgnored || !isLeftOut(pathIn(folder, entry.name)) ? entry : { ...entry, isIgnored: true };
}

function targetOf(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return "?";
  }
}
