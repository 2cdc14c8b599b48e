import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { similarNames } from "../../core/tools/similarity";
import { pathIn, walk } from "../search/walk";
import type { WalkOptions, WalkStart } from "../search/walk";

const MOST_NEAR = 5;
const MOST_ELSEWHERE = 3;
/** Entries that are looked at for the same name elsewhere. */
const MOST_VISITED = 20_000;

/** Real paths that may be meant by that of a missing file: similar names in its folder, then the same name elsewhere. */
export async function similarPaths(
  absolute: string,
  starts: readonly WalkStart[],
  options: WalkOptions,
): Promise<readonly string[]> {
  const folder = dirname(absolute);
  const name = basename(absolute);
  const names = await readdir(folder).catch((): string[] => []);
  const near = similarNames(name, names, MOST_NEAR).map((similar) => join(folder, similar));
  const elsewhere: string[] = [];
  let visited = 0;
  for await (const { folder: parent, entries } of walk(starts, options)) {
    visited += entries.length;
    const found = entries.filter((entry) => !entry.isIgnored && entry.name === name);
    elsewhere.push(...found.map((entry) => pathIn(parent, entry.name)));
    if (visited > MOST_VISITED || elsewhere.length >= MOST_ELSEWHERE) break;
  }
  return [...new Set([...near, ...elsewhere.slice(0, MOST_ELSEWHERE)])];
}
