import { existsSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import vscode = require("vscode");
import type { FileChange, NotWritten, TextReplacement } from "../../core/ports";
import { toLineFeeds } from "../../node/files/lineEnds";
import { realPathOf } from "../../node/files/realPath";
import { messageOf } from "../log";
import { placesIn } from "../places";
import { isUnsavedNotebook, openDocumentOf, uriOf } from "./openDocuments";

/** How long after a change of a file on disk the editor may still not know of it, in milliseconds. */
const NOTICE_MS = 2_000;

const CHANGED: NotWritten = {
  error: "it is not as it was when it was read. Read it again.",
  isChanged: true,
};

const ELSEWHERE: NotWritten = { error: "its path leads elsewhere by now." };

/** Whether a real path holds a link that came to be since it was resolved: the editor follows those without a word. */
async function leadsElsewhere(absolute: string): Promise<boolean> {
  return (await realPathOf(absolute)).absolute !== absolute;
}

/**
 * What a write came to: the text afterwards (LF only) and whether it is only in the editor so far, the end of a sentence that says why nothing was written, or `not_exact` when the
 * document does not hold the file byte for byte, so that saving it would change more than was asked for.
 */
export type Written =
  { readonly text: string; readonly hasUnsavedChanges: boolean } | NotWritten | "not_exact";

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
    if (await leadsElsewhere(absolute)) return ELSEWHERE;
    const uri = uriOf(absolute);
    if (isUnsavedNotebook(uri)) {
      return { error: "it is open as a notebook with unsaved changes, which have to be saved first." };
    }
    if (((await stat(absolute)).mode & 0o222) === 0) return { error: "it is read-only." };
    const open = openDocumentOf(absolute);
    const document = open ?? (await vscode.workspace.openTextDocument(uri));
    if (!document.isDirty && !(await isExact(document, open !== undefined))) return "not_exact";
    if (toLineFeeds(document.getText()) !== change.before) return CHANGED;
    return await changeDocument(document, change);
  } catch (error) {
    return { error: messageOf(error) };
  }
}

/** Makes a file with this text (LF only) and the folders it needs, by the same steps as a file that a person makes and saves. */
export async function makeFile(absolute: string, text: string): Promise<Exclude<Written, "not_exact">> {
  try {
    if (await leadsElsewhere(absolute)) return ELSEWHERE;
    const uri = uriOf(absolute);
    if (existsSync(absolute)) {
      return { error: "there is a file of this name by now. Read it first.", isChanged: true };
    }
    return await create(uri, text, { error: "the editor could not make this file." });
  } catch (error) {
    return { error: messageOf(error) };
  }
}

/** The same for a file that is not on this machine's disk. */
export async function changeVirtualFile(
  uri: vscode.Uri,
  change: Pick<Change, "before" | "after" | "replacements">,
): Promise<Exclude<Written, "not_exact">> {
  try {
    if (vscode.workspace.fs.isWritableFileSystem(uri.scheme) === false) return { error: "it is read-only." };
    const document = await vscode.workspace.openTextDocument(uri);
    if (toLineFeeds(document.getText()) !== change.before) return CHANGED;
    return await changeDocument(document, change);
  } catch (error) {
    return { error: messageOf(error) };
  }
}

/** Makes a file that is not on this machine's disk, with this text (LF only). */
export async function makeVirtualFile(uri: vscode.Uri, text: string): Promise<Exclude<Written, "not_exact">> {
  try {
    if (vscode.workspace.fs.isWritableFileSystem(uri.scheme) === false) return { error: "it is read-only." };
    return await create(uri, text, {
      error: "there is a file of this name by now, or the editor could not make it.",
      isChanged: true,
    });
  } catch (error) {
    return { error: messageOf(error) };
  }
}

/** Makes a file, or resolves with `failure`; nothing stays behind where the text cannot be written. */
async function create(
  uri: vscode.Uri,
  text: string,
  failure: NotWritten,
): Promise<Exclude<Written, "not_exact">> {
  const edit = new vscode.WorkspaceEdit();
  edit.createFile(uri, { overwrite: false, ignoreIfExists: false });
  if (!(await vscode.workspace.applyEdit(edit))) return failure;
  const document = await vscode.workspace.openTextDocument(uri);
  const written = await changeDocument(document, { before: "", after: text });
  if ("error" in written && written.isChanged !== true) await vscode.workspace.fs.delete(uri);
  return written;
}

async function changeDocument(
  document: vscode.TextDocument,
  change: Pick<Change, "before" | "after" | "replacements">,
): Promise<Exclude<Written, "not_exact">> {
  const { before, after } = change;
  const hadUnsavedChanges = document.isDirty;
  const loss = await lossIn(after, { encoding: document.encoding });
  if (loss !== undefined) return { error: loss };
  const replacements = change.replacements ?? [{ start: 0, end: before.length, text: after }];
  // The editor refuses when the document has changed since it was compared, e.g. because the person types.
  if (!(await replace(document, before, replacements))) return CHANGED;
  if (hadUnsavedChanges || !document.isDirty || (await document.save())) {
    if (!hadUnsavedChanges) await rememberSave(document.uri);
    return { text: toLineFeeds(document.getText()), hasUnsavedChanges: document.isDirty };
  }
  // A change that could not be saved must not stay behind as unsaved text that nobody typed.
  const text = toLineFeeds(document.getText());
  await replace(document, text, [{ start: 0, end: text.length, text: before }]);
  return {
    error: "the editor could not save it, so the change was taken back. Read it again.",
  };
}

/** Why this text would not be read again as it is once it is saved; the editor writes a `?` for what an encoding does not have. */
async function lossIn(text: string, how: { readonly encoding: string }): Promise<string | undefined> {
  const read = await vscode.workspace.decode(await vscode.workspace.encode(text, how), how);
  if (read === text) return undefined;
  return `its encoding (${how.encoding}) does not have every character of the new text. Use ASCII, or ask the person to convert the file to UTF-8.`;
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

/**
 * Whether saving an open document would write exactly what the file holds beside the change. Not so when the editor may read
 * the bytes differently, and when something else has just written the file: the editor would then refuse to save over it.
 */
async function isExact(document: vscode.TextDocument, wasOpen: boolean): Promise<boolean> {
  const path = document.uri.fsPath;
  const { mtimeMs } = await stat(path);
  const isFresh = wasOpen && Date.now() - mtimeMs < NOTICE_MS && ownSaves.get(path) !== mtimeMs;
  if (isFresh) return false;
  const bytes = await readFile(path);
  return bytes.equals(await vscode.workspace.encode(document.getText(), { encoding: document.encoding }));
}

/** The time stamps of the newest files that were saved here, by path. */
const ownSaves = new Map<string, number>();

async function rememberSave({ scheme, fsPath: path }: vscode.Uri): Promise<void> {
  if (scheme !== "file") return;
  ownSaves.delete(path);
  ownSaves.set(path, (await stat(path)).mtimeMs);
  for (const old of [...ownSaves.keys()].slice(0, -MOST_REMEMBERED)) ownSaves.delete(old);
}

const MOST_REMEMBERED = 50;
