import vscode = require("vscode");
import type { SessionSettings } from "../core/session";

/** The settings of a session in this window: in a workspace that is not trusted Loom only reads, whatever else is set. */
export function underTrust(settings: SessionSettings): SessionSettings {
  if (vscode.workspace.isTrusted) return settings;
  const readOnlyReason =
    "This workspace is not trusted, so Loom only reads in it. The user can trust it (command Workspaces: Manage Workspace Trust).";
  return { ...settings, readOnlyReason };
}
