import { utimes, writeFile } from "node:fs/promises";
import vscode = require("vscode");

/** The folder that the window of the tests has open. */
export const root = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "";

/** To be called in a suite: nothing is saved by itself in its tests; the editor's server form does that a second after typing. */
export function withoutAutoSave(): void {
  const set = (value: string | undefined): Thenable<void> =>
    vscode.workspace.getConfiguration("files").update("autoSave", value, vscode.ConfigurationTarget.Global);
  before(() => set("off"));
  after(() => set(undefined));
}

/** Writes a file as one that has been there for a while, so that the editor knows all of it. */
export async function writeOld(path: string, content: string | Uint8Array): Promise<void> {
  const longAgo = new Date(Date.now() - 3_600_000);
  await writeFile(path, content);
  await utimes(path, longAgo, longAgo);
}

/** Waits until the document has this text. */
export function becomes(document: vscode.TextDocument, text: string): Promise<void> {
  return new Promise((resolve) => {
    const check = (): void => {
      if (document.getText() !== text) return;
      listener.dispose();
      resolve();
    };
    const listener = vscode.workspace.onDidChangeTextDocument(check);
    check();
  });
}
