import vscode = require("vscode");
import type { ReadCommand } from "./core/approvals/commandSyntax";
import { createShell } from "./node/commands/shell";
import { chooseAddress, DEFAULT_ADDRESS } from "./ollama/address";
import { Catalog } from "./ollama/models/capabilities";
import { OllamaModel } from "./ollama/ollamaModel";
import { OllamaServer } from "./ollama/server";
import { Connection } from "./ollama/wire/connection";
import { commandRunner, type RunCommand } from "./vscode/commands";
import type { Disposing } from "./vscode/disposable";
import { Diffs } from "./vscode/documents/diffs";
import { editorWorkspace } from "./vscode/documents/editorWorkspace";
import { SavedFiles } from "./vscode/documents/openDocuments";
import { SummaryFiles } from "./vscode/documents/summaryFiles";
import { TurnRestorer } from "./vscode/documents/turnRestorer";
import { VirtualDocuments } from "./vscode/documents/virtualDocuments";
import { localFolders } from "./vscode/documents/workspaceFacts";
import { createLog } from "./vscode/log";
import { AddressQuestion } from "./vscode/models/addressQuestion";
import { CloudConsent } from "./vscode/models/cloudConsent";
import type { Connect } from "./vscode/models/modelServer";
import { Models } from "./vscode/models/models";
import { OllamaConnection } from "./vscode/models/ollamaConnection";
import { OllamaStatus } from "./vscode/models/ollamaStatus";
import { ChatView } from "./vscode/panel/chatView";
import { Indicators } from "./vscode/panel/indicators";
import { handlePageMessages } from "./vscode/panel/pageMessages";
import type { ChooseAddress } from "./vscode/serverAddress";
import { openSessionStore } from "./vscode/sessions/openSessionStore";
import { sessionMaker } from "./vscode/sessions/sessionMaker";
import { Sessions } from "./vscode/sessions/sessions";
import { Settings } from "./vscode/settings";

const readAddress: ChooseAddress = (text) =>
  chooseAddress({ field: "The setting loom.address", text }, process.env["OLLAMA_HOST"]);

const connect: Connect = (options) => {
  const catalog = new Catalog(new Connection(options));
  return { server: new OllamaServer(options, catalog), model: new OllamaModel(options, catalog) };
};
/** The parser is as large as half of everything else, so it is loaded with the first command. */
const readCommand: ReadCommand = async (command) =>
  (await import("./node/commands/shellSyntax")).readShellCommand(command);

/** Loom in one window of the editor. */
export interface Loom {
  readonly chat: ChatView;
  readonly summaries: SummaryFiles;
  readonly runCommand: RunCommand;
  /** Stops what runs and resolves once everything that was said is saved. */
  readonly close: () => Promise<void>;
}

/** Puts Loom together; nothing is asked or read before the panel is shown or a command runs. */
export function createLoom(context: vscode.ExtensionContext): Loom {
  const own: Own = (member) => {
    context.subscriptions.push({ dispose: () => member.dispose() });
    return member;
  };
  const log = own(createLog());
  const { settings, addressQuestion, consent, connection, status } = makeServerParts(context, log, own);
  const workspace = editorWorkspace();
  const shell = createShell(() => localFolders()[0]?.path);
  const { savedSince } = own(new SavedFiles());
  const { checkpoints, ...stores } = openSessionStore(context, { list: workspace.files, savedSince }, log);
  const sessions = own(
    new Sessions({
      ...stores,
      makeSession: sessionMaker({
        settings,
        status,
        connection,
        workspace,
        shell,
        readCommand,
        checkpoints,
        log,
      }),
      endProcesses: () => shell.dispose(),
    }),
  );
  const documents = own(new VirtualDocuments());
  const summaries = own(new SummaryFiles(sessions));
  const diffs = own(new Diffs({ sessions, workspace, documents }));
  const chat = own(new ChatView({ sessions, status, log }));
  const models = new Models({ server: connection, settings, status, consent });
  own(new Indicators({ sessions, status, chat }));
  own(handlePageMessages({ sessions, chat, diffs, summaries, status, settings, workspace, log }));
  const restorer = new TurnRestorer({
    sessions,
    store: checkpoints,
    workspace,
    documents,
  });
  for (const part of [settings, status]) own(part.onDidChange(() => sessions.current?.settingsChanged()));
  const runCommand = commandRunner({
    ...{ sessions, chat, models, connection, status, settings, addressQuestion, documents },
    ...{ summaries, restorer, log },
  });
  return { chat, summaries, runCommand, close: () => sessions.close() };
}

/** Takes a part over, to be disposed of with the extension. */
type Own = <Member extends Disposing>(member: Member) => Member;

/** What the settings say, the server that they name, and the state that it is in. */
function makeServerParts(context: vscode.ExtensionContext, log: vscode.LogOutputChannel, own: Own) {
  const settings = own(
    new Settings({
      chooseAddress: readAddress,
      defaultAddress: DEFAULT_ADDRESS,
      memory: context.workspaceState,
    }),
  );
  const consent = new CloudConsent(settings, context.globalState);
  const connection = own(new OllamaConnection({ settings, secrets: context.secrets, log, connect, consent }));
  const status = own(new OllamaStatus(connection, settings));
  const addressQuestion = own(new AddressQuestion(settings, log));
  return { settings, addressQuestion, consent, connection, status };
}
