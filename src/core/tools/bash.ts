import type { CommandQuestion } from "../../shared/live";
import {
  isDangerous,
  onlyReads,
  programsOf,
  type CommandSyntax,
  type ReadCommand,
} from "../approvals/commandSyntax";
import { secretsNamed, type IsSecret } from "../approvals/secrets";
import type { CommandResult, Shell, Workspace } from "../ports";
import { formatCount, keepHead, quantity } from "../window/truncate";
import { readArguments, toSchema } from "./arguments";
import type { ArgumentsOf } from "./arguments";
import { filesNamed } from "./commandFiles";
import { cancelled, denied, noFolderForCommands } from "./outcomes";
import type { Tool, ToolContext, ToolRun } from "./tool";

const FIELDS = {
  command: {
    type: "string",
    isRequired: true,
    aliases: ["cmd", "script", "shell_command", "command_line", "bash", "code"],
    example: "npm test",
  },
} as const;

type BashArguments = ArgumentsOf<typeof FIELDS>;

/** Limits that settings may change; read anew for each call. */
export interface ToolLimits {
  readonly commandTimeLimitSeconds: number;
}

/** What the `bash` tool works with. */
export interface BashPorts {
  readonly shell: Shell;
  readonly limits: ToolLimits;
  /** Without it nothing is known of a command, and each one is asked about. */
  readonly readCommand?: ReadCommand;
  readonly isSecret?: IsSecret;
  /** By which files that a command names are kept before it runs. */
  readonly workspace?: Workspace;
}

/** Room in the result for the sentences around the output. */
const STATUS_CHARACTERS = 400;

/** `bash`: runs one command line in the workspace folder after the person has agreed to exactly that text. */
export function createBashTool(ports: BashPorts): Tool<BashArguments> {
  const { shell, limits } = ports;
  return {
    schema: toSchema("bash", "Run a shell command in the workspace, without input", FIELDS),
    asks: true,
    parse(input) {
      const parsed = readArguments("bash", FIELDS, input);
      if ("error" in parsed || parsed.command.trim() !== "") return parsed;
      return { error: 'bash needs a command that is not empty, e.g. {"command":"npm test"}.' };
    },
    async run({ command }, context, signal) {
      const { folder } = shell;
      if (folder === undefined) return noFolderForCommands();
      const syntax = await ports.readCommand?.(command);
      const words = syntax?.words ?? command.split(/[\s'"`]+/);
      const led = await whereLeading(ports.workspace, syntax?.plain ?? []);
      const question = questionOf({ command, folder, syntax, words: [...words, ...led] }, ports.isSecret);
      const decision = await context.ask(question, signal);
      if (signal.aborted) return cancelled("Stopped by the person; the command was not run.");
      if (decision.answer === "deny") return denied("The command was not run.", decision.reason);
      const seconds = limits.commandTimeLimitSeconds;
      const request = {
        command,
        timeLimitMs: seconds * 1_000,
        maxCharacters: Math.max(0, context.maxCharacters - STATUS_CHARACTERS),
        onOutput: context.onOutput,
      };
      const run = () => shell.run(request, signal);
      const isReading = syntax !== undefined && onlyReads(command, syntax);
      const result = isReading ? await run() : await keeping({ ports, words, context, run }, signal);
      if (result === undefined) return cancelled("Stopped by the person; the command was not run.");
      return describe(command, result, seconds);
    },
  };
}

/** Where the words of what may run unasked lead to: a link with a harmless name may lead to a secret. */
async function whereLeading(
  workspace: Workspace | undefined,
  words: readonly string[],
): Promise<readonly string[]> {
  if (!workspace) return [];
  const paths = await Promise.all(words.map((word) => workspace.resolve(word)));
  return paths.flatMap((path) => (path.place === "no_folder" ? [] : [path.shown]));
}

interface KnownCommand {
  readonly command: string;
  readonly folder: string;
  readonly syntax: CommandSyntax | undefined;
  readonly words: readonly string[];
}

/** Everything that is known of a command before it runs. */
function questionOf(known: KnownCommand, isSecret: IsSecret | undefined): CommandQuestion {
  const { command, folder, syntax, words } = known;
  const secrets = isSecret === undefined ? [] : secretsNamed(words, isSecret);
  return {
    kind: "command",
    command,
    folder,
    ...(syntax?.plain && { plain: syntax.plain }),
    ...(syntax && { programs: programsOf(syntax) }),
    ...(syntax?.commands.some(isDangerous) === true && { isDangerous: true }),
    ...(secrets.length > 0 && { secrets }),
  };
}

interface KeptRun {
  readonly ports: BashPorts;
  readonly words: readonly string[];
  readonly context: ToolContext;
  readonly run: () => Promise<CommandResult>;
}

/** Runs a command so that what it changes can be taken back: what it names, ignored files too, and all files of the workspace. */
async function keeping(
  { ports: { workspace }, words, context, run }: KeptRun,
  signal: AbortSignal,
): Promise<CommandResult | undefined> {
  const isNamed = context.keep !== undefined && workspace !== undefined;
  const named = isNamed ? await filesNamed(workspace, words, signal).catch(() => []) : [];
  await context.keep?.(named, false);
  const settle = await context.takeStock?.(signal);
  if (signal.aborted) return undefined;
  try {
    return await run();
  } finally {
    // In this order: it compares with what the files held before.
    await settle?.();
    await context.noteWritten?.(named);
  }
}

function describe(command: string, result: CommandResult, seconds: number): ToolRun {
  const status = statusOf(command, result, seconds);
  const left = result.leftRunning ? leftText(result.leftNames ?? []) : "";
  const hasOutput = result.output.trim() !== "";
  const content = `${status}${left}${/^\s*cd\s+\S+\s*$/.test(command) ? CD : ""}${hasOutput ? `\n${result.output}` : " No output."}`;
  const facts = { kind: "command", command, exitCode: result.exitCode } as const;
  const lines = hasOutput ? "" : ", no output";
  if (result.endedBy === "stop") return { outcome: "cancelled", content, summary: "stopped", facts };
  return {
    outcome: result.endedBy === "itself" && result.exitCode === 0 ? "ok" : "error",
    content,
    summary: `${summaryOf(result, seconds)}${lines}`,
    facts,
  };
}

/** What a model that changes folders by itself would find out only by going wrong. */
const CD = " The next command starts in the workspace folder again: join them with &&.";

/** Processes that are named in a result. */
const MOST_NAMED = 3;

function leftText(names: readonly string[]): string {
  const named = names.slice(0, MOST_NAMED).map((name) => keepHead(name, 40));
  const rest = names.length - named.length;
  const list = named.length === 0 ? "" : ` (${named.join(", ")}${rest > 0 ? ` and ${rest} more` : ""})`;
  return ` A process that it started in the background still runs${list}; it is ended with the session.`;
}

function statusOf(command: string, result: CommandResult, seconds: number): string {
  if (result.endedBy === "stop") return "Stopped by the person before it ended by itself.";
  if (result.endedBy === "time_limit") {
    return `Not finished: ended at the time limit of ${quantity(seconds, "second")}, with all processes that it had started.`;
  }
  if (result.exitCode !== null) {
    return `Exit code ${result.exitCode}${isPipeline(command) ? " (of the last stage of the pipe)" : ""}.`;
  }
  return result.signal === null ? "The command could not be started." : `Ended by signal ${result.signal}.`;
}

function summaryOf(result: CommandResult, seconds: number): string {
  if (result.endedBy === "time_limit") return `time limit of ${formatCount(seconds)} s`;
  if (result.exitCode !== null) return `exit code ${result.exitCode}`;
  return result.signal === null ? "not started" : `signal ${result.signal}`;
}

/** Only for the wording: whether an exit code may hide that an earlier stage failed. */
function isPipeline(command: string): boolean {
  const withoutQuotes = command.replace(/\\.|'[^']*'|"(?:\\.|[^"\\])*"/gs, "");
  return /(^|[^|])\|(?!\|)/.test(withoutQuotes);
}
