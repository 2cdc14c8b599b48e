import type { Workspace } from "../core/ports";
import { changeFile, makeFile } from "./documentWriter";
import { openDocumentOf } from "./openDocuments";
import { withPlainLines } from "./plainLines";

/**
 * The workspace as the editor has it: unsaved typing is read and kept, edits go through documents, so that they can be undone.
 * Everything else is `files`, the same folders on disk. `hashOf` is how `files` hashes a text with LF as its only line end.
 */
export function editorWorkspace(files: Workspace, hashOf: (text: string) => string): Workspace {
  return {
    resolve: (path) => files.resolve(path),
    list: (absolute, maxEntries, signal) => files.list(absolute, maxEntries, signal),
    search: (query, signal) => files.search(query, signal),
    similarNames: (absolute) => files.similarNames(absolute),

    async readText(absolute) {
      const document = await openDocumentOf(absolute);
      // A saved document may be older than the file, e.g. right after a command changed it.
      if (document?.isDirty !== true) return files.readText(absolute);
      const text = withPlainLines(document.getText());
      return { text, hash: hashOf(text), hasUnsavedChanges: true };
    },

    async write(change) {
      const { path, before, after } = change;
      const written =
        before === null ? await makeFile(path.absolute, after) : await changeFile({ ...change, before });
      // Mixed line ends or bytes outside of the encoding: only a change of the file itself leaves the rest as it is.
      if (written === "not_exact") return files.write(change);
      return "error" in written ? written : { text: written.text, hash: hashOf(written.text) };
    },
  };
}
