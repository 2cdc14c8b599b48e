import vscode = require("vscode");
import type { SummaryFiles } from "./documents/summaryFiles";
import type { TurnRestorer } from "./documents/turnRestorer";
import type { VirtualDocuments } from "./documents/virtualDocuments";
import type { CommandName } from "./entry/names";
import { messageOf } from "./log";
import { inform, tellError } from "./messages";
import type { AddressQuestion } from "./models/addressQuestion";
import type { Models } from "./models/models";
import type { OllamaConnection } from "./models/ollamaConnection";
import type { OllamaStatus } from "./models/ollamaStatus";
import { startOllama } from "./models/startOllama";
import type { ChatView } from "./panel/chatView";
import { pickSession } from "./sessions/sessionPicker";
import type { Sessions } from "./sessions/sessions";
import type { Settings } from "./settings";
import {
  compactNow,
  editSummary,
  pinSelection,
  regenerateSummary,
  showRequest,
  undoCompaction,
} from "./steeringCommands";

/** What the commands work on. */
export interface CommandParts {
  readonly sessions: Sessions;
  readonly chat: ChatView;
  readonly models: Models;
  readonly status: OllamaStatus;
  readonly connection: OllamaConnection;
  readonly settings: Settings;
  readonly addressQuestion: AddressQuestion;
  readonly documents: VirtualDocuments;
  readonly restorer: TurnRestorer;
  readonly summaries: SummaryFiles;
  readonly log: vscode.LogOutputChannel;
}

type Handler = (argument: string | undefined) => unknown;

/** Does a command; an argument comes from the panel, none from the palette. Failures are told and logged, never thrown. */
export type RunCommand = (name: CommandName, argument: unknown) => Promise<void>;

/** What does the commands. */
export function commandRunner(parts: CommandParts): RunCommand {
  const table = commandTable(parts);
  return async (name, argument) => {
    try {
      await table[name](typeof argument === "string" ? argument : undefined);
    } catch (error) {
      parts.log.error(
        `loom.${name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      );
      void tellError(vscode.l10n.t("Loom: {0}", messageOf(error)));
    }
  };
}

function commandTable(parts: CommandParts): Readonly<Record<CommandName, Handler>> {
  const { sessions, chat, models, settings, log } = parts;
  return {
    compactNow: (focus) => compactNow(parts, focus),
    undoCompaction: () => undoCompaction(parts),
    editSummary: () => editSummary(parts),
    regenerateSummary: () => regenerateSummary(parts),
    pinSelection: () => pinSelection(parts),
    showRequest: () => showRequest(parts),
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
    restoreTurn: (turnId) => parts.restorer.restore(turnId ?? ""),
    stop: () => sessions.current?.stop(),
    selectModel: () => models.select(),
    selectWindow: () => models.selectWindow(),
    chooseAddress: () => parts.addressQuestion.ask(),
    allowCloudModel: (model) => models.allowCloud(model ?? ""),
    pullModel: (name) => models.pull(name ?? ""),
    startOllama: () => startOllama(settings.current.address),
    setToken: async () => {
      await parts.connection.askForToken();
      await parts.status.check();
    },
    focusChat: () => chat.focusComposer(),
    openLog: () => log.show(),
  };
}

async function showSummary({ sessions, documents }: CommandParts): Promise<void> {
  const summary = (await sessions.ready()).latestSummary();
  if (summary === undefined) {
    const text = vscode.l10n.t("There is no summary yet: this conversation has not been compacted.");
    void inform(text);
    return;
  }
  const uri = documents.make(vscode.l10n.t("Summary.md"), summary);
  await vscode.window.showTextDocument(uri, { preview: true });
}
