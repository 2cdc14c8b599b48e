import { randomUUID } from "node:crypto";
import type { Session } from "../core/session";
import { diffLines } from "../core/tools/lineDiff";
import { keptTurn } from "../core/turn/checkpoints";
import { restoreFiles, stepsFor, type Chosen, type RestoreParts } from "../node/files/turnFiles";
import type { RestoreStep } from "../node/files/turnRestore";

export interface RestorePorts {
  readonly parts: RestoreParts;
  readonly say: (text: string) => void;
  /** The person's answer in lower case; without a person "y" where `isAgreeable` and that was agreed to beforehand, else nothing. */
  readonly answer: (question: string, isAgreeable: boolean) => Promise<string>;
}

type Way = Chosen[number][1];

/** Lines of a diff that are shown of one file. */
const MOST_LINES = 40;

/** `/restore`: brings the files of the newest turn that changed any back; `/restore undo` takes the newest restoration back. */
export async function restore(ports: RestorePorts, session: Session, argument: string): Promise<void> {
  const { parts, say } = ports;
  const kept = keptTurn(session.view);
  const turnId = argument === "undo" ? latestUndo(session) : kept?.turnId;
  const lost = argument === "undo" ? [] : (kept?.files ?? []).filter(({ was }) => was === "not_kept");
  for (const { path, reason = "" } of lost) say(`${path} cannot be restored: ${reason}.`);
  const steps = turnId === undefined ? [] : await stepsFor(parts, session, turnId);
  if (turnId === undefined || steps.length === 0)
    return say("There is nothing to restore: what is kept is as it was before.");
  for (const step of steps) say(describe(step));
  const answer = await ports.answer(`Restore ${steps.length === 1 ? "it" : "all of them"}? [y/N] `, true);
  if (!/^y(es)?$/.test(answer)) return say("Nothing was restored.");
  const chosen: [RestoreStep, Way][] = [];
  for (const step of steps) chosen.push([step, step.isChangedSince ? await askAbout(ports, step) : "take"]);
  const problems = await restoreFiles(parts, session, { turnId, undoId: randomUUID() }, chosen);
  for (const problem of problems) say(`Not restored: ${problem}.`);
}

function latestUndo({ events }: Session): string | undefined {
  const last = events.findLast((event) => event.type === "turn_restored");
  return last?.type === "turn_restored" ? last.undoId : undefined;
}

/** A file with what would happen to it and the difference from now to then. */
function describe({ file, action, nowText, thenText, isChangedSince }: RestoreStep): string {
  const { diff, added, removed } = diffLines(file.shown, nowText, thenText);
  const how = { restored: "is restored", recreated: "comes back", deleted: "did not exist and is deleted" };
  const lines = diff.trimEnd().split("\n").slice(2);
  const rest = lines.length - MOST_LINES;
  return [
    `${file.shown} ${how[action]} (+${added} −${removed})${isChangedSince ? ", and was changed since" : ""}`,
    ...lines.slice(0, MOST_LINES).map((line) => `  ${line}`),
    ...(rest > 0 ? [`  … ${rest} more lines`] : []),
  ].join("\n");
}

async function askAbout({ answer, say }: RestorePorts, { file, merged }: RestoreStep): Promise<Way> {
  const merge = merged === undefined ? "" : "[m]erge, ";
  // The name goes the way of everything that is printed: it may hold orders to the terminal.
  say(`${file.shown} was changed after Loom changed it.`);
  const said = await answer(`[K]eep it, ${merge}or [o]verwrite it? `, false);
  if (merged !== undefined && /^m(erge)?$/.test(said)) return "merge";
  if (/^o(verwrite)?$/.test(said)) return "take";
  say(`${file.shown} is kept as it is.`);
  return "keep";
}
