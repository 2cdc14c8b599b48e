import { realpathSync } from "node:fs";
import { relative, sep } from "node:path";
import vscode = require("vscode");
import { toLineFeeds } from "../../node/files/lineEnds";
import { isInside } from "../../node/files/realPath";
import { Disposable } from "../disposable";

/** The document of the file at `absolute` (a real path) if it is open, under whatever name, unsaved typing included. */
export function openDocumentOf(absolute: string): vscode.TextDocument | undefined {
  return find(absolute, () => true);
}

/** The same, but only if it holds unsaved typing. */
export function unsavedDocumentOf(absolute: string): vscode.TextDocument | undefined {
  return find(absolute, ({ isDirty }) => isDirty);
}

/** The text (LF line ends) of a file that is open with unsaved typing. */
export function unsavedTextOf(absolute: string): string | undefined {
  const document = unsavedDocumentOf(absolute);
  return document && toLineFeeds(document.getText());
}

/** The real paths of all files that are open with unsaved typing. */
export function unsavedFiles(): readonly string[] {
  return vscode.workspace.textDocuments
    .filter(({ uri, isDirty }) => uri.scheme === "file" && isDirty)
    .map(({ uri }) => realPathOf(uri.fsPath));
}

/** Notes which files are saved in the editor, so that a command that runs meanwhile is not taken for what changed them. */
export class SavedFiles extends Disposable {
  /** When each was saved last, in milliseconds since 1970. */
  readonly #times = new Map<string, number>();

  constructor() {
    super();
    this.register(
      vscode.workspace.onDidSaveTextDocument(({ uri }) => {
        if (uri.scheme === "file") this.#times.set(realPathOf(uri.fsPath), Date.now());
      }),
    );
  }

  readonly savedSince = (absolute: string, time: number): boolean => (this.#times.get(absolute) ?? 0) >= time;
}

function find(
  absolute: string,
  isWanted: (document: vscode.TextDocument) => boolean,
): vscode.TextDocument | undefined {
  const wanted = vscode.workspace.textDocuments.filter(
    (document) => document.uri.scheme === "file" && !document.isClosed && isWanted(document),
  );
  return (
    wanted.find(({ uri }) => uri.fsPath === absolute) ??
    // The person may have opened it by way of a link, or with other capitals.
    wanted.find(({ uri }) => realPathOf(uri.fsPath) === absolute)
  );
}

/** How the editor names the file at `absolute` (a real path): within its workspace folder even where that is a link. */
export function uriOf(absolute: string): vscode.Uri {
  for (const { uri } of vscode.workspace.workspaceFolders ?? []) {
    if (uri.scheme !== "file") continue;
    const real = realPathOf(uri.fsPath);
    if (isInside(real, absolute)) return vscode.Uri.joinPath(uri, ...relative(real, absolute).split(sep));
  }
  return vscode.Uri.file(absolute);
}

/** True when the file is open as a notebook with unsaved changes, which no text document shows. */
export function isUnsavedNotebook(uri: vscode.Uri): boolean {
  return vscode.workspace.notebookDocuments.some(
    (notebook) => notebook.isDirty && notebook.uri.toString() === uri.toString(),
  );
}

function realPathOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}
