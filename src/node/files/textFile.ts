import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { open, realpath } from "node:fs/promises";
import type { NotText, TextFile } from "../../core/ports";
import { toLineFeeds } from "./lineEnds";
import { decodeText } from "./textEncoding";
import type { DecodedText } from "./textEncoding";

/** Larger files are not read, in bytes. */
export const MOST_TEXT_BYTES = 20 * 1024 * 1024;

/** A text file as it is on disk. */
export interface StoredText extends DecodedText {
  readonly mode: number;
  readonly owner: { readonly user: number; readonly group: number };
}

/** The hash by which a changed text is noticed; of the text with LF line ends. */
export function hashText(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("hex").slice(0, 16);
}

/** Reads the text of a file on disk for the tools. */
export async function readTextFile(absolute: string): Promise<TextFile | NotText> {
  const stored = await readStored(absolute);
  if ("reason" in stored) return stored;
  const text = toLineFeeds(stored.raw);
  const isUtf8 = stored.encoding.startsWith("utf-8");
  return {
    text,
    hash: hashText(text),
    hasUnsavedChanges: false,
    ...(isUtf8 ? {} : { encoding: stored.encoding }),
  };
}

/**
 * Reads a file that `absolute` (a real path) names itself: never through a link, also not one that took its place since it
 * was resolved, and never from a pipe or a device.
 */
export async function readStored(absolute: string): Promise<StoredText | NotText> {
  const flags = constants.O_RDONLY | noFollow() | (constants.O_NONBLOCK ?? 0);
  try {
    const file = await open(absolute, flags);
    try {
      const stats = await file.stat();
      const about = { bytes: stats.size };
      if (!stats.isFile()) return { reason: "unreadable", description: "not a regular file", ...about };
      if ((await realpath(absolute)) !== absolute) {
        return { reason: "unreadable", description: "its path leads elsewhere by now", ...about };
      }
      if (stats.size > MOST_TEXT_BYTES) return { reason: "too_large", description: "too large", ...about };
      const bytes = await file.readFile();
      const decoded = decodeText(bytes);
      if ("binary" in decoded) {
        return { reason: "binary", description: decoded.binary, bytes: bytes.length };
      }
      return { ...decoded, mode: stats.mode, owner: { user: stats.uid, group: stats.gid } };
    } finally {
      await file.close();
    }
  } catch (error) {
    return { reason: "unreadable", description: describeError(error), bytes: 0 };
  }
}

/** Windows has no such flag. */
function noFollow(): number {
  return constants.O_NOFOLLOW ?? 0;
}

/** What went wrong with a file, in words. */
export function describeError(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const words: Readonly<Record<string, string>> = {
    EACCES: "no permission",
    EPERM: "no permission",
    ENOENT: "it does not exist",
    ENOTDIR: "a part of its path is a file",
    EISDIR: "it is a folder",
    EEXIST: "it exists by now",
    ELOOP: "it is a link",
    ENOSPC: "the disk is full",
    EROFS: "the disk is read-only",
    ENAMETOOLONG: "the name is too long",
  };
  return words[code] ?? (error instanceof Error ? error.message : String(error));
}
