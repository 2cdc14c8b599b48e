import { join } from "node:path";
import vscode = require("vscode");
import { CheckpointStore, type CheckpointOptions } from "../../node/files/checkpointStore";
import { editorFiles } from "../documents/editorFiles";
import { warn } from "../messages";
import { SessionStore, type Damage } from "./sessionStore";
import { WindowMemory } from "./windowMemory";

/** What is kept for this window's workspace; a window without a folder has its own, apart from those of all folders. */
export function openSessionStore(
  context: Pick<vscode.ExtensionContext, "storageUri" | "globalStorageUri">,
  files: Pick<CheckpointOptions, "list" | "savedSince">,
  log: vscode.LogOutputChannel,
): { readonly store: SessionStore; readonly memory: WindowMemory; readonly checkpoints: CheckpointStore } {
  const folder = (context.storageUri ?? context.globalStorageUri).fsPath;
  return {
    store: new SessionStore(join(folder, "sessions"), (damage) => tellOfDamage(damage, log)),
    memory: new WindowMemory(join(folder, "windows")),
    checkpoints: new CheckpointStore(join(folder, "checkpoints"), {
      files: editorFiles(),
      ...files,
    }),
  };
}

/** Names a damaged session file to the person; the file itself has been kept aside. */
function tellOfDamage({ title, lines, keptAs }: Damage, log: vscode.LogOutputChannel): void {
  log.warn(`A session file was damaged (${lines} lines); it is kept as ${keptAs}`);
  const show = vscode.l10n.t("Show File");
  const name = title === "" ? vscode.l10n.t("without a readable message") : `“${title}”`;
  const text = vscode.l10n.t(
    "The file of the session {0} was damaged: {1} of its lines could not be read. The file is kept as it was ({2}); the rest of the session opens.",
    name,
    lines,
    keptAs,
  );
  void warn(text, show).then((answer) => {
    if (answer === show) void vscode.window.showTextDocument(vscode.Uri.file(keptAs), { preview: true });
  });
}
