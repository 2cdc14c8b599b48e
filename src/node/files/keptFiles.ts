import { mkdir, readFile, rm, stat } from "node:fs/promises";
import { dirname, isAbsolute } from "node:path";
import { toLineFeeds } from "./lineEnds";
import { realPathOf } from "./realPath";
import { decodeText } from "./textEncoding";
import { writeWhole } from "./wholeFile";

/** What a file holds. */
export interface KeptContent {
  readonly bytes: Buffer;
  readonly mode: number;
  /** What the editor held beyond that, when it had unsaved typing; LF line ends. */
  readonly unsaved?: string;
}

/** The files that are kept and brought back, wherever they are. */
export interface KeptFiles {
  /** The file's content, undefined when there is none, or why it cannot be had. Larger ones than `most` (bytes) are too large. */
  contentOf(absolute: string, most?: number): Promise<KeptContent | string | undefined>;
  /** Puts the file in place in one step where that is possible, with the folders that it needs. */
  write(absolute: string, content: KeptContent): Promise<void>;
  remove(absolute: string): Promise<void>;
}

/** The files on this machine's disk. `unsavedText` gives the text (LF line ends) of one that is open with unsaved changes. */
export function diskFiles(
  unsavedText: (absolute: string) => string | undefined = () => undefined,
): KeptFiles {
  return {
    async contentOf(absolute, most = Infinity) {
      if (!isAbsolute(absolute)) return "not on this machine's disk";
      const real = await realPathOf(absolute);
      if (real.absolute !== absolute) return "its path leads elsewhere by now";
      if (real.kind === "missing") return undefined;
      if (real.kind !== "file") return "not a regular file";
      const { size, mode } = await stat(absolute);
      if (size > most) return "too large";
      const unsaved = unsavedText(absolute);
      const bytes = await readFile(absolute);
      return { bytes, mode: mode & 0o7777, ...(unsaved !== undefined && { unsaved }) };
    },
    async write(absolute, { bytes, mode }) {
      await mkdir(dirname(absolute), { recursive: true });
      await writeWhole(absolute, bytes, { mode });
    },
    remove: (absolute) => rm(absolute),
  };
}

/** The text of a content as the tools see it, with LF line ends; for what is no text something that is as different. */
export function textOf(content: KeptContent): string {
  if (content.unsaved !== undefined) return content.unsaved;
  const decoded = decodeText(content.bytes);
  return "raw" in decoded ? toLineFeeds(decoded.raw) : content.bytes.toString("base64");
}
