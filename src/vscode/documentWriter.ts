import { readFile } from "node:fs/promises";
import * as vscode from "vscode";
import { messageOf } from "./log";
import { isUnsavedNotebook, openDocumentOf, uriOf } from "./openDocuments";
import { replacementBetween, withPlainLines } from "./textReplacement";

/** How long the editor may take to notice that a file changed on disk, in milliseconds. */
const NOTICE_MS = 3_000;

/** What a write came to: the text afterwards, LF only, or a sentence that says why nothing was written. */
export type Written = { readonly text: string } | { readonly error: string };

/**
 * Changes the document of an existing file from `before` to `after` (both LF only), as one step that can be undone and without
 * showing it. Line ends, mark and encoding stay as the document has them. A document without unsaved changes is saved, so that
 * what formats on save does so and the text that comes back is final; one with unsaved typing gets the change on top of it and
 * stays unsaved, since saving what a person types is theirs to do.
 */
export async function changeFile(absolute: string, before: string, after: string): Promise<Written> {
  const uri = await uriOf(absolute);
  if (isUnsavedNotebook(uri)) {
    return {
      error: "This notebook is open with unsaved changes. Save it in the editor first, then read it again.",
    };
  }
  try {
    const document = (await openDocumentOf(absolute)) ?? (await vscode.workspace.openTextDocument(uri));
    const problem = document.isDirty ? undefined : await problemWithDisk(document);
    if (problem !== undefined) return { error: problem };
    if (withPlainLines(document.getText()) !== before) return { error: CHANGED };
    return await replaceIn(document, before, after);
  } catch (error) {
    return { error: `The file could not be changed: ${messageOf(error)}` };
  }
}

/** Makes a file with this text (LF only) and the folders it needs; the same steps as for a file that a person makes and saves. */
export async function makeFile(absolute: string, text: string): Promise<Written> {
  const uri = await uriOf(absolute);
  const edit = new vscode.WorkspaceEdit();
  edit.createFile(uri, { overwrite: false, ignoreIfExists: false });
  try {
    if (!(await vscode.workspace.applyEdit(edit))) return { error: "The editor could not make this file." };
    return await replaceIn(await vscode.workspace.openTextDocument(uri), "", text);
  } catch (error) {
    return { error: `The file could not be made: ${messageOf(error)}` };
  }
}

const CHANGED = "The file is not as it was when it was read. Read it again and repeat the change.";

async function replaceIn(document: vscode.TextDocument, before: string, after: string): Promise<Written> {
  const hadUnsavedChanges = document.isDirty;
  // The editor refuses when the document has changed since it was compared, e.g. because the person types.
  if (!(await apply(document, before, after))) return { error: CHANGED };
  if (hadUnsavedChanges || !document.isDirty || (await document.save())) {
    return { text: withPlainLines(document.getText()) };
  }
  // A change that could not be saved must not stay behind as unsaved text that nobody typed.
  await apply(document, withPlainLines(document.getText()), before);
  return {
    error:
      "The file could not be saved (it may be read-only or have changed on disk), so the change was taken back.",
  };
}

async function apply(document: vscode.TextDocument, before: string, after: string): Promise<boolean> {
  const replacement = replacementBetween(before, after);
  if (replacement === undefined) return true;
  const { start, end, text } = replacement;
  const edit = new vscode.WorkspaceEdit();
  const range = new vscode.Range(start.line, start.character, end.line, end.character);
  edit.replace(document.uri, range, text);
  return vscode.workspace.applyEdit(edit);
}

/** Why a document without unsaved changes must not be saved over the file, or undefined when it is what the file holds. */
async function problemWithDisk(document: vscode.TextDocument): Promise<string | undefined> {
  const { encoding, uri } = document;
  const bytes = await readFile(uri.fsPath);
  const text = await vscode.workspace.decode(bytes, { encoding });
  const again = await vscode.workspace.encode(text, { encoding });
  if (!bytes.equals(again)) {
    return `The file is not valid ${encoding}: saving it would destroy characters elsewhere in it. Its encoding has to be set in the editor first (files.encoding).`;
  }
  return (await becomes(document, withPlainLines(text))) ? undefined : CHANGED;
}

/** Waits until the editor has noticed what is on disk; false when it does not in time. */
function becomes(document: vscode.TextDocument, text: string): Promise<boolean> {
  const isSo = () => withPlainLines(document.getText()) === text;
  if (isSo()) return Promise.resolve(true);
  return new Promise((resolve) => {
    const settle = (): void => {
      clearTimeout(timer);
      listener.dispose();
      resolve(isSo());
    };
    const timer = setTimeout(settle, NOTICE_MS);
    const listener = vscode.workspace.onDidChangeTextDocument((change) => {
      if (change.document === document && isSo()) settle();
    });
  });
}
