import { execFileSync, spawn } from "node:child_process";
import { createWriteStream, readFileSync } from "node:fs";
import { appendFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { createInterface } from "node:readline";

/** A command of which all output goes to a file. */
export interface LoggedCommand {
  readonly program: string;
  readonly parameters: readonly string[];
  /** The variables that differ from this process's environment. */
  readonly env?: Readonly<Record<string, string>>;
  readonly log: string;
  readonly onLine?: (line: string) => void;
}

/** Runs a command to its end. Throws with the last lines of its output when the exit code is not 0. */
export async function runLogged(command: LoggedCommand): Promise<void> {
  const { program, parameters, log } = command;
  await mkdir(dirname(log), { recursive: true });
  await appendFile(log, `$ ${[program, ...parameters].join(" ")}\n`);
  const child = spawn(program, parameters, {
    env: { ...process.env, ...command.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const last: string[] = [];
  const file = createWriteStream(log, { flags: "a" });
  const take = (line: string): void => {
    file.write(`${line}\n`);
    last.push(line);
    if (last.length > 15) last.shift();
    command.onLine?.(line);
  };
  createInterface({ input: child.stdout }).on("line", take);
  createInterface({ input: child.stderr }).on("line", take);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  await new Promise((resolve) => file.end(resolve));
  if (code === 0) return;
  const call = [program, ...parameters.slice(0, 3)].join(" ");
  throw new Error(
    `"${call} …" ended with ${code}. All it said is in ${log}; it ends with:\n${last.join("\n")}`,
  );
}

/** Empties the log of an earlier run. */
export async function beginLog(log: string): Promise<void> {
  await mkdir(dirname(log), { recursive: true });
  await writeFile(log, "");
}

/** The last lines of a file, or nothing when it is missing. */
export async function lastLines(path: string, count: number): Promise<string> {
  const text = await readFile(path, "utf8").catch(() => "");
  return text.trimEnd().split("\n").slice(-count).join("\n");
}

/** What a program prints when it ends well; undefined when it is missing or fails. `env` is added to the environment. */
export function outputOf(
  program: string,
  parameters: readonly string[],
  env: Readonly<Record<string, string>> = {},
): string | undefined {
  try {
    return execFileSync(program, parameters, {
      encoding: "utf8",
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  } catch {
    return undefined;
  }
}

/** True when there is a process with this id, whosever it is. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** The command line of a process: empty when there is none or it has ended and only its parent has not noticed. */
export function commandLineOf(pid: number): string {
  switch (process.platform) {
    case "linux":
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
      } catch {
        return "";
      }
    case "win32":
      return outputOf("tasklist", ["/fi", `pid eq ${pid}`, "/fo", "csv", "/nh"]) ?? "";
    default:
      return outputOf("ps", ["-p", String(pid), "-o", "command="]) ?? "";
  }
}
