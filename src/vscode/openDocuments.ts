import { realpath } from "node:fs/promises";
import { isAbsolute, relative, sep } from "node:path";
import * as vscode from "vscode";

/** The document of the file at `absolute` (a real path) if it is open, under whatever name, unsaved typing included. */
export async function openDocumentOf(absolute: string): Promise<vscode.TextDocument | undefined> {
  const open = vscode.workspace.textDocuments.filter(
    ({ uri, isClosed }) => uri.scheme === "file" && !isClosed,
  );
  const exact = open.find(({ uri }) => uri.fsPath === absolute);
  if (exact !== undefined) return exact;
  // The person may have opened it by way of a link, or with other capitals.
  for (const document of open) if ((await realPathOf(document.uri.fsPath)) === absolute) return document;
  return undefined;
}

/** How the editor names the file at `absolute` (a real path): within its workspace folder even where that is a link. */
export async function uriOf(absolute: string): Promise<vscode.Uri> {
  for (const { uri } of vscode.workspace.workspaceFolders ?? []) {
    if (uri.scheme !== "file") continue;
    const path = relative(await realPathOf(uri.fsPath), absolute);
    if (path !== "" && path !== ".." && !path.startsWith(`..${sep}`) && !isAbsolute(path)) {
      return vscode.Uri.joinPath(uri, ...path.split(sep));
    }
  }
  return vscode.Uri.file(absolute);
}

/** True when the file is open as a notebook with unsaved changes, which no text document shows. */
export function isUnsavedNotebook(uri: vscode.Uri): boolean {
  return vscode.workspace.notebookDocuments.some(
    (notebook) => notebook.isDirty && notebook.uri.toString() === uri.toString(),
  );
}

async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    return path;
  }
}
