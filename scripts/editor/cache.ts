import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";

/** Where large downloads live between runs: `LOOM_CACHE`, else the folder `loom` in the cache folder of the user. */
export function cacheFolder(...parts: readonly string[]): string {
  const given = process.env["LOOM_CACHE"];
  if (given) return join(given, ...parts);
  const local = process.platform === "win32" ? process.env["LOCALAPPDATA"] : process.env["XDG_CACHE_HOME"];
  return join(local ?? join(homedir(), ".cache"), "loom", ...parts);
}

/**
 * Fills `folder` once by `fill`, which gets an empty folder beside it. The folder appears under its name only when it
 * is complete, so a run that was cut off or another one at the same time can't leave half of it.
 */
export async function installOnce(folder: string, fill: (target: string) => Promise<void>): Promise<void> {
  if (existsSync(folder)) return;
  const target = `${folder}.${process.pid}.part`;
  await rm(target, { recursive: true, force: true });
  await mkdir(target, { recursive: true });
  try {
    await fill(target);
    await mkdir(dirname(folder), { recursive: true });
    await rename(target, folder).catch((error: unknown) => {
      if (!existsSync(folder)) throw error;
    });
  } finally {
    await rm(target, { recursive: true, force: true });
  }
}

/** Runs `npm install` with `parameters` in `folder`, without the install scripts of the packages. Throws with npm's words. */
export async function npmInstall(
  folder: string,
  parameters: readonly string[],
  signal?: AbortSignal,
): Promise<void> {
  if (!existsSync(join(folder, "package.json"))) {
    await writeFile(join(folder, "package.json"), JSON.stringify({ private: true }));
  }
  const fixed = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const shell = process.platform === "win32";
  await runToEnd("npm", [...fixed, ...parameters], { cwd: folder, shell, ...(signal && { signal }) });
}

interface RunOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly shell?: boolean;
  /** Ends the command. */
  readonly signal?: AbortSignal;
}

/** Runs a command and gives all that it printed. Throws with the end of that when the exit code is not 0. */
export function runToEnd(
  command: string,
  parameters: readonly string[],
  { signal, ...options }: RunOptions,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, parameters, { ...options, stdio: ["ignore", "pipe", "pipe"] });
    const end = (): void => void child.kill();
    signal?.addEventListener("abort", end);
    if (signal?.aborted) end();
    let output = "";
    const add = (chunk: Buffer): void => {
      output += chunk.toString();
    };
    child.stdout.on("data", add);
    child.stderr.on("data", add);
    child.on("error", reject);
    child.on("close", (code) => {
      signal?.removeEventListener("abort", end);
      if (code === 0) resolve(output);
      else
        reject(
          new Error(`"${[command, ...parameters].join(" ")}" ended with ${code}:\n${output.slice(-2000)}`),
        );
    });
  });
}
