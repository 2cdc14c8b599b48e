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

/** Resolves with what `find` finds, which is looked for at once and after each of the events. */
export function found<Found>(
  find: () => Found | undefined,
  ...events: readonly vscode.Event<unknown>[]
): Promise<Found> {
  return new Promise((resolve) => {
    const look = (): void => {
      const result = find();
      if (result === undefined) return;
      for (const listener of listeners) listener.dispose();
      resolve(result);
    };
    const listeners = events.map((event) => event(look));
    look();
  });
}

/** Waits until the document has this text. */
export async function becomes(document: vscode.TextDocument, text: string): Promise<void> {
  await found(() => document.getText() === text || undefined, vscode.workspace.onDidChangeTextDocument);
}

/** Waits until the active editor is that of a document with this name, which a tab in the window shows a little earlier. */
export function activeEditor(name: string): Promise<vscode.TextEditor> {
  const find = () => {
    const editor = vscode.window.activeTextEditor;
    return editor?.document.uri.path.endsWith(`/${name}`) ? editor : undefined;
  };
  return found(find, vscode.window.onDidChangeActiveTextEditor);
}
