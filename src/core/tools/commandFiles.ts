import type { Workspace } from "../ports";
import type { TouchedFile } from "./tool";

/** More files than this are not kept for one command. */
const MOST_FILES = 200;
/** Words of a command that are looked at. */
const MOST_WORDS = 100;

/** The files in the workspace that the words of a command name, and those in folders that it names; too many count as none. */
export async function filesNamed(
  workspace: Workspace,
  words: readonly string[],
  signal: AbortSignal,
): Promise<readonly TouchedFile[]> {
  const files = new Map<string, TouchedFile>();
  const candidates = new Set(
    words.filter((word) => word !== "" && !word.startsWith("-")).slice(0, MOST_WORDS),
  );
  for (const word of candidates) {
    const path = await workspace.resolve(word);
    if (path.place !== "inside") continue;
    if (path.kind === "file") files.set(path.absolute, path);
    if (path.kind !== "folder") continue;
    // One that cannot be read keeps the others from nothing.
    const below = await filesBelow(workspace, path.absolute, signal).catch(() => []);
    for (const file of below) files.set(file.absolute, file);
  }
  return files.size > MOST_FILES ? [] : [...files.values()];
}

async function filesBelow(
  workspace: Workspace,
  folder: string,
  signal: AbortSignal,
): Promise<readonly TouchedFile[]> {
  const { entries, total } = await workspace.list(folder, MOST_FILES + 1, signal);
  if (total > MOST_FILES) return [];
  const paths = entries.filter((entry) => !/\/( \(ignored\))?$| -> /.test(entry));
  const resolved = await Promise.all(paths.map((path) => workspace.resolve(path)));
  return resolved.flatMap((path) => (path.place === "inside" && path.kind === "file" ? [path] : []));
}
