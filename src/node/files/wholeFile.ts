import { randomBytes } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** A path for a file's next content, beside it and with a part of its name; short enough for every file system, whatever the letters take. */
export function temporaryBeside(path: string): string {
  return join(dirname(path), `.${basename(path).slice(0, 50)}.${randomBytes(6).toString("hex")}.tmp`);
}

/**
 * Puts a file in place in one step and onto the disk: at any moment there is the old content or the new one, never a part. What is not
 * synced is much quicker and may be empty after a power cut.
 */
export async function writeWhole(
  path: string,
  bytes: Uint8Array,
  { mode = 0o600, isSynced = true }: { readonly mode?: number; readonly isSynced?: boolean } = {},
): Promise<void> {
  const temporary = temporaryBeside(path);
  try {
    const file = await open(temporary, "wx", 0o600);
    try {
      await file.writeFile(bytes);
      await file.chmod(mode);
      if (isSynced) await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
}
