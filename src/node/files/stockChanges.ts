import { lstat, readFile } from "node:fs/promises";
import { basename } from "node:path";
import type { TouchedFile } from "../../core/tools/tool";
import { readPacked } from "./contentPack";
import { isSame, look, packPath, type ListFiles, type StockedFile, type TakenStock } from "./stock";

/** What became of a file since a stock was taken. */
export interface StockChange extends TouchedFile {
  readonly was: "file" | "missing";
  /** What it held, unless it was not kept. */
  readonly before?: { readonly bytes: Buffer; readonly mode: number };
  /** Why that is not kept. */
  readonly reason?: string;
  /** What it holds now; absent when it is gone or large. */
  readonly now?: Buffer;
}

/** More created files than this are looked for no further. */
const MOST_SEEN = 20_000;
/** Files that are looked at together. */
const BATCH = 32;
/** What is made now and larger is not read, in bytes: it can still be taken away again, but with a question. */
const MOST_READ_BYTES = 1024 * 1024;
/** File systems round their times, and another machine's clock may be a little off, in milliseconds. */
const CLOCK_MS = 2_000;

/** Compares the files with a stock, a few at a time: those that were changed or deleted first, then what came to be. */
export async function* changesSince(
  taken: TakenStock,
  list: ListFiles,
): AsyncGenerator<readonly StockChange[]> {
  let areRulesChanged = false;
  const gone = new Set<number>();
  for (const batch of batchesOf(taken.files)) {
    const changes = await Promise.all(batch.map((file) => changeOf(taken, file, gone)));
    const found = changes.filter((change) => change !== undefined);
    areRulesChanged ||= found.some(isRules);
    yield found;
  }
  const known = new Set(taken.files.map(({ absolute }) => absolute));
  const { files } = await list(MOST_SEEN, new AbortController().signal);
  const fresh = files.filter(({ absolute }) => !known.has(absolute));
  // A file that was only not seen before (ignored, beyond the bound) must never be taken for one that did not exist.
  const isDoubtful = taken.isCut || areRulesChanged || fresh.some(isRules);
  for (const batch of batchesOf(fresh)) {
    const changes = await Promise.all(
      batch.map((file) => createdSince(file, taken.takenAt, { isDoubtful, gone })),
    );
    yield changes.filter((change) => change !== undefined);
  }
}

function* batchesOf<Item>(items: readonly Item[]): Generator<readonly Item[]> {
  for (let from = 0; from < items.length; from += BATCH) yield items.slice(from, from + BATCH);
}

function isRules({ absolute }: TouchedFile): boolean {
  return basename(absolute) === ".gitignore";
}

async function changeOf(
  taken: TakenStock,
  was: StockedFile,
  gone: Set<number>,
): Promise<StockChange | undefined> {
  const { absolute, shown, mode, place } = was;
  const now = await look(was);
  if (!now && was.ino > 0) gone.add(was.ino);
  if (now && isSame(was, now) && !was.isFresh) return undefined;
  const change = { absolute, shown, was: "file" } as const;
  if (!place) {
    const isAsBefore = now?.size === was.size && now.mtimeMs === was.mtimeMs;
    return isAsBefore ? undefined : { ...change, reason: was.reason ?? "" };
  }
  const [bytes, holds] = await Promise.all([
    readPacked(packPath(taken.folder), place),
    now && contentOf(now),
  ]);
  if (bytes && holds?.equals(bytes)) return undefined;
  const current = holds && { now: holds };
  if (!bytes) return { ...change, reason: "what was kept of it is gone", ...current };
  return { ...change, before: { bytes, mode }, ...current };
}

async function createdSince(
  file: TouchedFile,
  time: number,
  { isDoubtful, gone }: { readonly isDoubtful: boolean; readonly gone: ReadonlySet<number> },
): Promise<StockChange | undefined> {
  const now = await look(file);
  // A file whose folder got another name keeps its times.
  if (!now || (now.ctimeMs < time - CLOCK_MS && !gone.has(now.ino))) return undefined;
  if (isDoubtful && (await bornAt(file)) < time) return undefined;
  const holds = await contentOf(now);
  return { ...file, was: "missing", ...(holds && { now: holds }) };
}

async function bornAt({ absolute }: TouchedFile): Promise<number> {
  return lstat(absolute).then(
    ({ birthtimeMs }) => birthtimeMs,
    () => 0,
  );
}

async function contentOf({ absolute, size }: StockedFile): Promise<Buffer | undefined> {
  if (size > MOST_READ_BYTES) return undefined;
  return readFile(absolute).catch(() => undefined);
}
