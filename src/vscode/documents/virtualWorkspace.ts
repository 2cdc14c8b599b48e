import { posix } from "node:path";
import vscode = require("vscode");
import type { Listing, NotText, ResolvedPath, TextFile, Workspace } from "../../core/ports";
import { similarNames } from "../../core/tools/similarity";
import { distinctlyNamed } from "../../node/files/folders";
import { toLineFeeds } from "../../node/files/lineEnds";
import { decodeText } from "../../node/files/textEncoding";
import { hashText, MOST_TEXT_BYTES } from "../../node/files/textFile";
import { searchTexts } from "../../node/search/search";
import { messageOf } from "../log";
import { changeVirtualFile, makeVirtualFile } from "./documentWriter";

/** A folder that is open; its URI may have any scheme. */
export type VirtualFolder = Pick<vscode.WorkspaceFolder, "name" | "uri">;

/** More entries than this are not looked at: every folder is a question to who knows what server. */
const MOST_ENTRIES = 20_000;
const MOST_SIMILAR = 5;
/** Files that are read at the same time. */
const BATCH = 16;

/** Never of interest, and large. */
const HIDDEN = new Set([".git", "node_modules"]);

/**
 * A workspace that is not on this machine's disk, through the editor's own file systems. Paths in `absolute` are URIs. There are no
 * links to follow and nothing outside; `.gitignore` files are not read.
 */
export function virtualWorkspace(opened: () => readonly VirtualFolder[]): Workspace {
  const folders = () => distinctlyNamed(opened());
  return {
    resolve: (path) => resolveIn(folders(), path),
    readText: (absolute) => readText(vscode.Uri.parse(absolute, true)),
    write({ path, before, after, replacements }) {
      const uri = vscode.Uri.parse(path.absolute, true);
      if (before === null) return written(makeVirtualFile(uri, after));
      return written(changeVirtualFile(uri, { before, after, ...(replacements && { replacements }) }));
    },
    onChange(absolute, listener) {
      const typing = vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (document.uri.toString() === absolute) listener();
      });
      return () => void typing.dispose();
    },
    async list(absolute, maxEntries, signal) {
      const found = await walk(startsOf(folders(), absolute), signal);
      const entries = found.map(({ uri, isFolder }) => `${shown(folders(), uri)}${isFolder ? "/" : ""}`);
      const listing: Listing = { entries: entries.slice(0, maxEntries), total: entries.length };
      return entries.length < MOST_ENTRIES ? listing : { ...listing, isTotalMinimum: true };
    },
    async search({ under, leavesOut, ...query }, signal) {
      const isFile = under !== undefined && (await kindOf(vscode.Uri.parse(under, true))) === "file";
      const found = isFile ? [] : await walk(startsOf(folders(), under), signal);
      const files = found.filter(({ uri, isFolder }) => !isFolder && leavesOut?.(uri.path) !== true);
      const uris = isFile ? [vscode.Uri.parse(under, true)] : files.map(({ uri }) => uri);
      return searchTexts(query, () => textsOf(folders(), uris), { signal, regExpTimeLimitMs: 3_000 });
    },
    async similarNames(absolute) {
      const uri = vscode.Uri.parse(absolute, true);
      const parent = vscode.Uri.joinPath(uri, "..");
      const names = (await entriesOf(parent)).map(([name]) => name);
      return similarNames(posix.basename(uri.path), names, MOST_SIMILAR).map((name) =>
        shown(folders(), vscode.Uri.joinPath(parent, name)),
      );
    },
  };
}

async function written(work: ReturnType<typeof makeVirtualFile>): ReturnType<Workspace["write"]> {
  const result = await work;
  if ("error" in result) return result;
  const { text, hasUnsavedChanges } = result;
  return { text, hash: hashText(text), ...(hasUnsavedChanges && { hasUnsavedChanges }) };
}

/** Takes a path as relative to a folder, with or without its name in front, as absolute below one, or as a URI. */
async function resolveIn(folders: readonly VirtualFolder[], path: string): Promise<ResolvedPath> {
  const [first] = folders;
  if (first === undefined) return { place: "no_folder" };
  const uri = uriIn(folders, first, path);
  const place = folderOf(folders, uri) ? "inside" : "outside";
  return { place, absolute: uri.toString(), shown: shown(folders, uri), kind: await kindOf(uri) };
}

function uriIn(folders: readonly VirtualFolder[], first: VirtualFolder, path: string): vscode.Uri {
  if (path.startsWith(`${first.uri.scheme}:`)) return normal(vscode.Uri.parse(path, true));
  const clean = path.replaceAll("\\", "/");
  const named = folders.find(({ name }) => clean === name || clean.startsWith(`${name}/`));
  if (named && folders.length > 1) return below(named, clean.slice(named.name.length));
  const holder = folders.find(({ uri }) => isBelow(uri.path, posix.normalize(clean)));
  if (clean.startsWith("/") && holder) return normal(holder.uri.with({ path: clean }));
  return below(first, clean);
}

function below({ uri }: VirtualFolder, path: string): vscode.Uri {
  return normal(uri.with({ path: `${uri.path.replace(/\/$/, "")}/${path}` }));
}

function normal(uri: vscode.Uri): vscode.Uri {
  const path = posix.normalize(uri.path);
  return uri.with({ path: path.length > 1 ? path.replace(/\/$/, "") : path, query: "", fragment: "" });
}

function isBelow(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}

function folderOf(folders: readonly VirtualFolder[], uri: vscode.Uri): VirtualFolder | undefined {
  return folders.find(
    (folder) =>
      folder.uri.scheme === uri.scheme &&
      folder.uri.authority === uri.authority &&
      isBelow(folder.uri.path, uri.path),
  );
}

function shown(folders: readonly VirtualFolder[], uri: vscode.Uri): string {
  const folder = folderOf(folders, uri);
  if (folder === undefined) return uri.toString();
  const path = posix.relative(folder.uri.path, uri.path);
  if (folders.length === 1) return path === "" ? "." : path;
  return path === "" ? folder.name : `${folder.name}/${path}`;
}

async function kindOf(uri: vscode.Uri): Promise<"file" | "folder" | "other" | "missing"> {
  try {
    const { type } = await vscode.workspace.fs.stat(uri);
    if ((type & vscode.FileType.Directory) !== 0) return "folder";
    return (type & vscode.FileType.File) !== 0 ? "file" : "other";
  } catch (error) {
    return error instanceof vscode.FileSystemError && error.code === "FileNotFound" ? "missing" : "other";
  }
}

async function readText(uri: vscode.Uri): Promise<TextFile | NotText> {
  const open = vscode.workspace.textDocuments.find(
    (document) => document.isDirty && document.uri.toString() === uri.toString(),
  );
  if (open) {
    const text = toLineFeeds(open.getText());
    return { text, hash: hashText(text), hasUnsavedChanges: true };
  }
  try {
    const { size } = await vscode.workspace.fs.stat(uri);
    if (size > MOST_TEXT_BYTES) return { reason: "too_large", description: "too large", bytes: size };
    const decoded = decodeText(Buffer.from(await vscode.workspace.fs.readFile(uri)));
    if ("binary" in decoded) return { reason: "binary", description: decoded.binary, bytes: size };
    const text = toLineFeeds(decoded.raw);
    const isUtf8 = decoded.encoding.startsWith("utf-8");
    return {
      text,
      hash: hashText(text),
      hasUnsavedChanges: false,
      ...(isUtf8 ? {} : { encoding: decoded.encoding }),
    };
  } catch (error) {
    return { reason: "unreadable", description: messageOf(error), bytes: 0 };
  }
}

interface Found {
  readonly uri: vscode.Uri;
  readonly isFolder: boolean;
}

function startsOf(folders: readonly VirtualFolder[], absolute: string | undefined): readonly vscode.Uri[] {
  return absolute === undefined ? folders.map(({ uri }) => uri) : [vscode.Uri.parse(absolute, true)];
}

/** Level by level and by name, until there are too many. */
async function walk(starts: readonly vscode.Uri[], signal: AbortSignal): Promise<readonly Found[]> {
  const found: Found[] = [];
  const queue = [...starts];
  for (const folder of queue) {
    signal.throwIfAborted();
    for (const [name, type] of await entriesOf(folder)) {
      if (HIDDEN.has(name)) continue;
      const uri = vscode.Uri.joinPath(folder, name);
      const isFolder = type === vscode.FileType.Directory;
      if (found.push({ uri, isFolder }) >= MOST_ENTRIES) return found;
      if (isFolder) queue.push(uri);
    }
  }
  return found;
}

async function entriesOf(folder: vscode.Uri): Promise<readonly [string, vscode.FileType][]> {
  try {
    const entries = await vscode.workspace.fs.readDirectory(folder);
    return entries.sort(([one], [other]) => (one < other ? -1 : 1));
  } catch {
    // Gone by now, or not for us to read.
    return [];
  }
}

async function* textsOf(folders: readonly VirtualFolder[], uris: readonly vscode.Uri[]) {
  for (let from = 0; from < uris.length; from += BATCH) {
    const batch = uris.slice(from, from + BATCH);
    const read = await Promise.all(batch.map(readText));
    yield batch.flatMap((uri, index) => {
      const file = read[index];
      return file && "text" in file ? [{ path: shown(folders, uri), text: file.text }] : [];
    });
  }
}
