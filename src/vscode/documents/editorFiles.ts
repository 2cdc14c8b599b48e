import { isAbsolute } from "node:path";
import vscode = require("vscode");
import { toLineFeeds } from "../../node/files/lineEnds";
import { diskFiles, type KeptFiles } from "../../node/files/keptFiles";
import { unsavedTextOf } from "./openDocuments";

/** The files that are kept and brought back, as the editor has them: those on a disk by their path, all others by their URI. */
export function editorFiles(): KeptFiles {
  const onDisk = diskFiles(unsavedTextOf);
  const of = (absolute: string) => (isAbsolute(absolute) ? onDisk : VIRTUAL);
  return {
    contentOf: (absolute, most) => of(absolute).contentOf(absolute, most),
    write: (absolute, content) => of(absolute).write(absolute, content),
    remove: (absolute) => of(absolute).remove(absolute),
  };
}

const VIRTUAL: KeptFiles = {
  async contentOf(absolute, most = Infinity) {
    const uri = vscode.Uri.parse(absolute, true);
    try {
      const { type, size } = await vscode.workspace.fs.stat(uri);
      if (type !== vscode.FileType.File) return "not a regular file";
      if (size > most) return "too large";
      const bytes = Buffer.from(await vscode.workspace.fs.readFile(uri));
      const unsaved = vscode.workspace.textDocuments.find(
        (document) => document.isDirty && document.uri.toString() === absolute,
      );
      return { bytes, mode: 0, ...(unsaved && { unsaved: toLineFeeds(unsaved.getText()) }) };
    } catch (error) {
      if (error instanceof vscode.FileSystemError && error.code === "FileNotFound") return undefined;
      throw error;
    }
  },
  write: async (absolute, { bytes }) =>
    vscode.workspace.fs.writeFile(vscode.Uri.parse(absolute, true), bytes),
  remove: async (absolute) => vscode.workspace.fs.delete(vscode.Uri.parse(absolute, true)),
};
