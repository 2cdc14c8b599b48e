import * as vscode from "vscode";
import type { ChatView } from "./chatView";
import { messageOf } from "./log";
import type { Models } from "./models";
import type { OllamaConnection } from "./ollamaConnection";
import type { OllamaStatus } from "./ollamaStatus";
import { pickSession } from "./sessionPicker";
import type { Sessions } from "./sessions";
import type { Settings } from "./settings";
import { startOllama } from "./startOllama";
import type { TurnRestorer } from "./turnRestorer";
import type { VirtualDocuments } from "./virtualDocuments";

/** What the commands work on. */
export interface CommandParts {
  readonly sessions: Sessions;
  readonly chat: ChatView;
  readonly models: Models;
  readonly status: OllamaStatus;
  readonly connection: OllamaConnection;
  readonly settings: Settings;
  readonly documents: VirtualDocuments;
  readonly restorer: TurnRestorer;
  readonly log: vscode.LogOutputChannel;
}

/** The commands of the manifest; an argument comes from the panel and is empty from the palette. */
export type CommandName =
  | "compactNow"
  | "newSession"
  | "showSessions"
  | "showContext"
  | "showSummary"
  | "restoreTurn"
  | "stop"
  | "selectModel"
  | "pullModel"
  | "startOllama"
  | "setToken"
  | "focusChat"
  | "openLog";

type Handler = (argument: string) => unknown;

/** Registers every command as `loom.NAME`. */
export function registerCommands(parts: CommandParts): vscode.Disposable {
  const registered = Object.entries(commandTable(parts)).map(([name, handler]) =>
    vscode.commands.registerCommand(`loom.${name}`, async (argument: unknown) => {
      try {
        await handler(typeof argument === "string" ? argument : "");
      } catch (error) {
        parts.log.error(
          `loom.${name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
        );
        void vscode.window.showErrorMessage(vscode.l10n.t("Loom: {0}", messageOf(error)));
      }
    }),
  );
  return vscode.Disposable.from(...registered);
}

function commandTable(parts: CommandParts): Readonly<Record<CommandName, Handler>> {
  const { sessions, chat, models, settings, log } = parts;
  return {
    compactNow: (focus) => compactNow(sessions, focus.trim()),
    newSession: async () => {
      await sessions.startNew();
      await chat.focusComposer();
    },
    showSessions: async () => {
      if (await pickSession(sessions)) await chat.focusComposer();
    },
    showContext: async () => {
      const session = await sessions.ready();
      const [breakdown, details] = [await session.breakdown(), await session.steering.details()];
      await chat.reveal({ type: "context", breakdown, details });
    },
    showSummary: () => showSummary(parts),
    restoreTurn: (turnId) => parts.restorer.restore(turnId),
    stop: () => sessions.current?.stop(),
    selectModel: () => models.select(),
    pullModel: (name) => models.pull(name),
    startOllama: () => startOllama(settings.current.address),
    setToken: async () => {
      await parts.connection.askForToken();
      await parts.status.check();
    },
    focusChat: () => chat.focusComposer(),
    openLog: () => log.show(),
  };
}

async function compactNow(sessions: Sessions, focus: string): Promise<void> {
  const session = await sessions.ready();
  const result = await session.compactNow(focus === "" ? undefined : focus);
  if (!result.ok) void vscode.window.showWarningMessage(result.message);
}

async function showSummary({ sessions, documents }: CommandParts): Promise<void> {
  const summary = (await sessions.ready()).latestSummary();
  if (summary === undefined) {
    const text = vscode.l10n.t("There is no summary yet: this conversation has not been compacted.");
    void vscode.window.showInformationMessage(text);
    return;
  }
  const uri = documents.make(vscode.l10n.t("Summary.md"), summary);
  await vscode.window.showTextDocument(uri, { preview: true });
}
