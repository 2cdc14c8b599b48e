import { spawn, spawnSync } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { Socket } from "node:net";
import { setImmediate, setTimeout as delay } from "node:timers/promises";
import type { CommandRequest, CommandResult, Shell } from "../../core/ports";
import { CommandOutput } from "./commandOutput";
import { outputEncoding, type OutputMachine } from "./outputDecoder";
import { endProcesses, processNames, runningProcesses } from "./processTree";
import type { ProcessTree } from "./processTree";
import { chooseShell, commandEnvironment, shellArguments } from "./shellProgram";

/** A shell that owns what its commands start. */
export interface NodeShell extends Shell {
  /** For the system prompt, e.g. `bash`. */
  readonly name: string;
  /** Whether it speaks the language of POSIX shells. */
  readonly isPosix: boolean;
  /** Ends every process of commands that run or have left some in the background; more commands may follow. */
  dispose(): Promise<void>;
}

/** How long the output of a shell that has ended may be silent before it is taken for complete, in milliseconds. */
const QUIET_MS = 100;
/** The longest wait for that. */
const DRAIN_MS = 1_000;

/** How the shell itself ended. */
type Exit =
  { readonly exitCode: number | null; readonly signal: string | null } | { readonly startError: string };

/** Runs commands in the folder that `folder` gives at the time, without a terminal and with closed input. */
export function createShell(folder: () => string | undefined): NodeShell {
  const program = chooseShell({ platform: process.platform, environment: process.env, exists: existsSync });
  const trees = new Set<ProcessTree>();
  let encoding: { readonly name: string | undefined } | undefined;
  return {
    name: program.name,
    isPosix: program.name !== "PowerShell",
    get folder() {
      return folder();
    },
    async run(request, signal) {
      if (signal.aborted) return endedResult("stop", "");
      const marker = randomUUID();
      const cwd = folder();
      const child = spawn(program.file, shellArguments(program, request.command), {
        cwd,
        env: commandEnvironment(process.env, marker),
        // Its own group and session: it can be ended as a whole and finds no terminal to ask on.
        detached: process.platform !== "win32",
        stdio: ["ignore", "pipe", "pipe"],
        windowsHide: true,
      });
      const tree = child.pid === undefined ? undefined : { group: child.pid, marker };
      if (tree) trees.add(tree);
      encoding ??= { name: outputEncoding(machineOfOutput()) };
      const result = await follow(child, tree, { ...request, encoding: encoding.name, folder: cwd }, signal);
      if (tree && !result.leftRunning) trees.delete(tree);
      return result;
    },
    async dispose() {
      await Promise.all([...trees].map(endProcesses));
      trees.clear();
    },
  };
}

async function follow(
  child: ChildProcess,
  tree: ProcessTree | undefined,
  request: CommandRequest & { readonly encoding: string | undefined; readonly folder: string | undefined },
  signal: AbortSignal,
): Promise<CommandResult> {
  const output = new CommandOutput(request.maxCharacters, request.onOutput, request.encoding);
  for (const stream of [child.stdout, child.stderr]) if (stream) output.read(stream);
  const exit = exitOf(child);
  const closed = once(child, "close").then(
    () => true,
    () => true,
  );
  const endedBy = await waitForEnd(exit, request.timeLimitMs, signal);
  if (endedBy !== "itself" && tree) await endProcesses(tree);
  const ended = await Promise.race([exit, delay(DRAIN_MS, undefined, { ref: false })]);
  const left = tree ? await runningProcesses(tree) : [];
  await drained(output, closed, left.length > 0);
  // A process in the background that keeps the pipes must keep neither the turn nor the host.
  for (const stream of [child.stdout, child.stderr]) if (stream instanceof Socket) stream.unref();
  const text = output.finish();
  if (ended && "startError" in ended) {
    const { folder } = request;
    const isThere = folder === undefined || existsSync(folder);
    return endedResult(endedBy, isThere ? ended.startError : `The folder ${folder} does not exist.`);
  }
  const { exitCode, signal: by } = ended ?? { exitCode: null, signal: null };
  const names = left.length > 0 ? await processNames(left) : [];
  return { exitCode, signal: by, endedBy, output: text, leftRunning: left.length > 0, leftNames: names };
}

function machineOfOutput(): OutputMachine {
  const about = { platform: process.platform, environment: process.env };
  if (process.platform !== "win32") return about;
  const { stdout } = spawnSync("chcp.com", [], { encoding: "latin1", windowsHide: true });
  return { ...about, codePage: stdout ?? "" };
}

function endedResult(endedBy: CommandResult["endedBy"], output: string): CommandResult {
  return { exitCode: null, signal: null, endedBy, output, leftRunning: false };
}

async function exitOf(child: ChildProcess): Promise<Exit> {
  try {
    const [exitCode, signal] = (await once(child, "exit")) as [number | null, string | null];
    return { exitCode, signal };
  } catch (error) {
    return { startError: error instanceof Error ? error.message : String(error) };
  }
}

async function waitForEnd(
  exit: Promise<Exit>,
  timeLimitMs: number,
  signal: AbortSignal,
): Promise<CommandResult["endedBy"]> {
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), timeLimitMs);
  const stopped = once(AbortSignal.any([signal, over.signal]), "abort");
  const first = await Promise.race([exit, stopped.then(() => "stopped" as const)]);
  clearTimeout(timer);
  if (first !== "stopped") return "itself";
  return signal.aborted ? "stop" : "time_limit";
}

/** The pipes close with the last process that has them; when one may live on, silence is the sign that all has come. */
async function drained(output: CommandOutput, closed: Promise<boolean>, isLeft: boolean): Promise<void> {
  for (let waited = 0; waited < DRAIN_MS; waited += QUIET_MS) {
    const pieces = output.pieces;
    const isClosed = await Promise.race([closed, delay(QUIET_MS, false)]);
    // What came while the host was busy is read before this resolves.
    await setImmediate();
    if (isClosed || (isLeft && output.pieces === pieces)) return;
  }
}
