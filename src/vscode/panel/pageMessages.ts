import { isAbsolute } from "node:path";
import vscode = require("vscode");
import type { Workspace } from "../../core/ports";
import type { FromPage, PageCommand } from "../../shared/protocol";
import type { Diffs } from "../documents/diffs";
import type { SummaryFiles } from "../documents/summaryFiles";
import { messageOf } from "../log";
import { inform, tellError } from "../messages";
import type { OllamaStatus } from "../models/ollamaStatus";
import type { Sessions } from "../sessions/sessions";
import { openSetting, type Settings } from "../settings";
import { steer } from "../steeringCommands";
import type { ChatView } from "./chatView";

interface Parts {
  readonly sessions: Sessions;
  readonly chat: ChatView;
  readonly diffs: Diffs;
  readonly status: OllamaStatus;
  readonly settings: Settings;
  readonly summaries: SummaryFiles;
  readonly workspace: Workspace;
  readonly log: vscode.LogOutputChannel;
}

/** Does what the page asks for. */
export function handlePageMessages(parts: Parts): vscode.Disposable {
  const messages = parts.chat.onMessage((message) => {
    handle(message, parts).catch((error: unknown) => {
      parts.log.error(
        `${message.type}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      );
      void tellError(vscode.l10n.t("Loom: {0}", messageOf(error)));
    });
  });
  return vscode.Disposable.from(messages, preloadAfterCompactions(parts));
}

/** What a compaction leaves is read before it is needed: the cursor is in the message field by then, and does not come there anew. */
function preloadAfterCompactions(parts: Parts): vscode.Disposable {
  let isNew = false;
  return parts.sessions.onEvent((event) => {
    if (event.type === "compacted") isNew = true;
    if (!isNew || event.type !== "phase_changed" || event.phase.name !== "idle") return;
    isNew = false;
    if (parts.chat.isVisible) preload(parts);
  });
}

async function handle(message: FromPage, parts: Parts): Promise<void> {
  const { sessions, chat, diffs, log } = parts;
  switch (message.type) {
    case "ready":
      return;
    case "send":
      return send(message, sessions, chat);
    case "draft":
      sessions.draft = message.draft;
      return;
    case "composer_focused":
      return preload(parts);
    case "withdraw":
      sessions.current?.withdraw(message.id);
      return;
    case "stop":
      return sessions.current?.stop();
    case "resume":
      return sessions.current?.resume(message.how);
    case "decide":
      return sessions.current?.decide(message.callId, message.decision, message.askId);
    case "steer": {
      const outcome = await steer(message.action, parts);
      if (!outcome.ok) chat.post({ type: "say", message: outcome.message });
      return;
    }
    case "show_diff":
      return diffs.show(message.callId);
    case "command":
      return runCommand(message.command, message.argument, parts.status);
    case "copy":
      return vscode.env.clipboard.writeText(message.text);
    case "insert_at_cursor":
      return insertAtCursor(message.text);
    case "open_link":
      return openLink(message.url);
    case "open_file":
      return openFile(message.path, parts.workspace);
    case "page_error":
      log.error(`The page failed: ${message.message}`);
  }
}

/** Loads the model while the person types, unless that is not wanted or there is none that could be. What was said goes to no other machine before it is sent. */
function preload({ sessions, status, settings }: Parts): void {
  const { current } = status;
  const { preload: isWanted, address } = settings.current;
  if (isWanted && current.state === "ready" && !current.isRehearsal)
    sessions.current?.preload(address.isLoopback ? "with_context" : "model");
}

type Sending = Extract<FromPage, { type: "send" }>;

/** Waits for a change of session that is under way, so that the message reaches the session that the person sees. */
async function send({ id, text }: Sending, sessions: Sessions, chat: ChatView): Promise<void> {
  const session = await sessions.ready();
  const answer = session.send(id, text);
  if (!answer.accepted) chat.post({ type: "send_refused", id, text, message: answer.message });
}

async function runCommand(command: PageCommand, argument: string, status: OllamaStatus): Promise<void> {
  switch (command) {
    case "checkAgain":
      return status.check();
    case "openSettings":
      return openSetting(argument === "" ? undefined : argument);
    case "openFolder":
      await vscode.commands.executeCommand("vscode.openFolder");
      return;
    default:
      // Without one, a command asks for it where it needs one.
      await vscode.commands.executeCommand(`loom.${command}`, ...(argument === "" ? [] : [argument]));
  }
}

async function insertAtCursor(text: string): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) {
    void inform(vscode.l10n.t("Open a file first: there is no cursor to insert at."));
    return;
  }
  await editor.edit((edit) => {
    for (const selection of editor.selections) edit.replace(selection, text);
  });
}

/** Only addresses of the web: a model's text must not start programs or editor commands. */
async function openLink(url: string): Promise<void> {
  if (/^https?:\/\//i.test(url)) await vscode.env.openExternal(vscode.Uri.parse(url, true));
}

async function openFile(path: string, workspace: Workspace): Promise<void> {
  const resolved = await workspace.resolve(path);
  if (resolved.place !== "inside" || resolved.kind !== "file") {
    const text = vscode.l10n.t("{0} is not a file in this workspace.", path);
    void inform(text);
    return;
  }
  const { absolute } = resolved;
  const uri = isAbsolute(absolute) ? vscode.Uri.file(absolute) : vscode.Uri.parse(absolute, true);
  await vscode.window.showTextDocument(uri, { preview: true });
}
