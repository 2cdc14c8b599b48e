import { randomUUID } from "node:crypto";
import vscode = require("vscode");
import type { Session } from "../../core/session";
import { keptTurn } from "../../core/turn/checkpoints";
import { restoreFiles, stepsFor, type Chosen, type RestoreParts } from "../../node/files/turnFiles";
import type { RestoreStep } from "../../node/files/turnRestore";
import type { KeptTurn } from "../../shared/sessionView";
import { inform, warn } from "../messages";
import type { Sessions } from "../sessions/sessions";
import type { VirtualDocuments } from "./virtualDocuments";

interface Parts extends RestoreParts {
  readonly sessions: Sessions;
  readonly documents: VirtualDocuments;
}

type Way = "take" | "merge" | "keep";

/** More files than this are not shown side by side. */
const MOST_SHOWN = 15;

/** Brings the files of a turn back: shows the difference first, asks about each file that was changed since, and can be undone. */
export class TurnRestorer {
  constructor(private readonly parts: Parts) {}

  /** `turnId` is empty for the newest turn that changed files. */
  async restore(turnId: string): Promise<void> {
    const session = await this.parts.sessions.ready();
    if (session.isBusy) {
      const text = vscode.l10n.t(
        "Loom is working. Files can be restored when it has finished or is stopped.",
      );
      void warn(text);
      return;
    }
    const kept = keptTurn(session.view, turnId === "" ? undefined : turnId);
    const id = turnId === "" ? kept?.turnId : turnId;
    const steps = id === undefined ? [] : await stepsFor(this.parts, session, id);
    tellOfMissing(kept);
    if (id === undefined || steps.length === 0) {
      const text = vscode.l10n.t("There is nothing to restore: what is kept is as it was before.");
      void inform(text);
      return;
    }
    await this.#show(steps);
    const chosen = await choose(steps);
    if (chosen === undefined || session !== this.parts.sessions.current || session.isBusy) return;
    await this.#run(session, id, chosen);
  }

  /** The files as they are and as they would be, in the editor's own diff view. */
  async #show(steps: readonly RestoreStep[]): Promise<void> {
    const { documents } = this.parts;
    const title = vscode.l10n.t("Restore: now ↔ before");
    const sides = steps
      .slice(0, MOST_SHOWN)
      .map(({ file, nowText, thenText }) => [
        documents.make(file.shown, nowText),
        documents.make(file.shown, nowText),
        documents.make(file.shown, thenText),
      ]);
    const [first] = sides;
    if (sides.length > 1) await vscode.commands.executeCommand("vscode.changes", title, sides);
    else await vscode.commands.executeCommand("vscode.diff", first?.[1], first?.[2], title);
  }

  async #run(session: Session, turnId: string, chosen: Chosen): Promise<void> {
    const problems = await restoreFiles(this.parts, session, { turnId, undoId: randomUUID() }, chosen);
    if (problems.length === 0) return;
    const text = vscode.l10n.t("Not restored: {0}.", problems.join("; "));
    void warn(text);
  }
}

/** Names the files of a turn whose content could not be kept, e.g. because they are too large. */
function tellOfMissing(kept: KeptTurn | undefined): void {
  const missing = (kept?.files ?? []).filter(({ was }) => was === "not_kept");
  if (missing.length === 0) return;
  const list = missing.map(({ path, reason }) => `${path} (${reason ?? "?"})`).join(", ");
  const text = vscode.l10n.t(
    "These files cannot be restored, since their content could not be kept: {0}.",
    list,
  );
  void warn(text);
}

interface FileItem extends vscode.QuickPickItem {
  readonly step: RestoreStep;
}

/** Which files are to be restored and how; undefined when the person thinks better of it. */
async function choose(steps: readonly RestoreStep[]): Promise<[RestoreStep, Way][] | undefined> {
  const items = steps.map((step): FileItem => ({
    step,
    label: step.file.shown,
    description: [describeAction(step), step.isChangedSince ? vscode.l10n.t("changed since") : ""]
      .filter((text) => text !== "")
      .join(" · "),
    picked: true,
  }));
  const picked = await vscode.window.showQuickPick(items, {
    canPickMany: true,
    ignoreFocusOut: true,
    title: vscode.l10n.t("Restore files to how they were before"),
    placeHolder: vscode.l10n.t("Accept to restore what is ticked; the diff shows each file now and before"),
  });
  if (picked === undefined || picked.length === 0) return undefined;
  const chosen: [RestoreStep, Way][] = [];
  for (const { step } of picked) chosen.push([step, step.isChangedSince ? await askAbout(step) : "take"]);
  return chosen;
}

function describeAction({ action }: RestoreStep): string {
  switch (action) {
    case "restored":
      return "";
    case "recreated":
      return vscode.l10n.t("comes back");
    case "deleted":
      return vscode.l10n.t("did not exist, will be deleted");
  }
}

/** The three ways with a file that was changed since; closing the question keeps it. */
async function askAbout({ file, merged, action }: RestoreStep): Promise<Way> {
  const take =
    action === "deleted"
      ? vscode.l10n.t("Delete Anyway")
      : vscode.l10n.t("Overwrite with the Earlier Content");
  const ways: readonly (vscode.QuickPickItem & { readonly way: Way })[] = [
    { way: "keep", label: vscode.l10n.t("Keep as It Is") },
    ...(merged === undefined
      ? []
      : [
          {
            way: "merge" as const,
            label: vscode.l10n.t("Merge"),
            detail: vscode.l10n.t("Takes out what Loom changed and leaves what was changed since"),
          },
        ]),
    { way: "take", label: take, detail: vscode.l10n.t("What was changed since is kept for Undo") },
  ];
  const answer = await vscode.window.showQuickPick(ways, {
    ignoreFocusOut: true,
    title: vscode.l10n.t("{0} was changed after Loom changed it", file.shown),
  });
  return answer?.way ?? "keep";
}
