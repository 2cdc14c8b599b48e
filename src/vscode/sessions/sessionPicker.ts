import vscode = require("vscode");
import { inform } from "../messages";
import type { SessionSummary } from "./sessionStore";
import type { Sessions } from "./sessions";

interface SessionItem extends vscode.QuickPickItem {
  readonly key: string;
}

/** Lets the person go back to an earlier session of this workspace; true when another one is open now. */
export async function pickSession(sessions: Sessions): Promise<boolean> {
  await sessions.ready();
  const items = (await sessions.list()).map((summary) => itemOf(summary, sessions.currentKey));
  if (items.length === 0) {
    void inform(vscode.l10n.t("There is no earlier session in this workspace yet."));
    return false;
  }
  const item = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t("Sessions of This Workspace"),
    placeHolder: vscode.l10n.t("Choose the session to go on with"),
    matchOnDescription: true,
  });
  return item !== undefined && (await sessions.openStored(item.key)) !== undefined;
}

function itemOf(summary: SessionSummary, current: string | undefined): SessionItem {
  const { key, title, messages, lastUsedAt, isOpen } = summary;
  const when = new Date(lastUsedAt).toLocaleString(vscode.env.language, {
    dateStyle: "medium",
    timeStyle: "short",
  });
  const count = messages === 1 ? vscode.l10n.t("1 message") : vscode.l10n.t("{0} messages", messages);
  const place =
    key === current ? [vscode.l10n.t("open here")] : isOpen ? [vscode.l10n.t("open in another window")] : [];
  return { key, label: title, description: [when, count, ...place].join(" · ") };
}
