import vscode = require("vscode");
import type { Loom } from "./loom";
import { ChatPage } from "./vscode/entry/chatPage";
import { CHAT_VIEW, COMMAND_NAMES } from "./vscode/entry/names";
import { SummaryFileSystem } from "./vscode/entry/summaryFileSystem";
import { messageOf } from "./vscode/log";
import { tellError } from "./vscode/messages";

/** Everything behind the doors that `activate` opens; loaded with the first use. */
let loading: Promise<Loom> | undefined;

/**
 * Opens the doors: the panel, the commands and the files of summaries. What is behind them is many times as large, and is loaded
 * when the first one is used, for the panel while its page starts: so neither the editor nor the page waits for it.
 */
export function activate(context: vscode.ExtensionContext): void {
  const loom = () => (loading ??= load(context));
  for (const name of COMMAND_NAMES) {
    const run = async (argument: unknown) => (await loom()).runCommand(name, argument);
    context.subscriptions.push(vscode.commands.registerCommand(`loom.${name}`, run));
  }
  const show = async (page: ChatPage): Promise<void> => {
    try {
      (await loom()).chat.show(page);
    } catch (error) {
      void tellError(messageOf(error));
    }
  };
  const resolveWebviewView = (view: vscode.WebviewView): void => {
    const page = new ChatPage(view, context.extensionUri);
    // Loading keeps this process busy, so first the page is sent off.
    setImmediate(() => void show(page));
  };
  context.subscriptions.push(
    vscode.window.registerWebviewViewProvider(CHAT_VIEW, { resolveWebviewView }),
    new SummaryFileSystem(async () => (await loom()).summaries),
  );
}

/** Throws a sentence with the way out: the editor shows it where a command failed. */
async function load(context: vscode.ExtensionContext): Promise<Loom> {
  try {
    const { createLoom } = await import("./loom");
    return createLoom(context);
  } catch (error) {
    const text = vscode.l10n.t(
      "Loom could not start. Reload the window (Developer: Reload Window); if that does not help, install Loom anew. The reason: {0}",
      messageOf(error),
    );
    throw new Error(text, { cause: error });
  }
}

/** Stops what runs and resolves once everything that was said is saved. */
export async function deactivate(): Promise<void> {
  const loom = await loading?.catch(() => undefined);
  await loom?.close();
}
