/** The program that runs a command line, and how it is called. */
export interface ShellProgram {
  readonly file: string;
  /** What comes before the command line. */
  readonly options: readonly string[];
  /** For the system prompt: the model must know whose syntax to write. */
  readonly name: "bash" | "sh" | "PowerShell";
}

type Environment = Readonly<Record<string, string | undefined>>;

/** What the choice of a shell depends on. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly environment: Environment;
  readonly exists: (path: string) => boolean;
}

/** Programs that would wait for a person, and the variables that name them. */
const QUIET: Environment = {
  PAGER: "cat",
  GIT_PAGER: "cat",
  MANPAGER: "cat",
  SYSTEMD_PAGER: "cat",
  EDITOR: "true",
  VISUAL: "true",
  GIT_EDITOR: "true",
  GIT_SEQUENCE_EDITOR: "true",
  GIT_TERMINAL_PROMPT: "0",
  DEBIAN_FRONTEND: "noninteractive",
  TERM: "dumb",
  NO_COLOR: "1",
};

/** What the editor sets for its own processes only. */
const NOT_INHERITED = ["ELECTRON_RUN_AS_NODE", "FORCE_COLOR", "CLICOLOR_FORCE"];

/** By which the processes of one command are found again, also when they have left its process group. */
export const MARKER = "LOOM_COMMAND";

/**
 * The shell of a machine: bash, or sh where there is none; on Windows the bash of Git, else PowerShell. The `bash.exe` of
 * Windows' own system folder is never taken, since it runs in another file system (WSL).
 */
export function chooseShell({ platform, environment, exists }: Machine): ShellProgram {
  if (platform !== "win32") {
    const folders = ["/bin", "/usr/bin", "/usr/local/bin", ...(environment["PATH"] ?? "").split(":")];
    const bash = folders
      .map((folder) => `${folder}/bash`)
      .find((path) => path.startsWith("/") && exists(path));
    return bash === undefined
      ? { file: "/bin/sh", options: ["-c"], name: "sh" }
      : { file: bash, options: ["-c"], name: "bash" };
  }
  const programs = [environment["ProgramFiles"], environment["ProgramFiles(x86)"]];
  const local = environment["LOCALAPPDATA"];
  const bash = [...programs, local === undefined ? undefined : `${local}\\Programs`]
    .filter((folder) => folder !== undefined)
    .map((folder) => `${folder}\\Git\\bin\\bash.exe`)
    .find(exists);
  if (bash !== undefined) return { file: bash, options: ["-c"], name: "bash" };
  const options = ["-NoProfile", "-NonInteractive", "-Command"];
  return { file: "powershell.exe", options, name: "PowerShell" };
}

/** The arguments for one command line. PowerShell is made to write UTF-8 and to end with the program's own exit code. */
export function shellArguments(program: ShellProgram, command: string): readonly string[] {
  if (program.name !== "PowerShell") return [...program.options, command];
  const utf8 = "[Console]::OutputEncoding=[Text.Encoding]::UTF8";
  return [...program.options, `${utf8}\n${command}\nif ($null -ne $LASTEXITCODE) { exit $LASTEXITCODE }`];
}

/** The environment of a command: nothing in it waits for a person or colours what it writes. */
export function commandEnvironment(inherited: Environment, marker: string): Record<string, string> {
  const entries = Object.entries({ ...inherited, ...QUIET, [MARKER]: marker });
  return Object.fromEntries(
    entries.filter(
      (entry): entry is [string, string] => entry[1] !== undefined && !NOT_INHERITED.includes(entry[0]),
    ),
  );
}
