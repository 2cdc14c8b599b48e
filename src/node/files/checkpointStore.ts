import { createHash } from "node:crypto";
import { mkdir, readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { count, flag, hasFields, oneOf, optional, text } from "../../core/log/fields";
import type { TouchedFile } from "../../core/tools/tool";
import type { CheckpointPlace, Checkpoints, CommandStock } from "../../core/turn/checkpoints";
import type { KeptBefore } from "../../shared/events";
import { prune, STOCKS } from "./checkpointPruning";
import { diskFiles, textOf, type KeptContent, type KeptFiles } from "./keptFiles";
import { leftStocks, removeOpen, Stock, type ListFiles, type TakenStock } from "./stock";
import { changesSince, type StockChange } from "./stockChanges";
import { describeError } from "./textFile";
import { writeWhole } from "./wholeFile";

/** Larger files are not kept, in bytes. */
const MOST_FILE_BYTES = 10 * 1024 * 1024;
/** Changes of one command that are noted one by one; more are counted. */
const MOST_CHANGES = 2_000;

/** A file as it was before a turn. */
export interface KeptFile {
  readonly absolute: string;
  readonly shown: string;
  /** Undefined when there was no such file. */
  readonly before: KeptContent | undefined;
  /** What it held after the last change that was not the person's; undefined when that is unknown or it was gone. */
  readonly written: Buffer | undefined;
  /** True when the person changed it between two changes of the turn. */
  readonly isMixed: boolean;
}

interface Entry {
  readonly v: 1;
  readonly absolute: string;
  readonly shown: string;
  readonly was: "file" | "missing";
  readonly mode: number;
  readonly unsaved?: string;
  readonly isMixed?: boolean;
}

export interface CheckpointOptions {
  /** Where the files are; on this machine's disk when absent. */
  readonly files?: KeptFiles;
  /** Lists the files that a command may change; without it only files that it names are kept. */
  readonly list?: ListFiles;
  /** Whether the person has saved a file since a time, in milliseconds since 1970. */
  readonly savedSince?: (absolute: string, time: number) => boolean;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/**
 * Contents in a folder of their own: for each file of a turn its bytes, and an entry that is written last, so that an entry which is
 * there is whole. Old turns are removed, those that are too many as well.
 */
export class CheckpointStore implements Checkpoints {
  readonly files: KeptFiles;
  readonly #stock: Stock | undefined;
  /** When the files that a command names were kept, in milliseconds since 1970, by the path of the entry. */
  readonly #keptAt = new Map<string, number>();
  /** The turn for which old ones were removed last. */
  #prunedFor: string | undefined;

  constructor(
    private readonly folder: string,
    private readonly options: CheckpointOptions = {},
  ) {
    this.files = options.files ?? diskFiles();
    this.#stock = options.list && new Stock(this.#stocks, options.list);
  }

  async keep(place: CheckpointPlace, file: TouchedFile): Promise<KeptBefore> {
    const path = file.shown;
    try {
      const entryPath = this.#pathOf(place, file.absolute);
      this.#keptAt.set(entryPath, this.#now());
      const known = await readEntry(entryPath);
      if (known) {
        const now = await this.files.contentOf(file.absolute, MOST_FILE_BYTES);
        if (typeof now !== "string") await this.#noteMixed(place, known, now && textOf(now));
        return { path, was: known.was };
      }
      await this.#prune(place);
      const before = await this.files.contentOf(file.absolute, MOST_FILE_BYTES);
      if (typeof before === "string") return { path, was: "not_kept", reason: before };
      return { path, was: await this.#put(place, file, before) };
    } catch (error) {
      return { path, was: "not_kept", reason: describeError(error) };
    }
  }

  async noteWritten(
    place: CheckpointPlace,
    { absolute }: TouchedFile,
    isByCommand = false,
  ): Promise<boolean | undefined> {
    try {
      const path = this.#pathOf(place, absolute);
      const since = (isByCommand ? this.#keptAt.get(path) : undefined) ?? Infinity;
      this.#keptAt.delete(path);
      const entry = await readEntry(path);
      if (!entry) return undefined;
      const now = await this.files.contentOf(absolute, MOST_FILE_BYTES);
      if (typeof now === "string") return true;
      const isTheirs = this.options.savedSince?.(absolute, since) === true;
      if (now && !isTheirs) await writeWhole(`${path}.after`, Buffer.from(textOf(now), "utf8"));
      if (entry.was === "missing" || !now) return (entry.was === "file") !== (now !== undefined);
      const before = await readFile(`${path}.before`);
      return !now.bytes.equals(before) || now.unsaved !== entry.unsaved;
    } catch {
      return true;
    }
  }

  async takeStock(place: CheckpointPlace, signal: AbortSignal): Promise<CommandStock | undefined> {
    try {
      await this.#prune(place);
      const taken = await this.#stock?.take(place, signal);
      return taken && this.#commandStock(taken);
    } catch {
      // Stopped, or there is no room: the files that the command names are kept all the same.
      return undefined;
    }
  }

  async leftStocks(sessionId: string): Promise<readonly CommandStock[]> {
    const left = await leftStocks(this.#stocks, sessionId).catch(() => []);
    return left.map((taken) => this.#commandStock(taken, true));
  }

  /** Everything that is kept of a turn; what cannot be read is left out. */
  async read({ sessionId, turnId }: CheckpointPlace): Promise<readonly KeptFile[]> {
    const folder = join(this.folder, safe(sessionId), safe(turnId));
    const names = await readdir(folder).catch((): string[] => []);
    const files: KeptFile[] = [];
    for (const name of names.filter((each) => each.endsWith(".json")).sort()) {
      const path = join(folder, name.slice(0, -".json".length));
      const entry = await readEntry(path);
      const bytes = await readFile(`${path}.before`).catch(() => undefined);
      if (!entry || (entry.was === "file" && !bytes)) continue;
      const { absolute, shown, mode, unsaved, isMixed = false } = entry;
      const before = bytes && { bytes, mode, ...(unsaved === undefined ? {} : { unsaved }) };
      const written = await readFile(`${path}.after`).catch(() => undefined);
      files.push({ absolute, shown, before: entry.was === "file" ? before : undefined, written, isMixed });
    }
    return files;
  }

  #commandStock(taken: TakenStock, isCutOff = false): CommandStock {
    return {
      turnId: taken.turnId,
      changes: () => this.#changesSince(taken, isCutOff),
      done: () => removeOpen(taken).catch(() => undefined),
    };
  }

  /** Notes what became of the files since; of what was cut off nobody knows whose doing it is. */
  async #changesSince(taken: TakenStock, isCutOff: boolean): ReturnType<CommandStock["changes"]> {
    const files: KeptBefore[] = [];
    let more = 0;
    try {
      for await (const changes of changesSince(taken, this.options.list ?? NO_FILES)) {
        const noted = changes.slice(0, MOST_CHANGES - files.length);
        more += changes.length - noted.length;
        files.push(...(await Promise.all(noted.map((change) => this.#note(taken, change, isCutOff)))));
      }
    } catch {
      // What was noted until then can be restored.
    }
    return { files, ...(more > 0 && { more }), ...(taken.isCut && { isCut: true }) };
  }

  async #note(taken: TakenStock, change: StockChange, isCutOff: boolean): Promise<KeptBefore> {
    const { absolute, shown, was, before, reason, now } = change;
    try {
      const path = this.#pathOf(taken, absolute);
      const known = await readEntry(path);
      if (!known && reason !== undefined) return { path: shown, was: "not_kept", reason };
      // A command may make thousands of files, and of those there is no content that could be lost.
      if (!known) await this.#put(taken, change, before, before !== undefined);
      else if (reason === undefined) await this.#noteMixed(taken, known, before && textOf(before));
      const isTheirs = isCutOff || this.options.savedSince?.(absolute, taken.takenAt) === true;
      if (now && !isTheirs) {
        // Without it the file is asked about, no more.
        const written = Buffer.from(textOf({ bytes: now, mode: 0 }), "utf8");
        await writeWhole(`${path}.after`, written, { isSynced: false });
      }
      return { path: shown, was: known?.was ?? was };
    } catch (error) {
      return { path: shown, was: "not_kept", reason: describeError(error) };
    }
  }

  /** Notes when a file is not as the last change of the turn left it: somebody else changed it, and must be asked. */
  async #noteMixed(place: CheckpointPlace, entry: Entry, now: string | undefined): Promise<void> {
    if (entry.isMixed || now === undefined) return;
    const path = this.#pathOf(place, entry.absolute);
    const written = await readFile(`${path}.after`, "utf8").catch(() => undefined);
    const bytes = await readFile(`${path}.before`).catch(() => undefined);
    if (now === (written ?? entry.unsaved ?? (bytes && textOf({ bytes, mode: 0 })))) return;
    await writeWhole(`${path}.json`, Buffer.from(JSON.stringify({ ...entry, isMixed: true })));
  }

  /** Writes what a file held, the entry last. */
  async #put(
    place: CheckpointPlace,
    { absolute, shown }: TouchedFile,
    before: KeptContent | undefined,
    isSynced = true,
  ): Promise<Entry["was"]> {
    const path = this.#pathOf(place, absolute);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    if (before) await writeWhole(`${path}.before`, before.bytes);
    const was = before ? "file" : "missing";
    const unsaved = before?.unsaved === undefined ? {} : { unsaved: before.unsaved };
    const entry: Entry = { v: 1, absolute, shown, was, mode: before?.mode ?? 0, ...unsaved };
    await writeWhole(`${path}.json`, Buffer.from(JSON.stringify(entry)), { isSynced });
    return was;
  }

  #now(): number {
    return this.options.now?.() ?? Date.now();
  }

  get #stocks(): string {
    return join(this.folder, STOCKS);
  }

  #pathOf({ sessionId, turnId }: CheckpointPlace, absolute: string): string {
    const name = createHash("sha256").update(absolute).digest("hex").slice(0, 32);
    return join(this.folder, safe(sessionId), safe(turnId), name);
  }

  async #prune({ turnId }: CheckpointPlace): Promise<void> {
    if (this.#prunedFor === turnId) return;
    this.#prunedFor = turnId;
    await prune(this.folder, turnId, this.#now()).catch(() => undefined);
  }
}

const NO_FILES: ListFiles = () => Promise.resolve({ files: [], isCut: true });

/** An id as the name of a folder; ids come from a log that may be damaged. */
function safe(id: string): string {
  return /^[\w-]+(\.[\w-]+)*$/.test(id) ? id : createHash("sha256").update(id).digest("hex");
}

async function readEntry(path: string): Promise<Entry | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(`${path}.json`, "utf8"));
    return isEntry(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** False for an entry of another version, too. */
function isEntry(value: unknown): value is Entry {
  const fields = { absolute: text, shown: text, was: oneOf("file", "missing"), mode: count };
  return hasFields(value, { v: (v) => v === 1, ...fields, unsaved: optional(text), isMixed: optional(flag) });
}
