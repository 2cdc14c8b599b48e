import { existsSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { basename, delimiter, dirname, join } from "node:path";

/**
 * The executable of a desktop VS Code: what `LOOM_VSCODE` names (its path or the path of its `code` command), else an
 * installed one. Undefined where there is none, where `LOOM_VSCODE` is `server`, or where Linux has no display.
 */
export function findDesktop(): string | undefined {
  const named = process.env["LOOM_VSCODE"];
  if (named === "server") return undefined;
  if (named) {
    const executable = resolveCommand(named);
    if (executable) return executable;
    throw new Error(`LOOM_VSCODE names ${named}, which is neither VS Code nor its code command.`);
  }
  if (!hasDisplay()) return undefined;
  for (const place of installedPlaces()) {
    const executable = resolveCommand(place);
    if (executable) return executable;
  }
  return undefined;
}

/** True where a window can be shown. */
export function hasDisplay(): boolean {
  if (process.platform === "win32" || process.platform === "darwin") return true;
  return Boolean(process.env["DISPLAY"] ?? process.env["WAYLAND_DISPLAY"]);
}

const linuxNames = ["code", "code-insiders", "codium"];

function installedPlaces(): string[] {
  const onPath = (process.env["PATH"] ?? "").split(delimiter).filter(Boolean);
  switch (process.platform) {
    case "win32": {
      const local = process.env["LOCALAPPDATA"];
      const program = process.env["ProgramFiles"];
      return [
        ...onPath.map((folder) => join(folder, "code.cmd")),
        ...(local ? [join(local, "Programs", "Microsoft VS Code", "Code.exe")] : []),
        ...(program ? [join(program, "Microsoft VS Code", "Code.exe")] : []),
      ];
    }
    case "darwin": {
      const bundles = ["/Applications", join(homedir(), "Applications")].map((folder) =>
        join(folder, "Visual Studio Code.app", "Contents", "Resources", "app", "bin", "code"),
      );
      return [...onPath.map((folder) => join(folder, "code")), ...bundles];
    }
    default:
      return [...onPath, "/usr/share/code", "/snap/code/current/usr/share/code"].flatMap((folder) =>
        linuxNames.map((name) => join(folder, name)),
      );
  }
}

/**
 * `code` is a script in the folder `bin` of the installation that hands over to the editor and returns at once; the
 * editor itself is needed to know when it ends. VS Code's remote sessions put another `code` on PATH that only talks to
 * an editor elsewhere: that one has no editor beside it and is left out.
 */
function resolveCommand(path: string): string | undefined {
  if (!existsSync(path)) return undefined;
  const real = realpathSync(path);
  const folder = dirname(real);
  if (basename(folder) !== "bin") return isEditor(real) ? real : undefined;
  const candidates =
    process.platform === "darwin"
      ? ["Electron", "Code"].map((name) => join(folder, "..", "..", "..", "MacOS", name))
      : process.platform === "win32"
        ? [join(folder, "..", "Code.exe")]
        : linuxNames.map((name) => join(folder, "..", name));
  return candidates.find(isEditor);
}

/** Beside the editor lies its `resources` folder (on macOS one level up); a command of the same name has none. */
function isEditor(path: string): boolean {
  if (process.platform === "win32") return path.endsWith(".exe") && existsSync(path);
  const resources = process.platform === "darwin" ? join("..", "Resources") : "resources";
  return existsSync(path) && existsSync(join(dirname(path), resources, "app"));
}
