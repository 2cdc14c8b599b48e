import vscode = require("vscode");
import type { CommandOutcome, Session } from "../core/session";
import type { SteeringAction } from "../shared/steeringActions";
import type { SummaryFiles } from "./documents/summaryFiles";
import type { VirtualDocuments } from "./documents/virtualDocuments";
import { inform, warn } from "./messages";
import type { Sessions } from "./sessions/sessions";

interface Parts {
  readonly sessions: Sessions;
  readonly summaries: SummaryFiles;
  readonly documents: VirtualDocuments;
}

/** How long the server may take to say what its models can do, in milliseconds. */
const REQUEST_MS = 10_000;

/** Does what the person asked for in the panel; the outcome says why not, where it was not done. */
export async function steer(
  action: SteeringAction,
  { sessions, summaries }: Pick<Parts, "sessions" | "summaries">,
): Promise<CommandOutcome> {
  const session = await sessions.ready();
  const { steering } = session;
  switch (action.do) {
    case "compact":
      return session.compactNow(named(action.focus));
    case "undo":
      return steering.undo(named(action.compactionId));
    case "edit_summary":
      await summaries.open(action.compactionId);
      return { ok: true };
    case "regenerate":
      return steering.regenerate(named(action.compactionId), named(action.wish));
    case "choose_summary":
      return steering.chooseSummary(action.compactionId, action.versionId);
    case "drop_result":
      return steering.dropResult(action.resultId);
    case "restore_result":
      return steering.restoreResult(action.resultId);
    case "pin":
      return session.pin(action.text);
    case "unpin":
      return session.unpin(action.pinId);
    case "postpone":
      return steering.postpone();
  }
}

function named(text: string): string | undefined {
  return text.trim() === "" ? undefined : text.trim();
}

/** Compacts; `focus` is asked for where it is undefined. */
export async function compactNow({ sessions }: Parts, focus: string | undefined): Promise<void> {
  const session = await sessions.ready();
  const wish =
    focus ??
    (session.isBusy
      ? ""
      : await vscode.window.showInputBox({
          title: vscode.l10n.t("Compact Now"),
          prompt: vscode.l10n.t(
            "What should the summary keep above all? Press Enter to leave it to the model, Escape to cancel.",
          ),
          placeHolder: vscode.l10n.t("For example: the API decisions"),
        }));
  if (wish !== undefined) report(await session.compactNow(named(wish)));
}

/** Takes the newest compaction back. */
export async function undoCompaction({ sessions }: Parts): Promise<void> {
  report((await sessions.ready()).steering.undo());
}

/** Opens the summary that is in force in an editor. */
export async function editSummary({ sessions, summaries }: Parts): Promise<void> {
  const id = currentId(await sessions.ready());
  if (id === undefined) return report(NO_SUMMARY);
  await summaries.open(id);
}

/** Has the newest summary written anew, with a wish that is asked for. */
export async function regenerateSummary({ sessions }: Parts): Promise<void> {
  const session = await sessions.ready();
  if (currentId(session) === undefined) return report(NO_SUMMARY);
  const wish = await vscode.window.showInputBox({
    title: vscode.l10n.t("Regenerate Summary"),
    prompt: vscode.l10n.t("What should it keep that it lacks? Press Enter for none, Escape to cancel."),
    placeHolder: vscode.l10n.t("For example: keep the SQL"),
  });
  if (wish !== undefined) report(await session.steering.regenerate(undefined, named(wish)));
}

/** Pins what is selected in the active editor. */
export async function pinSelection({ sessions }: Parts): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const text = editor?.selections.map((selection) => editor.document.getText(selection)).join("\n") ?? "";
  if (text.trim() === "") {
    void inform(vscode.l10n.t("Select the text to pin in an editor first."));
    return;
  }
  const outcome = (await sessions.ready()).pin(text);
  if (!outcome.ok) return report(outcome);
  const done = vscode.l10n.t("Pinned. From the next compaction on the context holds it word for word.");
  void inform(done);
}

/** Shows the exact body of the next request. */
export async function showRequest({ sessions, documents }: Parts): Promise<void> {
  const session = await sessions.ready();
  const request = await session.steering.nextRequest(AbortSignal.timeout(REQUEST_MS));
  if (!request.ok) return report(request);
  const text = `${JSON.stringify(request.body, null, 2)}\n`;
  const uri = documents.make(vscode.l10n.t("Next request.json"), text);
  await vscode.window.showTextDocument(uri, { preview: true });
}

const NO_SUMMARY: CommandOutcome = {
  ok: false,
  message: vscode.l10n.t("There is no summary: the context holds the whole conversation."),
};

function currentId({ view }: Session): string | undefined {
  return view.steering?.undo?.compactionId;
}

function report(outcome: CommandOutcome): void {
  if (!outcome.ok) void warn(outcome.message);
}
