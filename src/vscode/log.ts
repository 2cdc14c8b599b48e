import vscode = require("vscode");

/** The output channel "Loom": requests and timings, never what is in files unless the person turns its level up. */
export function createLog(): vscode.LogOutputChannel {
  return vscode.window.createOutputChannel("Loom", { log: true });
}

/** The sentence of an error, whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
