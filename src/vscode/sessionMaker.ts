import { randomUUID } from "node:crypto";
import type * as vscode from "vscode";
import type { Checkpoints } from "../core/checkpoints";
import type { ReadCommand } from "../core/commandSyntax";
import { hashesIn } from "../core/files";
import type { ChatModel, Workspace } from "../core/ports";
import { secretTest, type IsSecret } from "../core/secrets";
import { Session } from "../core/session";
import { createTools } from "../core/tools";
import type { NodeShell } from "../node/shell";
import type { MakeSession } from "./sessions";
import type { Settings } from "./settings";
import { describeWorkspace } from "./workspaceFacts";

interface Parts {
  readonly settings: Settings;
  readonly connection: ChatModel;
  readonly workspace: Workspace;
  readonly shell: NodeShell;
  readonly readCommand: ReadCommand;
  readonly checkpoints: Checkpoints;
  readonly log: vscode.LogOutputChannel;
}

/** How the sessions of this window are made: over the editor's workspace and with its settings as they are at each moment. */
export function sessionMaker(parts: Parts): MakeSession {
  const { settings, connection, workspace, shell, log } = parts;
  const limits = {
    get commandTimeLimitSeconds() {
      return settings.current.commandTimeLimit;
    },
  };
  const readCommand: ReadCommand = shell.isPosix ? parts.readCommand : () => Promise.resolve(undefined);
  const isSecret: IsSecret = (path) => secretTest(settings.current.secretFiles)(path);
  const tools = createTools({ workspace, shell, limits, readCommand, isSecret });
  return (events, store) =>
    new Session(
      {
        chatModel: connection,
        tools,
        describeWorkspace: () => describeWorkspace(shell.name),
        hashOf: hashesIn(workspace),
        checkpoints: parts.checkpoints,
        settings: () => settings.current,
        store,
        now: Date.now,
        newId: randomUUID,
        log: (line) => log.info(line),
      },
      events,
    );
}
