import { unwatchFile, watchFile } from "node:fs";

/** How often a file is looked at while somebody listens, in milliseconds. */
const INTERVAL_MS = 300;

/**
 * Calls back when a file on disk changed, came or went, until the returned function is called. It looks instead of being told, which
 * works for a file that does not exist yet and on every kind of disk.
 */
export function onFileChange(absolute: string, listener: () => void): () => void {
  const look = (): void => listener();
  watchFile(absolute, { interval: INTERVAL_MS, persistent: false }, look);
  return () => unwatchFile(absolute, look);
}
