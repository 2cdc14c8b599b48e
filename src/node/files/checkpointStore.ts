import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, stat } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";
import * as z from "zod/mini";
import type { TouchedFile } from "../../core/tools/tool";
import type { CheckpointPlace, Checkpoints } from "../../core/turn/checkpoints";
import type { KeptBefore } from "../../shared/events";
import { prune } from "./checkpointPruning";
import { toLineFeeds } from "./lineEnds";
import { realPathOf } from "./realPath";
import { decodeText } from "./textEncoding";
import { describeError } from "./textFile";
import { writeWhole } from "./wholeFile";

/** Larger files are not kept, in bytes. */
const MOST_FILE_BYTES = 10 * 1024 * 1024;

/** A file as it was before a turn. */
export interface KeptFile {
  readonly absolute: string;
  readonly shown: string;
  /** Undefined when there was no such file. */
  readonly before: KeptContent | undefined;
  /** What it held after the last change that was not the person's; undefined when that is unknown or it was gone. */
  readonly written: Buffer | undefined;
}

export interface KeptContent {
  readonly bytes: Buffer;
  readonly mode: number;
  /** What the editor held beyond that, when it had unsaved typing; LF line ends. */
  readonly unsaved?: string;
}

const Entry = z.object({
  v: z.literal(1),
  absolute: z.string(),
  shown: z.string(),
  was: z.enum(["file", "missing"]),
  mode: z.number(),
  unsaved: z.optional(z.string()),
});

export interface CheckpointOptions {
  /** The text (LF line ends) of a file that is open with unsaved changes. */
  readonly unsavedText?: (absolute: string) => string | undefined;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/**
 * Contents in a folder of their own: for each file of a turn its bytes, and an entry that is written last, so that an entry which is
 * there is whole. Old turns are removed, those that are too many as well.
 */
export class CheckpointStore implements Checkpoints {
  /** The turn for which old ones were removed last. */
  #prunedFor: string | undefined;

  constructor(
    private readonly folder: string,
    private readonly options: CheckpointOptions = {},
  ) {}

  async keep(place: CheckpointPlace, { absolute, shown }: TouchedFile): Promise<KeptBefore> {
    try {
      const path = this.#pathOf(place, absolute);
      const known = await readEntry(path);
      if (known) return { path: shown, was: known.was };
      await this.#prune(place);
      const before = await this.#contentOf(absolute);
      if (typeof before === "string") return { path: shown, was: "not_kept", reason: before };
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      if (before) await writeWhole(`${path}.before`, before.bytes);
      const was = before ? "file" : "missing";
      const unsaved = before?.unsaved === undefined ? {} : { unsaved: before.unsaved };
      const entry: z.infer<typeof Entry> = {
        v: 1,
        absolute,
        shown,
        was,
        mode: before?.mode ?? 0,
        ...unsaved,
      };
      await writeWhole(`${path}.json`, Buffer.from(JSON.stringify(entry)));
      return { path: shown, was };
    } catch (error) {
      return { path: shown, was: "not_kept", reason: describeError(error) };
    }
  }

  async noteWritten(place: CheckpointPlace, { absolute }: TouchedFile): Promise<boolean> {
    try {
      const path = this.#pathOf(place, absolute);
      const entry = await readEntry(path);
      if (!entry) return false;
      const now = await this.#contentOf(absolute);
      if (typeof now === "string") return true;
      if (now) await writeWhole(`${path}.after`, Buffer.from(textOf(now), "utf8"));
      if (entry.was === "missing" || !now) return (entry.was === "file") !== (now !== undefined);
      const before = await readFile(`${path}.before`);
      return !now.bytes.equals(before) || now.unsaved !== entry.unsaved;
    } catch {
      return true;
    }
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
      const { absolute, shown, mode, unsaved } = entry;
      const before = bytes && { bytes, mode, ...(unsaved === undefined ? {} : { unsaved }) };
      const written = await readFile(`${path}.after`).catch(() => undefined);
      files.push({ absolute, shown, before: entry.was === "file" ? before : undefined, written });
    }
    return files;
  }

  /** The file's content, undefined when there is none, or why it is not kept. */
  async #contentOf(absolute: string): Promise<KeptContent | string | undefined> {
    if (!isAbsolute(absolute)) return "not on this machine's disk";
    const real = await realPathOf(absolute);
    if (real.absolute !== absolute) return "its path leads elsewhere by now";
    if (real.kind === "missing") return undefined;
    if (real.kind !== "file") return "not a regular file";
    const { size, mode } = await stat(absolute);
    if (size > MOST_FILE_BYTES) return "too large";
    const unsaved = this.options.unsavedText?.(absolute);
    return {
      bytes: await readFile(absolute),
      mode: mode & 0o7777,
      ...(unsaved !== undefined && { unsaved }),
    };
  }

  #pathOf({ sessionId, turnId }: CheckpointPlace, absolute: string): string {
    const name = createHash("sha256").update(absolute).digest("hex").slice(0, 32);
    return join(this.folder, safe(sessionId), safe(turnId), name);
  }

  async #prune({ turnId }: CheckpointPlace): Promise<void> {
    if (this.#prunedFor === turnId) return;
    this.#prunedFor = turnId;
    await prune(this.folder, turnId, this.options.now?.() ?? Date.now()).catch(() => undefined);
  }
}

/** The text of a content as the tools see it, with LF line ends; empty for what is no text. */
export function textOf(content: KeptContent): string {
  if (content.unsaved !== undefined) return content.unsaved;
  const decoded = decodeText(content.bytes);
  return "raw" in decoded ? toLineFeeds(decoded.raw) : content.bytes.toString("base64");
}

/** An id as the name of a folder; ids come from a log that may be damaged. */
function safe(id: string): string {
  return /^[\w-]+(\.[\w-]+)*$/.test(id) ? id : createHash("sha256").update(id).digest("hex");
}

async function readEntry(path: string): Promise<z.infer<typeof Entry> | undefined> {
  try {
    return z.parse(Entry, JSON.parse(await readFile(`${path}.json`, "utf8")));
  } catch {
    // There is none, or it is of another version.
    return undefined;
  }
}
