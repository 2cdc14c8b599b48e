import { dirname, relative, sep } from "node:path";
import { ignoredIn, rulesFor, withRulesOf } from "./ignoreRules";
import type { IgnoreRules } from "./ignoreRules";
import { pathIn, type WalkOptions, type WalkStart } from "./walk";

/** The files of `found` that a walk from `start` would come by, in its order. */
export async function asWalked(
  found: readonly string[],
  start: WalkStart,
  options: WalkOptions,
): Promise<readonly string[]> {
  const known = new Map<string, Promise<Known | undefined>>([
    [start.folder, rulesFor(start.folder, start.root).then((rules) => knownIn(start.folder, rules))],
  ]);
  const lookUp = (folder: string): Promise<Known | undefined> => {
    const already = known.get(folder);
    if (already) return already;
    const made = enter(folder);
    known.set(folder, made);
    return made;
  };
  const enter = async (folder: string): Promise<Known | undefined> => {
    const parent = folder.length > start.folder.length ? await lookUp(dirname(folder)) : undefined;
    if (parent === undefined || isHidden(parent, folder, true, options)) return undefined;
    return knownIn(folder, parent.rules);
  };
  const listed: { readonly path: string; readonly parts: readonly string[] }[] = [];
  for (const path of found) {
    options.signal.throwIfAborted();
    const parent = await lookUp(dirname(path));
    if (parent === undefined || isHidden(parent, path, false, options)) continue;
    listed.push({ path, parts: relative(start.folder, path).split(sep) });
  }
  return listed.sort((one, other) => compare(one.parts, other.parts)).map(({ path }) => path);
}

interface Known {
  readonly folder: string;
  readonly rules: IgnoreRules;
  readonly isIgnored: (name: string, isFolder: boolean) => boolean;
}

async function knownIn(folder: string, outer: IgnoreRules): Promise<Known> {
  const rules = await withRulesOf(folder, outer);
  return { folder, rules, isIgnored: ignoredIn(rules, folder) };
}

function isHidden(
  { folder, isIgnored }: Known,
  path: string,
  isFolder: boolean,
  { isExcluded, isLeftOut }: WalkOptions,
): boolean {
  const name = path.slice(pathIn(folder, "").length);
  return isIgnored(name, isFolder) || isExcluded?.(path) === true || isLeftOut?.(path) === true;
}

/** Upper levels first, then folder by folder. */
function compare(one: readonly string[], other: readonly string[]): number {
  if (one.length !== other.length) return one.length - other.length;
  for (const [index, name] of one.entries()) {
    const its = other[index] ?? "";
    if (name !== its) return name < its ? -1 : 1;
  }
  return 0;
}
