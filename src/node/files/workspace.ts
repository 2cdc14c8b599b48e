import type { Workspace } from "../../core/ports";
import type { Excludes } from "../search/excludes";
import { filesBelow, listBelow } from "../search/listing";
import { searchText } from "../search/search";
import type { SearchPlaces } from "../search/search";
import type { WalkStart } from "../search/walk";
import { onFileChange } from "./fileWatch";
import { folderOf, realFolders, resolveIn, shownPath } from "./folders";
import type { WorkspaceFolder } from "./folders";
import { isInside, realPathOf } from "./realPath";
import type { ListFiles } from "./stock";
import { similarPaths } from "./similarPaths";
import { readTextFile } from "./textFile";
import { writeTextFile } from "./textWriter";

export type { WorkspaceFolder } from "./folders";
export { hashText } from "./textFile";

/** What a front end knows beyond the files on disk. */
export interface WorkspaceOptions {
  /** The text (LF line ends, no mark) of a file that is open with unsaved changes, for searching. */
  readonly unsavedText?: (absolute: string) => string | undefined;
  /** What the person's settings hide from listings and searches; asked on every call. */
  readonly excludes?: () => Excludes;
  /** The files (absolute) that have such changes. */
  readonly unsavedFiles?: () => readonly string[];
  /** Where ripgrep is; without it every file is read. */
  readonly ripgrep?: string;
  /** How long a regular expression may take on a few files, in milliseconds. */
  readonly regExpTimeLimitMs?: number;
}

/** A workspace on this machine's disk, of which commands may change any file. */
export interface DiskWorkspace extends Workspace {
  readonly files: ListFiles;
}

/** The files on disk. `folders` is asked on every call, so that folders may be opened and closed meanwhile. */
export function createWorkspace(
  folders: () => readonly WorkspaceFolder[],
  options: WorkspaceOptions = {},
): DiskWorkspace {
  const opened = () => realFolders(folders());
  const excluding = () => excludingBy(options.excludes?.());
  return {
    resolve: async (path) => resolveIn(await opened(), path),
    readText: readTextFile,
    write: writeTextFile,
    onChange: onFileChange,
    async list(absolute, maxEntries, signal) {
      const roots = await opened();
      const hasNames = absolute === undefined && roots.length > 1;
      return listBelow(absolute === undefined ? toStarts(roots) : [startAt(roots, absolute)], {
        maxEntries,
        signal,
        ...excluding(),
        toShown: (path) => shownPath(roots, path),
        before: hasNames ? roots.map(({ name }) => `${name}/`) : [],
      });
    },
    async files(most, signal) {
      const roots = await opened();
      const toShown = (path: string) => shownPath(roots, path);
      return filesBelow(toStarts(roots), { most, signal, ...excluding(), toShown });
    },
    async search({ under, ...query }, signal) {
      const roots = await opened();
      return searchText(query, await placesOf(roots, under), {
        signal,
        ...excluding(),
        toShown: (path) => shownPath(roots, path),
        unsavedText: options.unsavedText ?? (() => undefined),
        regExpTimeLimitMs: options.regExpTimeLimitMs ?? 3_000,
        ...(options.unsavedFiles && { unsavedFiles: options.unsavedFiles }),
        ...(options.ripgrep !== undefined && { ripgrep: options.ripgrep }),
      });
    },
    async similarNames(absolute) {
      const roots = await opened();
      const walkOptions = { ...excluding(), signal: new AbortController().signal };
      const paths = await similarPaths(absolute, toStarts(roots), walkOptions);
      return paths.map((path) => shownPath(roots, path));
    },
  };
}

function excludingBy(excludes: Excludes | undefined) {
  if (excludes === undefined) return {};
  const { isExcluded, isLeftOut, globs } = excludes;
  return { isExcluded, isLeftOut, excludedGlobs: globs };
}

/** A folder that is open within another open one is come by in that one. */
function toStarts(roots: readonly WorkspaceFolder[]): readonly WalkStart[] {
  const isInner = ({ path }: WorkspaceFolder) =>
    roots.some((other) => other.path !== path && isInside(other.path, path));
  return roots.filter((root) => !isInner(root)).map(({ path }) => ({ folder: path, root: path }));
}

function startAt(roots: readonly WorkspaceFolder[], absolute: string): WalkStart {
  return { folder: absolute, root: folderOf(roots, absolute)?.path ?? absolute };
}

async function placesOf(roots: readonly WorkspaceFolder[], under: string | undefined): Promise<SearchPlaces> {
  if (under === undefined) return { files: [], starts: toStarts(roots) };
  const { kind } = await realPathOf(under);
  return kind === "folder"
    ? { files: [], starts: [startAt(roots, under)] }
    : { files: kind === "file" ? [under] : [], starts: [] };
}
