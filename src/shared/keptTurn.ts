import type { FilesKept } from "./events";

/** The files of one turn whose former contents are kept. */
export interface KeptTurn {
  readonly turnId: string;
  /** Each once, in the order of their first change. */
  readonly paths: readonly string[];
}

/** What is kept after more files were. */
export function keptAfter(kept: KeptTurn | null, { turnId, files }: FilesKept): KeptTurn {
  const known = kept?.turnId === turnId ? kept.paths : [];
  return { turnId, paths: [...new Set([...known, ...files.map(({ path }) => path)])] };
}
