import { realpathSync } from "node:fs";
import vscode = require("vscode");
import { readExcludes, type Excludes, type ExcludeSettings } from "../../node/search/excludes";

/** What the settings `files.exclude` and `search.exclude` of all folders hide, as they are now; the second may take back the first. */
export function currentExcludes(): Excludes {
  const folders = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === "file");
  return readExcludes(
    folders.map(({ uri }) => {
      const search = excludeSetting("search", uri);
      const hidden = Object.entries(excludeSetting("files", uri)).filter(([glob]) => search[glob] !== false);
      return { folder: realPathOf(uri.fsPath), settings: Object.fromEntries(hidden), search };
    }),
  );
}

function excludeSetting(section: "files" | "search", uri: vscode.Uri): ExcludeSettings {
  return vscode.workspace.getConfiguration(section, uri).get<ExcludeSettings>("exclude") ?? {};
}

function realPathOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}
