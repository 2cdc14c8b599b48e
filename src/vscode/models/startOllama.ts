import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";
import vscode = require("vscode");
import { inform } from "../messages";
import type { ServerAddress } from "../serverAddress";
import { openSetting } from "../settings";

const DOWNLOAD_PAGE = "https://ollama.com/download";

/** Helps to get a server running: in a terminal where Ollama is installed, else by its download page. */
export async function startOllama(address: ServerAddress): Promise<void> {
  if (!address.isLoopback) {
    await explainRemote(address.url);
    return;
  }
  const program = await findOllama();
  if (program === undefined) {
    await offerDownload();
    return;
  }
  const terminal = vscode.window.createTerminal({
    name: "Ollama",
    shellPath: program,
    shellArgs: ["serve"],
    env: { OLLAMA_HOST: address.url },
    message: vscode.l10n.t("Loom started Ollama in this terminal. Closing the terminal stops it."),
  });
  terminal.show(true);
}

async function explainRemote(url: string): Promise<void> {
  const open = vscode.l10n.t("Open Setting");
  const text = vscode.l10n.t(
    "Loom is set to use Ollama at {0}, which is another machine: start it there.",
    url,
  );
  if ((await inform(text, open)) === open) await openSetting("address");
}

async function offerDownload(): Promise<void> {
  const open = vscode.l10n.t("Open Download Page");
  const text = vscode.l10n.t(
    "Ollama was not found on this machine. Install it, start it, and Loom will notice.",
  );
  if ((await inform(text, open)) === open) {
    await vscode.env.openExternal(vscode.Uri.parse(DOWNLOAD_PAGE));
  }
}

/** The program `ollama`, where the shell would find it or where its installers put it. */
async function findOllama(): Promise<string | undefined> {
  const name = process.platform === "win32" ? "ollama.exe" : "ollama";
  const folders = [...(process.env["PATH"] ?? "").split(delimiter).filter(Boolean), ...usualFolders()];
  for (const folder of folders) {
    const path = join(folder, name);
    if (await isExecutable(path)) return path;
  }
  return undefined;
}

function usualFolders(): readonly string[] {
  switch (process.platform) {
    case "darwin":
      return ["/usr/local/bin", "/opt/homebrew/bin", "/Applications/Ollama.app/Contents/Resources"];
    case "win32":
      return [join(process.env["LOCALAPPDATA"] ?? "", "Programs", "Ollama")];
    default:
      return ["/usr/local/bin", "/usr/bin"];
  }
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
