import { existsSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import * as vscode from "vscode";
import type { FileChange, TextReplacement } from "../core/ports";
import { toLineFeeds } from "../node/lineEnds";
import { messageOf } from "./log";
import { isUnsavedNotebook, openDocumentOf, uriOf } from "./openDocuments";
import { placesIn } from "./places";

/** How long the editor may take to notice that a file changed on disk, in milliseconds. */
const NOTICE_MS = 3_000;

const CHANGED = "it is not as it was when it was read. Read it again.";

/**
 * What a write came to: the text afterwards (LF only), the end of a sentence that says why nothing was written, or `not_exact` when a
 * document cannot hold the file byte for byte, so that saving it would change more than was asked for.
 */
export type Written = { readonly text: string } | { readonly error: string } | "not_exact";

/** A change of a file that exists: its `before` is a text. */
export type Change = FileChange & { readonly before: string };

/**
 * Makes the change in the file's document, as one step that can be undone and without showing it. Line ends, mark and encoding
 * stay as the document has them. A document without unsaved changes is saved, so that what formats on save does so and the text
 * that comes back is final; one with unsaved typing gets the change on top of it and stays unsaved, since saving what a person
 * types is theirs to do.
 */
export async function changeFile(change: Change): Promise<Written> {
  const { absolute } = change.path;
  try {
    const uri = uriOf(absolute);
    if (isUnsavedNotebook(uri)) {
      return { error: "it is open as a notebook with unsaved changes, which have to be saved first." };
    }
    if (((await stat(absolute)).mode & 0o222) === 0) return { error: "it is read-only." };
    const document = openDocumentOf(absolute) ?? (await vscode.workspace.openTextDocument(uri));
    const disk = document.isDirty ? "same" : await compareWithDisk(document);
    if (disk === "different") return { error: CHANGED };
    if (toLineFeeds(document.getText()) !== change.before) {
      // Without unsaved typing the editor may only read the bytes differently: the file itself decides.
      return document.isDirty ? { error: CHANGED } : "not_exact";
    }
    return disk === "not_exact" ? disk : await changeDocument(document, change);
  } catch (error) {
    return { error: messageOf(error) };
  }
}

/** Makes a file with this text (LF only) and the folders it needs, by the same steps as a file that a person makes and saves. */
export async function makeFile(absolute: string, text: string): Promise<Exclude<Written, "not_exact">> {
  try {
    const uri = uriOf(absolute);
    if (existsSync(absolute)) return { error: "there is a file of this name by now. Read it first." };
    const edit = new vscode.WorkspaceEdit();
    edit.createFile(uri, { overwrite: false, ignoreIfExists: false });
    if (!(await vscode.workspace.applyEdit(edit))) return { error: "the editor could not make this file." };
    return await changeDocument(await vscode.workspace.openTextDocument(uri), { before: "", after: text });
  } catch (error) {
    return { error: messageOf(error) };
  }
}

async function changeDocument(
  document: vscode.TextDocument,
  change: Pick<Change, "before" | "after" | "replacements">,
): Promise<Exclude<Written, "not_exact">> {
  const { before, after } = change;
  const hadUnsavedChanges = document.isDirty;
  const replacements = change.replacements ?? [{ start: 0, end: before.length, text: after }];
  // The editor refuses when the document has changed since it was compared, e.g. because the person types.
  if (!(await replace(document, before, replacements))) return { error: CHANGED };
  if (hadUnsavedChanges || !document.isDirty || (await document.save())) {
    return { text: toLineFeeds(document.getText()) };
  }
  // A change that could not be saved must not stay behind as unsaved text that nobody typed.
  const text = toLineFeeds(document.getText());
  await replace(document, text, [{ start: 0, end: text.length, text: before }]);
  return {
    error: "the editor could not save it, so the change was taken back. Read it again.",
  };
}

async function replace(
  document: vscode.TextDocument,
  text: string,
  replacements: readonly TextReplacement[],
): Promise<boolean> {
  const placeOf = placesIn(text);
  const positionOf = (offset: number) => {
    const { line, character } = placeOf(offset);
    return new vscode.Position(line, character);
  };
  const edit = new vscode.WorkspaceEdit();
  for (const { start, end, text: inserted } of replacements) {
    edit.replace(document.uri, new vscode.Range(positionOf(start), positionOf(end)), inserted);
  }
  return vscode.workspace.applyEdit(edit);
}

/** Whether a document without unsaved changes would write exactly what the file holds; waits until it has noticed the newest content. */
async function compareWithDisk(document: vscode.TextDocument): Promise<"same" | "not_exact" | "different"> {
  const { encoding } = document;
  const bytes = await readFile(document.uri.fsPath);
  const decoded = await vscode.workspace.decode(bytes, { encoding });
  // Documents hold no byte-order mark.
  const onDisk = toLineFeeds(decoded.replace(/^\uFEFF/, ""));
  if (!(await becomes(document, onDisk))) return "different";
  const written = await vscode.workspace.encode(document.getText(), { encoding });
  return bytes.equals(written) ? "same" : "not_exact";
}

/** Waits until the document holds the text; false when it does not in time. */
function becomes(document: vscode.TextDocument, text: string): Promise<boolean> {
  const isSo = () => toLineFeeds(document.getText()) === text;
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
