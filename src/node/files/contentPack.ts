import { createHash } from "node:crypto";
import { mkdir, open, stat, type FileHandle } from "node:fs/promises";
import { dirname } from "node:path";

/** Where a content lies in a pack, in bytes. */
export interface PackPlace {
  readonly at: number;
  readonly length: number;
}

/** Many contents in one file that only grows, each content once: thousands of small files would take seconds to write. */
export class ContentPack {
  readonly #places = new Map<string, PackPlace>();
  #bytes = 0;

  constructor(readonly path: string) {}

  /** How large the file is. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether the file is still what was written here. */
  async isWhole(): Promise<boolean> {
    return ((await stat(this.path).catch(() => undefined))?.size ?? 0) === this.#bytes;
  }

  /** Adds contents and gives their places; what was added is on the disk after `sync`. */
  async add(contents: readonly Buffer[]): Promise<readonly PackPlace[]> {
    const fresh: Buffer[] = [];
    let end = this.#bytes;
    const places = contents.map((bytes) => {
      const hash = createHash("sha256").update(bytes).digest("base64");
      const known = this.#places.get(hash);
      if (known) return known;
      const place = { at: end, length: bytes.length };
      this.#places.set(hash, place);
      fresh.push(bytes);
      end += bytes.length;
      return place;
    });
    await this.#withFile((file) => file.appendFile(Buffer.concat(fresh)));
    this.#bytes = end;
    return places;
  }

  async sync(): Promise<void> {
    await this.#withFile((file) => file.datasync());
  }

  async #withFile(work: (file: FileHandle) => Promise<void>): Promise<void> {
    await mkdir(dirname(this.path), { recursive: true, mode: 0o700 });
    const file = await open(this.path, "a", 0o600);
    await work(file).finally(() => file.close());
  }
}

/** The content at a place of the pack at `path`; undefined when it is not there any more. */
export async function readPacked(path: string, { at, length }: PackPlace): Promise<Buffer | undefined> {
  try {
    const file = await open(path);
    const { bytesRead, buffer } = await file
      .read(Buffer.alloc(length), 0, length, at)
      .finally(() => file.close());
    return bytesRead === length ? buffer : undefined;
  } catch {
    return undefined;
  }
}
