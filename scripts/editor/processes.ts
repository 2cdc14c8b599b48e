import { spawn, spawnSync, type ChildProcess } from "node:child_process";

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

/** Starts a Node program in a process group of its own that ends when this process does, however that happens. */
export function startNode(
  script: string,
  parameters: readonly string[],
  env: NodeJS.ProcessEnv,
): ChildProcess {
  return spawn(process.execPath, ["--import", endWithParent, script, ...parameters], {
    env,
    stdio: ["pipe", "pipe", "pipe"],
    detached: process.platform !== "win32",
    windowsHide: true,
  });
}

/** Ends a child and the processes of its group: politely, then after `graceMs` by force. Resolves when it is gone. */
export async function stopTree(child: ChildProcess, graceMs = 3000): Promise<void> {
  const { pid } = child;
  if (pid === undefined) return;
  if (child.exitCode === null && child.signalCode === null) {
    const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
    signalTree(pid, "SIGTERM");
    const force = setTimeout(() => signalTree(pid, "SIGKILL"), graceMs);
    await gone;
    clearTimeout(force);
  }
  // What the child started may outlive it for a moment.
  signalTree(pid, "SIGKILL");
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

/** Resolves with the reason when this process is asked to end, or its parent has ended. */
export function untilAskedToEnd(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
      process.once(signal, () => resolve(signal));
    const parent = process.ppid;
    setInterval(() => {
      if (!isAlive(parent)) resolve("the parent process has ended");
    }, 500).unref();
  });
}

function isAlive(parent: number): boolean {
  if (process.ppid !== parent) return false;
  try {
    process.kill(parent, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
