import { randomUUID } from "node:crypto";
import { lstat, mkdir, readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { count, flag, hasFields, optional, text } from "../../core/log/fields";
import type { TouchedFile } from "../../core/tools/tool";
import type { CheckpointPlace } from "../../core/turn/checkpoints";
import { ContentPack, type PackPlace } from "./contentPack";
import { describeError } from "./textFile";
import { writeWhole } from "./wholeFile";

/** What is kept before a command. Sources are small: what is above these is made by programs, and seldom missed. */
const MOST = {
  /** Of one file, in bytes. */
  fileBytes: 1024 * 1024,
  /** Of all files together, in bytes: read in well under a second. */
  bytes: 20 * 1024 * 1024,
  files: 5_000,
  /** Files whose size and times are looked at, before and after: of 20,000 that takes a fifth of a second each. */
  seen: 20_000,
  /** The file that holds the contents is begun anew above this, in bytes. */
  packBytes: 60 * 1024 * 1024,
  /** Left by windows that ended, for one that is cut off in a command. */
  others: 3,
} as const;

/** A file changed so shortly before it was looked at may change again without its times showing it, in milliseconds. */
const FRESH_MS = 50;
/** One of which nobody came to see the end is kept for so long, in milliseconds. */
const OLDEST_MS = 30 * 24 * 3_600_000;

/** Files that are there. */
export interface FileList {
  readonly files: readonly TouchedFile[];
  /** True when there are more. */
  readonly isCut: boolean;
}

/** The workspace's own files: without ignored ones, links not followed. */
export type ListFiles = (most: number, signal: AbortSignal) => Promise<FileList>;

/** A file as it was looked at. */
export interface StockedFile extends TouchedFile {
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly ino: number;
  readonly mode: number;
  /** True when it may have changed again without its times showing it. */
  readonly isFresh: boolean;
  /** Where its content is kept. */
  readonly place?: PackPlace;
  /** Why it is not. */
  readonly reason?: string;
}

/** All files before a command. */
export interface TakenStock extends CheckpointPlace {
  /** Where the stock lies. */
  readonly folder: string;
  /** Milliseconds since 1970. */
  readonly takenAt: number;
  readonly isCut: boolean;
  readonly files: readonly StockedFile[];
}

/** The files before each command: sizes and times of all, and contents as far as the bounds go. What has not changed since is not read again. */
export class Stock {
  #folder = "";
  #pack = new ContentPack("");
  #known = new Map<string, StockedFile>();

  /** Below `root` each process has a folder of its own. */
  constructor(
    private readonly root: string,
    private readonly list: ListFiles,
  ) {}

  /** Rejects only when `signal` fires or there is no place for it. */
  async take({ sessionId, turnId }: CheckpointPlace, signal: AbortSignal): Promise<TakenStock> {
    await this.#begin();
    const takenAt = Date.now();
    const { files, isCut } = await this.list(MOST.seen, signal);
    const stocked = await this.#fill(await lookAt(files, signal), signal);
    await setImmediate();
    this.#known = new Map(stocked.map((file) => [file.absolute, file]));
    const folder = this.#folder;
    const taken: TakenStock = { sessionId, turnId, folder, takenAt, isCut, files: stocked };
    // From here on the command can be taken back even if it is cut off together with the host.
    await writeWhole(openPath(folder), await toLines(taken));
    return taken;
  }

  /** Begins anew where there is nothing yet, too much, or no longer what was written. */
  async #begin(): Promise<void> {
    const isUsable = this.#folder !== "" && this.#pack.bytes < MOST.packBytes && (await this.#pack.isWhole());
    if (!isUsable) {
      if (this.#folder !== "") await rm(this.#folder, { recursive: true, force: true });
      await removeOld(this.root);
      this.#folder = join(this.root, randomUUID());
      this.#pack = new ContentPack(packPath(this.#folder));
      this.#known.clear();
    }
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
  }

  /** Keeps contents, those first that were changed last: they are what is worked on. */
  async #fill(seen: readonly StockedFile[], signal: AbortSignal): Promise<StockedFile[]> {
    const wanted = wantedOf(seen);
    const places = new Map<StockedFile, PackPlace>();
    const unread: StockedFile[] = [];
    for (const file of wanted) {
      const known = this.#known.get(file.absolute);
      if (known?.place && !known.isFresh && isSame(known, file)) places.set(file, known.place);
      else unread.push(file);
    }
    await setImmediate();
    const failure = await this.#read(unread, places, signal);
    return seen.map((file) => {
      const place = places.get(file);
      if (place) return { ...file, place };
      if (file.size > MOST.fileBytes) return { ...file, reason: "too large" };
      return { ...file, reason: wanted.has(file) ? failure : "more than is kept before a command" };
    });
  }

  /** Adds the contents of files to the pack; resolves with why some are not there. */
  async #read(
    files: readonly StockedFile[],
    places: Map<StockedFile, PackPlace>,
    signal: AbortSignal,
  ): Promise<string> {
    try {
      for (let from = 0; from < files.length; from += READ_BATCH) {
        signal.throwIfAborted();
        const batch = files.slice(from, from + READ_BATCH);
        const read = await Promise.all(
          batch.map((file) =>
            readFile(file.absolute).then(
              (bytes) => ({ file, bytes }),
              () => undefined,
            ),
          ),
        );
        const there = read.filter((each) => each !== undefined);
        const added = await this.#pack.add(there.map(({ bytes }) => bytes));
        for (const [index, place] of added.entries()) {
          const file = there[index]?.file;
          if (file) places.set(file, place);
        }
      }
      if (files.length > 0) await this.#pack.sync();
      return "it could not be read";
    } catch (error) {
      signal.throwIfAborted();
      return describeError(error);
    }
  }
}

/** Files that are read, and looked at, at the same time. */
const READ_BATCH = 32;
const LOOK_BATCH = 256;

async function lookAt(files: readonly TouchedFile[], signal: AbortSignal): Promise<readonly StockedFile[]> {
  const seen: StockedFile[] = [];
  for (let from = 0; from < files.length; from += LOOK_BATCH) {
    signal.throwIfAborted();
    const batch = await Promise.all(files.slice(from, from + LOOK_BATCH).map(look));
    seen.push(...batch.filter((file) => file !== undefined));
  }
  return seen;
}

function wantedOf(seen: readonly StockedFile[]): ReadonlySet<StockedFile> {
  const wanted = new Set<StockedFile>();
  let bytes = 0;
  for (const file of [...seen].sort((one, other) => other.mtimeMs - one.mtimeMs)) {
    if (file.size > MOST.fileBytes || wanted.size >= MOST.files || bytes + file.size > MOST.bytes) continue;
    bytes += file.size;
    wanted.add(file);
  }
  return wanted;
}

/** Whether the times say that a file is as it was. */
export function isSame(one: StockedFile, other: StockedFile): boolean {
  return (
    one.size === other.size &&
    one.mtimeMs === other.mtimeMs &&
    one.ctimeMs === other.ctimeMs &&
    one.ino === other.ino
  );
}

/** A file as it is now; undefined when there is none. */
export async function look({ absolute, shown }: TouchedFile): Promise<StockedFile | undefined> {
  try {
    const stats = await lstat(absolute);
    const { size, mtimeMs, ctimeMs, ino, mode } = stats;
    if (!stats.isFile()) return undefined;
    const isFresh = Date.now() - mtimeMs < FRESH_MS;
    return { absolute, shown, size, mtimeMs, ctimeMs, ino, mode: mode & 0o7777, isFresh };
  } catch {
    return undefined;
  }
}

/** The stocks of a session that were taken before a command of which nobody saw the end. */
export async function leftStocks(root: string, sessionId: string): Promise<readonly TakenStock[]> {
  const names = await readdir(root).catch((): string[] => []);
  const stocks = await Promise.all(names.map((name) => readOpen(join(root, name))));
  return stocks.filter((stock) => stock?.sessionId === sessionId).filter((stock) => stock !== undefined);
}

/** Notes that the end of the command was seen. */
export async function removeOpen({ folder }: TakenStock): Promise<void> {
  await rm(openPath(folder), { force: true });
}

/** Where the contents of a stock are. */
export function packPath(folder: string): string {
  return join(folder, "contents");
}

function openPath(folder: string): string {
  return join(folder, "open.json");
}

/** A line for the stock and one for each file, made in steps: of 20,000 files it would keep the host from everything else. */
async function toLines({ files, ...stock }: TakenStock): Promise<Buffer> {
  const parts = [Buffer.from(`${JSON.stringify({ v: 1, ...stock })}\n`)];
  for (let from = 0; from < files.length; from += LINES_AT_ONCE) {
    await setImmediate();
    const lines = files.slice(from, from + LINES_AT_ONCE).map((file) => `${JSON.stringify(file)}\n`);
    parts.push(Buffer.from(lines.join("")));
  }
  return Buffer.concat(parts);
}

const LINES_AT_ONCE = 2_000;

async function readOpen(folder: string): Promise<TakenStock | undefined> {
  try {
    const [first = "", ...lines] = (await readFile(openPath(folder), "utf8")).trimEnd().split("\n");
    const stock: unknown = JSON.parse(first);
    const files = lines.map((line): unknown => JSON.parse(line));
    return isStock(stock) && files.every(isStockedFile) ? { ...stock, folder, files } : undefined;
  } catch {
    return undefined;
  }
}

function isStock(value: unknown): value is Omit<TakenStock, "files" | "folder"> {
  const isVersion = (v: unknown) => v === 1;
  return hasFields(value, { v: isVersion, sessionId: text, turnId: text, takenAt: count, isCut: flag });
}

function isStockedFile(value: unknown): value is StockedFile {
  const times = { size: count, mtimeMs: count, ctimeMs: count, ino: count, mode: count };
  const place = optional((each) => hasFields(each, { at: count, length: count }));
  return hasFields(value, {
    absolute: text,
    shown: text,
    ...times,
    isFresh: flag,
    place,
    reason: optional(text),
  });
}

/** Removes what windows left that have ended; one that still runs notices and begins anew. */
async function removeOld(root: string): Promise<void> {
  const names = await readdir(root).catch((): string[] => []);
  const stocks = await Promise.all(names.map((name) => stockAt(join(root, name))));
  stocks.sort((one, other) => other.usedAt - one.usedAt);
  const isKept = ({ usedAt, isOpen }: (typeof stocks)[number], index: number) =>
    isOpen ? Date.now() - usedAt < OLDEST_MS : index < MOST.others;
  const old = stocks.filter((stock, index) => !isKept(stock, index));
  for (const { folder } of old) await rm(folder, { recursive: true, force: true });
}

async function stockAt(folder: string) {
  const [pack, open] = await Promise.all(
    [packPath(folder), openPath(folder)].map((path) => stat(path).catch(() => undefined)),
  );
  return { folder, isOpen: open !== undefined, usedAt: Math.max(pack?.mtimeMs ?? 0, open?.mtimeMs ?? 0) };
}
