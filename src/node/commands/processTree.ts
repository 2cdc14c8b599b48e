import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { MARKER } from "./shellProgram";

/** The processes of one command: those of its group, and where it can be told those that carry its marker. */
export interface ProcessTree {
  /** The process id of the shell, which leads the group. */
  readonly group: number;
  readonly marker: string;
}

/** How long a process may take to end by itself after it was asked to, in milliseconds. */
const GRACE_MS = 1_500;
/** How long to wait for what was killed. */
const KILL_MS = 2_000;
/** The first and the longest pause between two looks. */
const POLL_MS = { first: 10, longest: 160 } as const;

/** The processes that still run: their ids where the system tells them, else that of the group. */
export async function runningProcesses(tree: ProcessTree): Promise<readonly number[]> {
  if (process.platform === "win32") return [];
  const listed = process.platform === "linux" ? await fromProc(tree) : undefined;
  if (listed) return listed;
  try {
    process.kill(-tree.group, 0);
    return [-tree.group];
  } catch {
    return [];
  }
}

/** How much of a command line names a process, in characters. */
const NAME_CHARACTERS = 80;

/** The command lines of processes as `runningProcesses` gives them, as far as the system tells them. */
export async function processNames(ids: readonly number[]): Promise<readonly string[]> {
  const lines =
    process.platform === "linux"
      ? await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, "utf8").catch(() => "")))
      : commandsIn(await listedByPs(), ids);
  const names = lines.map((line) =>
    line
      .replaceAll("\0", " ")
      .replace(/\p{C}+/gu, " ")
      .trim()
      .slice(0, NAME_CHARACTERS),
  );
  return names.filter((name) => name !== "");
}

/** What `ps` tells of every process: its id, its group, its state and its command line. */
async function listedByPs(): Promise<string> {
  if (process.platform === "win32") return "";
  const options = { maxBuffer: 16_777_216 };
  return promisify(execFile)("ps", ["-A", "-o", "pid=,pgid=,stat=,command="], options).then(
    ({ stdout }) => stdout,
    () => "",
  );
}

/** The command lines of those processes of a listing that have one of the ids, or a negative one of their group. */
export function commandsIn(listing: string, ids: readonly number[]): readonly string[] {
  return listing.split("\n").flatMap((line) => {
    const [, id, group, state = "", command = ""] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    const isWanted = ids.includes(Number(id)) || ids.includes(-Number(group));
    return isWanted && !state.startsWith("Z") ? [command] : [];
  });
}

/** Ends all processes of a command: asks them first, kills what is left, and resolves when none runs. */
export async function endProcesses(tree: ProcessTree): Promise<void> {
  if (process.platform === "win32") return endOnWindows(tree);
  if (await endWith(tree, "SIGTERM", GRACE_MS)) return;
  await endWith(tree, "SIGKILL", KILL_MS);
}

/** Sends a signal until no process is left, since new ones may start meanwhile; false when some stay. */
async function endWith(tree: ProcessTree, signal: NodeJS.Signals, waitMs: number): Promise<boolean> {
  const told = new Set<number>();
  const deadline = performance.now() + waitMs;
  for (let pause: number = POLL_MS.first; ; pause = Math.min(2 * pause, POLL_MS.longest)) {
    const running = await runningProcesses(tree);
    if (running.length === 0) return true;
    if (performance.now() > deadline) return false;
    for (const id of running) {
      // Once is enough for asking, and a program may take a second request for a harder one.
      if (signal === "SIGKILL" || !told.has(id)) send(id, signal);
      told.add(id);
    }
    await delay(pause);
  }
}

function send(id: number, signal: NodeJS.Signals): void {
  try {
    process.kill(id, signal);
  } catch {
    // It ended by itself in the meantime.
  }
}

async function endOnWindows({ group }: ProcessTree): Promise<void> {
  const ending = spawn("taskkill", windowsKillArguments(group), { stdio: "ignore", windowsHide: true });
  await once(ending, "exit").catch(() => undefined);
}

/** Ends a process with all that it has started. */
export function windowsKillArguments(processId: number): readonly string[] {
  return ["/PID", String(processId), "/T", "/F"];
}

/** Zombies do not count: they run no more, and where nobody reaps them they stay for ever. */
async function fromProc({ group, marker }: ProcessTree): Promise<readonly number[] | undefined> {
  const names = await readdir("/proc").catch(() => undefined);
  if (!names) return undefined;
  const ids = names.filter((name) => /^\d+$/.test(name) && name !== String(process.pid));
  const found = await Promise.all(
    ids.map(async (id) => ((await belongs(id, group, marker)) ? [Number(id)] : [])),
  );
  return found.flat();
}

async function belongs(id: string, group: number, marker: string): Promise<boolean> {
  const stat = await readFile(`/proc/${id}/stat`, "latin1").catch(() => "");
  // The name before the last parenthesis may hold anything.
  const [state, , itsGroup, session] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  if (state === undefined || state === "" || state === "Z" || state === "X") return false;
  if (Number(itsGroup) === group || Number(session) === group) return true;
  const environment = await readFile(`/proc/${id}/environ`, "latin1").catch(() => "");
  return environment.includes(`${MARKER}=${marker}`);
}
