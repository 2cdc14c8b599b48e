import { mkdir, readFile, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { Workspace } from "../../core/ports";
import { turnsFrom } from "../../core/turn/checkpoints";
import type { LogEvent, RestoredFile } from "../../shared/events";
import { textOf, type CheckpointStore, type KeptContent, type KeptFile } from "./checkpointStore";
import { realPathOf } from "./realPath";
import { describeError } from "./textFile";
import { restoreStep, type RestoreStep } from "./turnRestore";
import { writeWhole } from "./wholeFile";

/** What is needed to bring files back. */
export interface RestoreParts {
  readonly store: CheckpointStore;
  readonly workspace: Workspace;
  /** The text (LF line ends) of a file that is open with unsaved changes. */
  readonly unsavedText: (absolute: string) => string | undefined;
}

/** The session of which a turn is taken back. */
export interface RestoredSession {
  readonly id: string;
  readonly events: readonly LogEvent[];
}

/** What it takes to bring the files of a turn back, by path. */
export async function stepsFor(
  parts: RestoreParts,
  session: RestoredSession,
  turnId: string,
): Promise<readonly RestoreStep[]> {
  const { id: sessionId, events } = session;
  const later = turnsFrom(events, turnId).filter((id) => id !== turnId);
  const turns = await Promise.all(
    [turnId, ...later].map((id) => parts.store.read({ sessionId, turnId: id })),
  );
  const steps = await Promise.all(
    (turns[0] ?? []).map(async (file) => {
      const same = turns.flat().filter(({ absolute }) => absolute === file.absolute);
      // What a later turn found before it changed the file may hold what the person typed, so only what Loom wrote counts.
      const written = same.flatMap((each) => each.written?.toString("utf8") ?? []);
      return restoreStep({ file, now: await contentNow(parts, file), written });
    }),
  );
  return steps
    .filter((step) => step !== undefined)
    .sort((one, other) => (one.file.shown < other.file.shown ? -1 : 1));
}

async function contentNow(
  { unsavedText }: RestoreParts,
  { absolute }: KeptFile,
): Promise<KeptContent | undefined> {
  const { kind } = await realPathOf(absolute);
  if (kind !== "file") return undefined;
  const unsaved = unsavedText(absolute);
  const [bytes, { mode }] = await Promise.all([readFile(absolute), stat(absolute)]);
  return { bytes, mode: mode & 0o7777, ...(unsaved !== undefined && { unsaved }) };
}

/** Does one step; `merge` leaves what was changed since. Refuses when the file is not as the step says any more. */
export async function doStep(
  parts: RestoreParts,
  step: RestoreStep,
  how: "take" | "merge",
): Promise<RestoredFile | { readonly error: string }> {
  const { file, action, thenText, merged } = step;
  const path = file.shown;
  try {
    if (!(await isAsPlanned(parts, step))) return { error: "it has changed meanwhile" };
    if (action === "deleted") {
      await rm(file.absolute);
      return { path, how: "deleted" };
    }
    if (how === "merge" && merged !== undefined) {
      return await writeText(parts, step, { after: merged, how: "merged" });
    }
    // Typing that is not saved, then or now, belongs to the document: the file's bytes do not have it.
    if (action === "restored" && (file.before?.unsaved ?? step.now?.unsaved) !== undefined) {
      return await writeText(parts, step, { after: thenText, how: "restored" });
    }
    await mkdir(dirname(file.absolute), { recursive: true });
    await writeWhole(file.absolute, file.before?.bytes ?? Buffer.alloc(0), file.before?.mode);
    return { path, how: action };
  } catch (error) {
    return { error: describeError(error) };
  }
}

async function isAsPlanned(parts: RestoreParts, { file, now, nowText }: RestoreStep): Promise<boolean> {
  const real = await realPathOf(file.absolute);
  if (real.absolute !== file.absolute) return false;
  const current = await contentNow(parts, file);
  if (current === undefined || now === undefined) return current === now && real.kind === "missing";
  return textOf(current) === nowText;
}

async function writeText(
  { workspace }: RestoreParts,
  { file, nowText }: RestoreStep,
  { after, how }: { readonly after: string; readonly how: "restored" | "merged" },
): Promise<RestoredFile | { readonly error: string }> {
  const path = await workspace.resolve(file.absolute);
  if (path.place === "no_folder") return { error: "no folder is open" };
  const written = await workspace.write({ path, before: nowText, after });
  return "error" in written ? { error: written.error } : { path: file.shown, how };
}
