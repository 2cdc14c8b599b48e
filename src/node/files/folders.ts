import { homedir } from "node:os";
import { isAbsolute, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { ResolvedPath } from "../../core/ports";
import { isInside, realPathOf } from "./realPath";

/** A folder that is open; `path` is absolute and may be or hold a link. */
export interface WorkspaceFolder {
  readonly name: string;
  readonly path: string;
}

/** The open folders with their real paths, and names as of `distinctlyNamed`. */
export async function realFolders(folders: readonly WorkspaceFolder[]): Promise<readonly WorkspaceFolder[]> {
  return Promise.all(
    distinctlyNamed(folders).map(async ({ name, path }) => ({
      name,
      path: (await realPathOf(path)).absolute,
    })),
  );
}

/** The same folders with no name twice, so that a path that begins with one is clear. */
export function distinctlyNamed<Folder extends { readonly name: string }>(
  folders: readonly Folder[],
): readonly Folder[] {
  const taken = new Set<string>();
  return folders.map((folder) => {
    let { name } = folder;
    for (let number = 2; taken.has(name); number += 1) name = `${folder.name} (${number})`;
    taken.add(name);
    return { ...folder, name };
  });
}

/** A real path as it is shown: relative to its folder with `/`, led by the folder's name where there are several. */
export function shownPath(folders: readonly WorkspaceFolder[], absolute: string): string {
  const folder = folderOf(folders, absolute);
  if (!folder) return absolute;
  const below = relative(folder.path, absolute).split(sep).join("/");
  if (folders.length === 1) return below === "" ? "." : below;
  return below === "" ? folder.name : `${folder.name}/${below}`;
}

/** The innermost of the folders that holds a real path. */
export function folderOf(folders: readonly WorkspaceFolder[], absolute: string): WorkspaceFolder | undefined {
  return folders
    .filter((folder) => isInside(folder.path, absolute))
    .sort((a, b) => b.path.length - a.path.length)[0];
}

/**
 * Resolves what a model wrote as a path: relative to a folder (with or without its name in front), absolute, `~` or a
 * file URL. The first reading that exists wins; a path that does not exist is taken as written.
 */
export async function resolveIn(folders: readonly WorkspaceFolder[], path: string): Promise<ResolvedPath> {
  const readings = readingsOf(folders, path);
  const [asWritten] = readings;
  if (asWritten === undefined) return { place: "no_folder" };
  for (const reading of readings) {
    const resolved = await resolveReading(folders, reading);
    // Another reading than the written one is a guess, and a guess must not lead outside.
    if (resolved.kind !== "missing" && (reading === asWritten || resolved.place === "inside"))
      return resolved;
  }
  return resolveReading(folders, asWritten);
}

async function resolveReading(
  folders: readonly WorkspaceFolder[],
  reading: string,
): Promise<Exclude<ResolvedPath, { readonly place: "no_folder" }>> {
  const { absolute, kind } = await realPathOf(reading);
  const place = folderOf(folders, absolute) ? "inside" : "outside";
  return { place, absolute, kind, shown: shownPath(folders, absolute) };
}

/** The absolute paths that may be meant, the one as written first; none when nothing is open. */
function readingsOf(folders: readonly WorkspaceFolder[], path: string): readonly string[] {
  if (folders.length === 0) return [];
  const written = expand(path);
  const below = folders.map((folder) => joinAsIs(folder.path, written));
  if (isAbsolute(written)) return [written, ...below];
  const [first = "", ...rest] = written.split(/[\\/]/).filter((part) => part !== ".");
  const named = folders
    .filter((folder) => folder.name === first)
    .map((folder) => joinAsIs(folder.path, rest.join(sep)));
  return folders.length > 1 ? [...named, ...below] : [...below, ...named];
}

/** Unlike `join`, leaves `..` for the walk along the real folders. */
function joinAsIs(folder: string, path: string): string {
  return `${folder}${sep}${path}`;
}

function expand(path: string): string {
  if (path === "~" || path.startsWith("~/")) return join(homedir(), path.slice(1));
  if (!path.startsWith("file://")) return path;
  try {
    return fileURLToPath(path);
  } catch {
    return path;
  }
}
