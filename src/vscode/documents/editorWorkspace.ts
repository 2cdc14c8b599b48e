import vscode = require("vscode");
import type { Workspace } from "../../core/ports";
import { createWorkspace, hashText, type DiskWorkspace } from "../../node/files/workspace";
import { findRipgrep } from "../../node/search/ripgrep";
import { changeFile, makeFile } from "./documentWriter";
import { currentExcludes } from "./excludes";
import { openDocumentOf, unsavedFiles, unsavedTextOf } from "./openDocuments";
import { virtualWorkspace } from "./virtualWorkspace";
import { localFolders, virtualFolders } from "./workspaceFacts";

/**
 * The workspace as the editor has it: unsaved typing is read, searched and kept, edits go through documents, so that they can be
 * undone. Everything else is the same folders on disk.
 */
export function editorWorkspace(): DiskWorkspace {
  const [onDisk, virtual] = [diskWorkspace(), virtualWorkspace(virtualFolders)];
  // Where any folder is on a disk the tools work there: commands can run in it.
  const now = (): Workspace =>
    localFolders().length === 0 && virtualFolders().length > 0 ? virtual : onDisk;
  return {
    resolve: (path) => now().resolve(path),
    readText: (absolute) => now().readText(absolute),
    write: (change) => now().write(change),
    onChange: (absolute, listener) => now().onChange?.(absolute, listener) ?? (() => undefined),
    list: (absolute, maxEntries, signal) => now().list(absolute, maxEntries, signal),
    search: (query, signal) => now().search(query, signal),
    similarNames: (absolute) => now().similarNames(absolute),
    // Commands run on a disk only.
    files: onDisk.files,
  };
}

function diskWorkspace(): DiskWorkspace {
  const ripgrep = findRipgrep(vscode.env.appRoot, process.env);
  const files = createWorkspace(localFolders, {
    unsavedText: unsavedTextOf,
    unsavedFiles,
    excludes: currentExcludes,
    ...(ripgrep !== undefined && { ripgrep }),
  });
  return {
    ...files,

    async readText(absolute) {
      const text = unsavedTextOf(absolute);
      // A saved document may be older than the file, e.g. right after a command changed it.
      if (text === undefined) return files.readText(absolute);
      return { text, hash: hashText(text), hasUnsavedChanges: true };
    },

    onChange(absolute, listener) {
      const stop = files.onChange?.(absolute, listener);
      const typing = vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (document === openDocumentOf(absolute)) listener();
      });
      return () => {
        stop?.();
        typing.dispose();
      };
    },

    async write(change) {
      const { path, before, after } = change;
      const written =
        before === null ? await makeFile(path.absolute, after) : await changeFile({ ...change, before });
      // Mixed line ends, bytes outside of the encoding, a file that has just been written by something else: a change of the
      // file itself leaves the rest as it is, and an editor that shows it takes it over as a step that can be undone.
      if (written === "not_exact") return files.write(change);
      if ("error" in written) return written;
      const { text, hasUnsavedChanges } = written;
      return { text, hash: hashText(text), ...(hasUnsavedChanges && { hasUnsavedChanges }) };
    },
  };
}
