import type { FilesKept, KeptBefore, LogEvent, TurnRestored } from "../../shared/events";
import type { KeptTurn } from "../../shared/sessionView";
import type { SessionView } from "../../shared/view";
import type { Journal } from "../log/journal";
import type { TouchedFile } from "../tools/tool";

/** Under which contents are kept: the message that began a turn, of one session. */
export interface CheckpointPlace {
  readonly sessionId: string;
  readonly turnId: string;
}

/** Keeps what files held before a turn changed them, outside of the workspace and over restarts. Its functions never reject. */
export interface Checkpoints {
  /** Keeps a file as it is now, unless the place has it already. When it resolves, the content survives a crash. */
  keep(place: CheckpointPlace, file: TouchedFile): Promise<KeptBefore>;
  /**
   * Notes that what a kept file holds now is not the person's doing, unless they saved it while a command ran; true when that
   * differs from what was kept, if anything was.
   */
  noteWritten(place: CheckpointPlace, file: TouchedFile, isByCommand?: boolean): Promise<boolean | undefined>;
  /** Keeps what files hold that a command may change without naming them; undefined when that was stopped or is not possible. */
  takeStock?(place: CheckpointPlace, signal: AbortSignal): Promise<CommandStock | undefined>;
  /** The stocks before commands of a session that were cut off together with Loom. */
  leftStocks?(sessionId: string): Promise<readonly CommandStock[]>;
}

/** The files as they were before a command. */
export interface CommandStock {
  readonly turnId: string;
  /** What changed since; the former contents are then kept with the turn. */
  changes(): Promise<Pick<FilesKept, "files" | "more" | "isCut">>;
  /** To be called when the log has the changes: the stock is not needed any more. */
  done(): Promise<void>;
}

/** What the log says of the files of a turn, by path. */
export function stagesOf(
  events: readonly LogEvent[],
  turnId: string,
): ReadonlyMap<string, "expected" | "unchanged" | "changed"> {
  const stages = new Map<string, "expected" | "unchanged" | "changed">();
  for (const event of events) {
    if (event.type !== "files_kept" || event.turnId !== turnId) continue;
    for (const { path } of event.files) stages.set(path, event.stage ?? "changed");
  }
  return stages;
}

/** The message that began the turn which runs, or else the last one. */
export function currentTurn(events: readonly LogEvent[]): string | undefined {
  return events.findLast(({ type }) => type === "user_message")?.id;
}

/** What is kept of a turn that has ended, without `turnId` of the newest that changed files. */
export function keptTurn({ entries }: SessionView, turnId?: string): KeptTurn | undefined {
  const end = entries.findLast(
    (entry) =>
      entry.kind === "turn_ended" &&
      entry.kept !== undefined &&
      (turnId === undefined || entry.kept.turnId === turnId),
  );
  return end?.kind === "turn_ended" ? end.kept : undefined;
}

/** The turns from `turnId` on, and the restorations since, oldest first: what Loom wrote in any of them is not the person's doing. */
export function turnsFrom(events: readonly LogEvent[], turnId: string): readonly string[] {
  const start = events.findIndex((event) => isStartOf(event, turnId));
  return events.slice(Math.max(0, start)).flatMap((event) => {
    if (event.type === "user_message") return [event.id];
    return event.type === "turn_restored" ? [event.undoId] : [];
  });
}

function isStartOf(event: LogEvent, turnId: string): boolean {
  return event.id === turnId || (event.type === "turn_restored" && event.undoId === turnId);
}

/** Notes that the person took file changes of a turn back, and tells the model, which else would go on from what it wrote. */
export function noteRestored(journal: Journal, restored: Omit<TurnRestored, "type">): void {
  journal.append({ type: "turn_restored", ...restored });
  const files = restored.files.map(({ path, how }) => `${path} (${how})`).join(", ");
  journal.append({
    type: "model_note",
    text: `The user took changes of files back. These are not as you saw them last: ${files}. Read them again before you go on.`,
  });
}
