import { randomBytes } from "node:crypto";
import { createWriteStream, existsSync } from "node:fs";
import { cp, mkdir, symlink, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { cacheFolder, installOnce, npmInstall } from "./cache";
import { ensurePlainLog } from "./plainLog";
import { startNode, stopTree } from "./processes";

const packaged = "code-server@4.100.3";
/** The search program, which the server's own package would download from elsewhere. */
const search = "@vscode/ripgrep@1.18.0";

/** True when the server form is in the cache folder. */
export function hasServer(): boolean {
  return existsSync(installation());
}

function installation(): string {
  return cacheFolder("vscode", packaged.replace("@", "-"));
}

/** Puts VS Code's server form (npm's code-server, about 300 MB) into the cache folder and gives its folder. */
export async function ensureServer(signal?: AbortSignal): Promise<string> {
  const folder = installation();
  await installOnce(folder, async (target) => {
    await npmInstall(target, ["--no-save", packaged, search], signal);
    const inner = join(target, "node_modules", "code-server", "lib", "vscode");
    await npmInstall(inner, ["--omit=dev", "--legacy-peer-deps"], signal);
    const platform = `ripgrep-${process.platform}-${process.arch}`;
    await cp(
      join(target, "node_modules", "@vscode", platform, "bin"),
      join(inner, "node_modules", "@vscode", "ripgrep", "bin"),
      { recursive: true },
    );
  }).catch((error: unknown) => {
    throw new Error(`VS Code's server form (${packaged}) could not be had from npm.`, { cause: error });
  });
  const server = join(folder, "node_modules", "code-server", "lib", "vscode");
  await ensurePlainLog(join(server, "node_modules"));
  return server;
}

/** What the workbench is told by its address, as pairs: `["extensionDevelopmentPath", …]`, `["openFile", …]` and so on. */
export type Payload = readonly (readonly [name: string, value: string])[];

export interface ServerOptions {
  /** An empty folder for settings, state and logs; `server.log` in it gets what the server prints. */
  readonly dataFolder: string;
  /** The content of settings.json, both the user's and the machine's. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Added to this process's environment for the server and its extension host. */
  readonly env?: Readonly<Record<string, string>>;
  /**
   * The folder of an extension that is installed in it. One that is under development instead, by the address, is told from others: the
   * editor then shows no modal dialogs, and says so in an error.
   */
  readonly extension?: string;
  /** Called with every line that the server prints. */
  readonly onLine?: (line: string) => void;
  /** Cuts the start short, which then throws; a server that has started is ended by `stop`. */
  readonly signal?: AbortSignal;
}

export interface EditorServer {
  /** The file at an absolute path, as the workbench names it. */
  resource(path: string): string;
  /** The address to open in a browser; it carries the secret that the server asks for. */
  url(folder: string, payload: Payload): string;
  /** Resolves when the server has ended, whatever the reason. */
  readonly ended: Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Starts VS Code's server form on a free port of the loopback interface. */
export async function startServer(options: ServerOptions): Promise<EditorServer> {
  const program = join(await ensureServer(options.signal), "out", "server-main.js");
  await writeSettings(options);
  if (options.extension !== undefined) await installExtension(options.extension, options.dataFolder);
  const token = randomBytes(16).toString("hex");
  const child = startNode(
    program,
    [
      ...["--host", "127.0.0.1", "--port", "0", "--connection-token", token, "--accept-server-license-terms"],
      ...[
        "--telemetry-level",
        "off",
        "--server-data-dir",
        options.dataFolder,
        "--disable-websocket-compression",
      ],
      // Without it a built workbench ignores an extension under development.
      ...(options.extension === undefined ? ["--enable-smoke-test-driver"] : []),
    ],
    { ...process.env, ...options.env },
  );
  const log = createWriteStream(join(options.dataFolder, "server.log"));
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  try {
    const port = await new Promise<number>((resolve, reject) => {
      const onLine = (line: string): void => {
        log.write(`${line}\n`);
        options.onLine?.(line);
        const listening = /agent listening on (\d+)/.exec(line);
        if (listening) resolve(Number(listening[1]));
      };
      for (const stream of [child.stdout, child.stderr]) if (stream) eachLine(stream, onLine);
      options.signal?.addEventListener("abort", () => reject(new Error("The start was cut short.")));
      options.signal?.throwIfAborted();
      child.once("error", reject);
      child.once("exit", (code) =>
        reject(new Error(`VS Code's server ended with ${code} before it listened.`)),
      );
    });
    return { ...addresses(port, token), ended, stop: () => stopTree(child) };
  } catch (error) {
    await stopTree(child);
    throw error;
  }
}

/** Installed as a link, so that a build is there after a reload of the window. */
async function installExtension(extension: string, dataFolder: string): Promise<void> {
  const folder = join(dataFolder, "extensions");
  await mkdir(folder, { recursive: true });
  await symlink(resolve(extension), join(folder, "loom.loom"), "junction");
}

/** Settings of the machine's scope are read from a file of their own, where the extensions run. */
async function writeSettings({ dataFolder, settings }: ServerOptions): Promise<void> {
  for (const place of ["User", "Machine"]) {
    const folder = join(dataFolder, "data", place);
    await mkdir(folder, { recursive: true });
    await writeFile(
      join(folder, "settings.json"),
      JSON.stringify({ ...languageSettings(), ...settings }, null, 2),
    );
  }
}

/** The npm package comes without the language server of TypeScript, and says so in a message for each file; this project has one. */
function languageSettings(): Readonly<Record<string, string>> {
  const folder = resolve("node_modules", "typescript", "lib");
  return existsSync(folder) ? { "typescript.tsdk": folder } : {};
}

function addresses(port: number, token: string): Pick<EditorServer, "resource" | "url"> {
  const authority = `127.0.0.1:${port}`;
  return {
    resource: (path) => `vscode-remote://${authority}${pathToFileURL(path).pathname}`,
    url(folder, payload) {
      const query = new URLSearchParams({
        tkn: token,
        folder: decodeURIComponent(pathToFileURL(folder).pathname),
        payload: JSON.stringify(payload),
      });
      return `http://${authority}/?${query.toString()}`;
    },
  };
}

function eachLine(stream: NodeJS.ReadableStream, onLine: (line: string) => void): void {
  let rest = "";
  stream.on("data", (chunk: Buffer) => {
    const lines = (rest + chunk.toString()).split(/\r?\n/);
    rest = lines.pop() ?? "";
    lines.forEach(onLine);
  });
}
