import { open } from "node:fs/promises";
import { release, type as systemName } from "node:os";
import { join } from "node:path";
import vscode = require("vscode");
import type { WorkspaceFacts } from "../../core/session";
import { distinctlyNamed } from "../../node/files/folders";

/** The file in which a project tells agents its rules. */
const RULES_FILE = "AGENTS.md";

/** How much of it is read at all, in bytes; the core takes what fits the window. */
const RULES_BYTES = 65_536;

/** The folders of this window that lie on this machine's disk. */
export function localFolders(): readonly { readonly name: string; readonly path: string }[] {
  return (vscode.workspace.workspaceFolders ?? [])
    .filter(({ uri }) => uri.scheme === "file")
    .map(({ name, uri }) => ({ name, path: uri.fsPath }));
}

/** The folders of this window that lie elsewhere, which the editor alone can reach. */
export function virtualFolders(): readonly vscode.WorkspaceFolder[] {
  return (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme !== "file");
}

/** What the system prompt says of the workspace, as it is now. `shell` is what runs commands. */
export async function describeWorkspace(shell: string): Promise<WorkspaceFacts> {
  const local = localFolders();
  const elsewhere = virtualFolders().map(({ name, uri }) => ({ name, path: uri.toString(true) }));
  const folders = local.length > 0 ? local : elsewhere;
  // Rules are instructions, and a folder that is not trusted gives none.
  const [first] = vscode.workspace.isTrusted ? local : [];
  const projectRules = first && (await readRules(first.path));
  return {
    // By the names that paths begin with.
    folders: distinctlyNamed(folders),
    operatingSystem: `${systemName()} ${release()}`,
    shell,
    date: localDay(new Date()),
    ...(projectRules && { projectRules }),
  };
}

async function readRules(folder: string): Promise<WorkspaceFacts["projectRules"]> {
  try {
    const file = await open(join(folder, RULES_FILE));
    const { buffer, bytesRead } = await file.read(Buffer.alloc(RULES_BYTES)).finally(() => file.close());
    const text = buffer.toString("utf8", 0, bytesRead);
    return text.trim() === "" ? undefined : { path: RULES_FILE, text };
  } catch {
    // Most projects have none, and one that cannot be read is as good as none.
    return undefined;
  }
}

/** The day where the person is, as in 2025-03-09. */
function localDay(date: Date): string {
  const pad = (number: number) => String(number).padStart(2, "0");
  return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
}
