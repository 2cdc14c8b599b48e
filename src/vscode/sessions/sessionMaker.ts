import { randomUUID } from "node:crypto";
import type vscode = require("vscode");
import type { ReadCommand } from "../../core/approvals/commandSyntax";
import { secretTest, type IsSecret } from "../../core/approvals/secrets";
import { hashesIn } from "../../core/log/files";
import type { ChatModel, Workspace } from "../../core/ports";
import { Session, type SessionSettings } from "../../core/session";
import { createTools } from "../../core/tools";
import type { Checkpoints } from "../../core/turn/checkpoints";
import type { NodeShell } from "../../node/commands/shell";
import { describeWorkspace } from "../documents/workspaceFacts";
import { windowInUse, type OllamaStatus } from "../models/ollamaStatus";
import type { SettingValues } from "../settingValues";
import type { Settings } from "../settings";
import { underTrust } from "../trust";
import type { MakeSession } from "./sessions";

interface Parts {
  readonly settings: Settings;
  readonly status: OllamaStatus;
  readonly connection: ChatModel;
  readonly workspace: Workspace;
  readonly shell: NodeShell;
  readonly readCommand: ReadCommand;
  readonly checkpoints: Checkpoints;
  readonly log: vscode.LogOutputChannel;
}

/** The settings with the window that the model can have. */
function sessionSettings(values: SettingValues, status: OllamaStatus): SessionSettings {
  return { ...values, numCtx: windowInUse(values, status) };
}

/** How the sessions of this window are made: over the editor's workspace and with its settings as they are at each moment. */
export function sessionMaker(parts: Parts): MakeSession {
  const { settings, status, connection, workspace, shell, log } = parts;
  const limits = {
    get commandTimeLimitSeconds() {
      return settings.current.commandTimeLimit;
    },
  };
  const readCommand: ReadCommand = shell.isPosix ? parts.readCommand : () => Promise.resolve(undefined);
  const isSecret: IsSecret = (path) => secretTest(settings.current.secretFiles)(path);
  const tools = createTools({ workspace, shell, limits, readCommand, isSecret });
  return (events, store) => {
    const session = new Session(
      {
        chatModel: connection,
        tools,
        describeWorkspace: () => describeWorkspace(shell.name),
        hashOf: hashesIn(workspace),
        checkpoints: parts.checkpoints,
        settings: () => underTrust(sessionSettings(settings.current, status)),
        store,
        now: Date.now,
        newId: randomUUID,
        log: (line) => log.info(line),
      },
      events,
    );
    // The meter of a stored session shows the window that its next request will have, once that is known.
    if (status.current.state === "ready" && !session.isBusy) session.settingsChanged();
    return session;
  };
}
