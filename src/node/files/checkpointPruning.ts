import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";

/** Turns whose contents were not touched for so long are removed, in milliseconds. */
const OLDEST_MS = 30 * 24 * 3_600_000;
/** What all turns together may take, in bytes; the oldest go first. */
const MOST_BYTES = 200 * 1024 * 1024;

interface Turn {
  readonly path: string;
  readonly id: string;
  readonly bytes: number;
  /** Milliseconds since 1970. */
  readonly lastUsedAt: number;
}

/** The folder beside those of the sessions in which the files before commands are. */
export const STOCKS = "stocks";

/** Removes what is too old or too much; never the turn `current`. */
export async function prune(folder: string, current: string, now: number): Promise<void> {
  const names = await readdir(folder).catch((): string[] => []);
  const sessions = names.filter((name) => name !== STOCKS);
  const turns = (await Promise.all(sessions.map((name) => turnsIn(join(folder, name))))).flat();
  turns.sort((one, other) => other.lastUsedAt - one.lastUsedAt);
  let bytes = 0;
  for (const turn of turns) {
    bytes += turn.bytes;
    const isKept = turn.id === current || (bytes <= MOST_BYTES && now - turn.lastUsedAt <= OLDEST_MS);
    if (!isKept) await rm(turn.path, { recursive: true, force: true });
  }
}

async function turnsIn(folder: string): Promise<readonly Turn[]> {
  const names = await readdir(folder).catch((): string[] => []);
  return Promise.all(names.map((id) => turnAt(join(folder, id), id)));
}

async function turnAt(path: string, id: string): Promise<Turn> {
  const names = await readdir(path).catch((): string[] => []);
  const files = await Promise.all(names.map((name) => stat(join(path, name)).catch(() => undefined)));
  const times = files.map((file) => file?.mtimeMs ?? 0);
  const bytes = files.reduce((sum, file) => sum + (file?.size ?? 0), 0);
  return { path, id, bytes, lastUsedAt: Math.max(0, ...times) };
}
