import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** Where ripgrep may be in an installation of VS Code, below its root folder. */
const IN_VSCODE = [
  ["node_modules", "@vscode", "ripgrep", "bin"],
  ["node_modules.asar.unpacked", "@vscode", "ripgrep", "bin"],
  ["node_modules", "vscode-ripgrep", "bin"],
  ["node_modules.asar.unpacked", "vscode-ripgrep", "bin"],
];

/** Finds ripgrep: that of VS Code, whose root folder may be given, else one on the PATH. Undefined where there is none. */
export function findRipgrep(appRoot: string | undefined, environment: NodeJS.ProcessEnv): string | undefined {
  const name = process.platform === "win32" ? "rg.exe" : "rg";
  const bundled = appRoot === undefined ? [] : IN_VSCODE.map((parts) => join(appRoot, ...parts, name));
  const onPath = (environment["PATH"] ?? environment["Path"] ?? "")
    .split(delimiter)
    .filter((folder) => folder !== "")
    .map((folder) => join(folder, name));
  return [...bundled, ...onPath].find((path) => existsSync(path));
}

/**
 * As the walk does it: `.gitignore` files of the folder and below count, those of other tools and of the person's git do not; hidden
 * files are searched, `.git` is not, links are not followed.
 */
const OPTIONS = [
  "--no-config",
  "--files-with-matches",
  "--null",
  "--color=never",
  "--no-messages",
  "--hidden",
  "--no-ignore",
  "--ignore-vcs",
  "--no-require-git",
  "--no-ignore-global",
  "--no-ignore-exclude",
  "--no-ignore-parent",
  "--crlf",
  "--glob=!.git/",
];

/** What to search for, below one folder. */
export interface RipgrepQuery {
  readonly folder: string;
  /** In ripgrep's own words; see `ripgrepPattern`. */
  readonly pattern: string;
  /** Globs of what need not be searched. */
  readonly excluded: readonly string[];
}

/** The files (absolute) that hold the pattern, in no order; undefined when ripgrep could not do it. */
export async function filesWithMatches(
  program: string,
  { folder, pattern, excluded }: RipgrepQuery,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  const globs = excluded.map((glob) => `--glob=!${glob}`);
  const child = spawn(program, [...OPTIONS, ...globs, `--regexp=${pattern}`, "./"], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
    windowsHide: true,
  });
  const stop = (): void => void child.kill("SIGKILL");
  signal.addEventListener("abort", stop, { once: true });
  const [found, complaints]: [Buffer[], Buffer[]] = [[], []];
  child.stdout.on("data", (bytes: Buffer) => found.push(bytes));
  child.stderr.on("data", (bytes: Buffer) => complaints.push(bytes));
  try {
    const [code] = (await once(child, "close")) as [number | null];
    signal.throwIfAborted();
    // 1 is for nothing found, 2 also for a file that could not be read, which is nothing to complain about.
    if (code === null || code > 2 || (code === 2 && complaints.length > 0)) return undefined;
    const names = Buffer.concat(found).toString("utf8").split("\0");
    // A name that is no UTF-8 cannot be told apart here; the search itself finds such files.
    if (names.some((name) => name.includes("\ufffd"))) return undefined;
    return names.filter((name) => name !== "").map((name) => join(folder, name));
  } catch (error) {
    if (signal.aborted) throw error;
    return undefined;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
