import { copyFile, readFile, rename, rm, writeFile } from "node:fs/promises";
import { parseStoredLine } from "../../core/log/storedEvent";
import type { LogEvent } from "../../shared/events";

/** What a session's file holds. */
export interface SessionFile {
  /** In the order of the file; events of other versions are left out here but stay in the file. */
  readonly events: readonly LogEvent[];
  /** The lines that could be read, as they are in the file. */
  readonly lines: readonly string[];
  /** How many lines could not be read. */
  readonly damagedLines: number;
  readonly endsWithNewline: boolean;
}

/** Reads one event a line, each once; a line that is cut or damaged is counted and does not hide the others. */
export async function readSessionFile(path: string): Promise<SessionFile> {
  const text = await readFile(path, "utf8");
  const events: LogEvent[] = [];
  const lines: string[] = [];
  const ids = new Set<string>();
  let damagedLines = 0;
  for (const line of text.split("\n")) {
    if (line.trim() === "") continue;
    const event = parseStoredLine(line);
    if (event === undefined) {
      damagedLines++;
      continue;
    }
    lines.push(line);
    // A line that was written but not confirmed is written again.
    if (event.type === "unknown" || ids.has(event.id)) continue;
    ids.add(event.id);
    events.push(event);
  }
  return { events, lines, damagedLines, endsWithNewline: text === "" || text.endsWith("\n") };
}

/** Keeps the damaged file aside and leaves its readable lines at `path`; returns where it is kept. */
export async function setDamagedAside(path: string, file: SessionFile): Promise<string> {
  const aside = `${path}.${new Date().toISOString().replace(/[:.]/g, "-")}.damaged`;
  await copyFile(path, aside);
  if (!hasMessages(file.events)) {
    await rm(path, { force: true });
    return aside;
  }
  const whole = `${path}.new`;
  await writeFile(whole, file.lines.map((line) => `${line}\n`).join(""), { mode: 0o600 });
  await rename(whole, path);
  return aside;
}

/** True once the person has said something: only then is a session worth a place in the list. */
export function hasMessages(events: readonly LogEvent[]): boolean {
  return events.some((event) => event.type === "user_message");
}
