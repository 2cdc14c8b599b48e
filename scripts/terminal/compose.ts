import { mkdtemp, readFile, realpath, rm, stat } from "node:fs/promises";
import { platform, tmpdir } from "node:os";
import { basename, join } from "node:path";
import type { ReadCommand } from "../../src/core/approvals/commandSyntax";
import { SECRET_FILES, secretTest } from "../../src/core/approvals/secrets";
import { COMMAND_TIME_LIMIT } from "../../src/core/limits";
import { hashesIn } from "../../src/core/log/files";
import { Session, type WorkspaceFacts } from "../../src/core/session";
import { createTools } from "../../src/core/tools";
import { createShell } from "../../src/node/commands/shell";
import { readShellCommand } from "../../src/node/commands/shellSyntax";
import { CheckpointStore } from "../../src/node/files/checkpointStore";
import { createWorkspace } from "../../src/node/files/workspace";
import { findRipgrep } from "../../src/node/search/ripgrep";
import { chooseAddress } from "../../src/ollama/address";
import { OllamaModel } from "../../src/ollama/ollamaModel";
import { OllamaServer } from "../../src/ollama/server";
import type { LogEvent } from "../../src/shared/events";
import type { ApprovalQuestion } from "../../src/shared/live";
import type { TerminalArguments } from "../../src/terminal/arguments";
import { TerminalFront } from "../../src/terminal/front";
import type { Print } from "../../src/terminal/printer";
import type { RestorePorts } from "../../src/terminal/restore";
import { DEFAULT_SETTINGS } from "../../src/terminal/settings";

/** A terminal front end with everything behind it; `close` ends the session and what its commands left running. */
export interface ComposedTerminal {
  readonly front: TerminalFront;
  readonly model: string;
  readonly address: string;
  close(): Promise<void>;
}

/** The terminal itself, and who sits at it. */
export interface TerminalPorts extends Pick<RestorePorts, "answer"> {
  readonly print: Print;
  readonly ask: (question: ApprovalQuestion) => Promise<boolean>;
}

/** Puts the terminal front end together over real files and a real server, or says in one sentence why that cannot be. */
export async function composeTerminal(
  given: TerminalArguments,
  { print, ask, answer }: TerminalPorts,
): Promise<ComposedTerminal | { readonly error: string }> {
  const address = chooseAddress({ field: "--host", text: given.host }, process.env["OLLAMA_HOST"]);
  if ("error" in address) return address;
  const folder = await folderAt(given.workspace);
  if (folder === undefined) return { error: `--workspace is "${given.workspace}", which is not a folder.` };
  const server = new OllamaServer({ address });
  const model = await chooseModel(server, given.model);
  if (typeof model !== "string") return model;
  const chatModel = new OllamaModel({ address });
  const { shell, workspace, tools } = toolsOn(folder);
  // A session ends with its terminal, and what is kept for it as well.
  const storage = await mkdtemp(join(tmpdir(), "loom-checkpoints-"));
  const checkpoints = new CheckpointStore(storage, { list: workspace.files });
  let ids = 0;
  const settings = { ...DEFAULT_SETTINGS, model, numCtx: given.numCtx, summaryRequest: given.request };
  const newSession = () =>
    new Session(
      {
        chatModel,
        tools,
        describeWorkspace: () => describeWorkspace(folder, shell.name),
        hashOf: hashesIn(workspace),
        checkpoints,
        settings: () => settings,
        store: { append: (_event: LogEvent) => Promise.resolve() },
        now: () => Date.now(),
        newId: () => `t${++ids}`,
        log: () => undefined,
      },
      [],
    );
  const restoring = { parts: { store: checkpoints, workspace }, answer };
  const front = new TerminalFront({ print, ask, json: given.json, newSession, restoring });
  return {
    front,
    model,
    address: address.url,
    async close() {
      await front.close();
      await shell.dispose();
      await rm(storage, { recursive: true, force: true });
    },
  };
}

function toolsOn(folder: string) {
  const shell = createShell(() => folder);
  const ripgrep = findRipgrep(undefined, process.env);
  const folders = [{ name: basename(folder), path: folder }];
  const workspace = createWorkspace(() => folders, ripgrep === undefined ? {} : { ripgrep });
  const limits = { commandTimeLimitSeconds: COMMAND_TIME_LIMIT.default };
  const isSecret = secretTest(SECRET_FILES);
  const tools = createTools({ workspace, shell, limits, isSecret, ...(shell.isPosix && { readCommand }) });
  return { shell, workspace, tools };
}

const readCommand: ReadCommand = (command) => Promise.resolve(readShellCommand(command));

async function folderAt(path: string): Promise<string | undefined> {
  try {
    return (await stat(path)).isDirectory() ? await realpath(path) : undefined;
  } catch {
    return undefined;
  }
}

/** The model that was named, if the server has it and it can call tools; without a name the first that can. */
async function chooseModel(server: OllamaServer, name: string): Promise<string | { readonly error: string }> {
  const { signal } = new AbortController();
  if (name !== "") {
    const status = await server.status(name, signal);
    if (status.state === "ready") return name;
    if (status.state === "unreachable") return { error: status.message };
    if (status.state === "no_tools")
      return { error: `${name} cannot call tools. Choose another with --model.` };
    return {
      error: `The server at ${status.address} has no model "${name}". Get it with: ollama pull ${name}`,
    };
  }
  const installed = await server.listModels(signal);
  if ("failure" in installed) return { error: installed.failure.message };
  for (const { name: candidate } of installed) {
    const status = await server.status(candidate, signal);
    if (status.state === "ready") return candidate;
  }
  return {
    error: "The server has no model that can call tools. Get one, for example: ollama pull qwen3.5:4b",
  };
}

async function describeWorkspace(folder: string, shell: string): Promise<WorkspaceFacts> {
  const rules = await readFile(join(folder, "AGENTS.md"), "utf8").catch(() => "");
  return {
    folders: [{ name: basename(folder), path: folder }],
    operatingSystem: platform(),
    shell,
    date: new Date().toISOString().slice(0, 10),
    ...(rules === "" ? {} : { projectRules: { path: "AGENTS.md", text: rules } }),
  };
}
