import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { randomUUID } from "node:crypto";
import { groupsBelow, npmAbove, TREE_MARK } from "./processTree";

/**
 * Preloaded into a Node child: it ends, with all processes that it started, when the pipe on its standard input closes.
 * So nothing stays behind even when its parent is killed without a chance to clean up. Processes that the child forks
 * would inherit the preload by its `execArgv`.
 */
const endWithParent = `data:text/javascript,${encodeURIComponent(
  `process.execArgv.length = 0;
   process.stdin.on("close", () => {
     if (process.platform !== "win32") process.kill(-process.pid, "SIGKILL");
     process.exit(0);
   }).resume();
   process.stdin.unref?.();`,
)}`;

const marks = new WeakMap<ChildProcess, string>();

/** Starts a Node program in a process group of its own that ends when this process does, however that happens. */
export function startNode(
  script: string,
  parameters: readonly string[],
  env: NodeJS.ProcessEnv,
): ChildProcess {
  const mark = randomUUID();
  const child = spawn(process.execPath, ["--import", endWithParent, script, ...parameters], {
    env: { ...env, [TREE_MARK]: mark },
    stdio: ["pipe", "pipe", "pipe"],
    detached: process.platform !== "win32",
    windowsHide: true,
  });
  marks.set(child, mark);
  return child;
}

/** Ends a child and all that it started: politely, then after `graceMs` by force. Resolves when the child is gone. */
export async function stopTree(child: ChildProcess, graceMs = 3000): Promise<void> {
  const { pid } = child;
  if (pid === undefined) return;
  // Before the child ends: nothing tells afterwards what had been started by it.
  const groups = groupsBelow(pid, marks.get(child));
  const signalAll = (signal: "SIGTERM" | "SIGKILL"): void =>
    groups.forEach((group) => signalTree(group, signal));
  if (child.exitCode === null && child.signalCode === null) {
    const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    signalAll("SIGTERM");
    const force = setTimeout(() => signalAll("SIGKILL"), graceMs);
    await gone;
    clearTimeout(force);
  }
  // What the child started may outlive it for a moment.
  signalAll("SIGKILL");
}

/** Signals a process that leads a group, and the group; nothing happens when it is gone. On Windows the tree ends at once. */
export function signalTree(pid: number, signal: "SIGTERM" | "SIGKILL"): void {
  if (process.platform === "win32") {
    spawnSync("taskkill", ["/pid", String(pid), "/t", "/f"], { stdio: "ignore" });
    return;
  }
  try {
    process.kill(-pid, signal);
  } catch {
    // The group is gone already.
  }
}

/** How long the clean-up may take once this process is asked to end, in milliseconds. */
const ENDING_LIMIT_MS = 10_000;

/**
 * Aborted, with the reason, when this process is asked to end or who started it has ended. The process then has ten seconds to end by
 * itself; to be asked again changes nothing.
 */
export function askedToEnd(): AbortSignal {
  const asking = new AbortController();
  const ask = (reason: string): void => {
    if (asking.signal.aborted) return;
    setTimeout(() => process.exit(1), ENDING_LIMIT_MS).unref();
    asking.abort(reason);
  };
  // Not `once`: a terminal that closes sends SIGHUP and its shell another, which would end this process in the middle of its clean-up.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => ask(signal));
  const parent = process.ppid;
  const npm = npmAbove();
  setInterval(() => {
    if (process.ppid !== parent || !isAlive(parent) || (npm !== undefined && !isAlive(npm)))
      ask("the parent process has ended");
  }, 500).unref();
  return asking.signal;
}

/** Resolves with the reason when this process is asked to end, or its parent has ended. */
export function untilAskedToEnd(): Promise<string> {
  return untilAborted(askedToEnd());
}

/** Resolves with the reason. */
export function untilAborted(signal: AbortSignal): Promise<string> {
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(String(signal.reason)));
    if (signal.aborted) resolve(String(signal.reason));
  });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
