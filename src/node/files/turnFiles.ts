import type { Workspace } from "../../core/ports";
import type { Session } from "../../core/session";
import { stagesOf, turnsFrom } from "../../core/turn/checkpoints";
import type { LogEvent, RestoredFile } from "../../shared/events";
import type { CheckpointStore, KeptFile } from "./checkpointStore";
import { textOf } from "./keptFiles";
import { describeError } from "./textFile";
import { restoreStep, type RestoreStep } from "./turnRestore";

/** What is needed to bring files back. */
export interface RestoreParts {
  readonly store: CheckpointStore;
  readonly workspace: Workspace;
}

/** The session of which a turn is taken back. */
export interface RestoredSession {
  readonly id: string;
  readonly events: readonly LogEvent[];
}

/** Files that are read at the same time: each is an open file. */
const BATCH = 32;

/** What it takes to bring the files of a turn back, by path. */
export async function stepsFor(
  parts: RestoreParts,
  session: RestoredSession,
  turnId: string,
): Promise<readonly RestoreStep[]> {
  const { id: sessionId, events } = session;
  const later = turnsFrom(events, turnId).filter((id) => id !== turnId);
  const turns: (readonly KeptFile[])[] = [];
  for (const id of [turnId, ...later]) turns.push(await parts.store.read({ sessionId, turnId: id }));
  const stages = stagesOf(events, turnId);
  // What was kept for a change that did not come about is no business of the turn's.
  const changed = (turns[0] ?? []).filter(({ shown }) => stages.get(shown) !== "unchanged");
  const steps: (RestoreStep | undefined)[] = [];
  for (let from = 0; from < changed.length; from += BATCH) {
    const batch = changed.slice(from, from + BATCH).map(async (file) => {
      const history = turns.flat().filter(({ absolute }) => absolute === file.absolute);
      const now = await parts.store.files.contentOf(file.absolute).catch(describeError);
      return restoreStep({ history, file, now: typeof now === "string" ? undefined : now });
    });
    steps.push(...(await Promise.all(batch)));
  }
  return steps
    .filter((step) => step !== undefined)
    .sort((one, other) => (one.file.shown < other.file.shown ? -1 : 1));
}

/** Does one step; `merge` leaves what was changed since. Refuses when the file is not as the step says any more. */
export async function doStep(
  parts: RestoreParts,
  step: RestoreStep,
  how: "take" | "merge",
): Promise<RestoredFile | { readonly error: string }> {
  const { file, action, thenText, merged } = step;
  const { files } = parts.store;
  const path = file.shown;
  try {
    const reason = await notAsPlanned(parts, step);
    if (reason !== undefined) return { error: reason };
    if (action === "deleted" || file.before === undefined) {
      await files.remove(file.absolute);
      return { path, how: "deleted" };
    }
    if (how === "merge" && merged !== undefined) {
      return await writeText(parts, step, { after: merged, how: "merged" });
    }
    // Typing that is not saved, then or now, belongs to the document: the file's bytes do not have it.
    if (action === "restored" && (file.before.unsaved ?? step.now?.unsaved) !== undefined) {
      return await writeText(parts, step, { after: thenText, how: "restored" });
    }
    await files.write(file.absolute, file.before);
    return { path, how: action };
  } catch (error) {
    return { error: describeError(error) };
  }
}

/** Why a step cannot be done as it was shown; undefined when it can. */
async function notAsPlanned(
  { store }: RestoreParts,
  { file, now, nowText }: RestoreStep,
): Promise<string | undefined> {
  const current = await store.files.contentOf(file.absolute);
  if (typeof current === "string") return current;
  const isSame = current && now ? textOf(current) === nowText : current === now;
  return isSame ? undefined : "it has changed meanwhile";
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

/** What the person chose for each file. */
export type Chosen = readonly (readonly [RestoreStep, "take" | "merge" | "keep"])[];

/** Does what was chosen and notes it, so that it can be taken back in turn; resolves with what could not be done. */
export async function restoreFiles(
  parts: RestoreParts,
  session: Pick<Session, "id" | "noteRestored">,
  turn: { readonly turnId: string; readonly undoId: string },
  chosen: Chosen,
): Promise<readonly string[]> {
  const { store } = parts;
  const place = { sessionId: session.id, turnId: turn.undoId };
  const done: RestoredFile[] = [];
  const problems: string[] = [];
  for (const [step, way] of chosen) {
    if (way === "keep") continue;
    // What is about to be replaced is kept first, so that nothing is lost by restoring either.
    const kept = await store.keep(place, step.file);
    const result = kept.was === "not_kept" ? { error: kept.reason ?? "" } : await doStep(parts, step, way);
    if ("error" in result) problems.push(`${step.file.shown}: ${result.error}`);
    else done.push(result);
    await store.noteWritten(place, step.file);
  }
  if (done.length > 0) session.noteRestored({ ...turn, files: done });
  return problems;
}
