// `npm start`: a real VS Code with Loom in it on a copy of scripts/sample, and an Ollama or the rehearsal model behind it.
// `--no-open` only prints the address. Everything that was started here ends with it.
import { spawn, type ChildProcess } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { runToEnd } from "./editor/cache";
import { findDesktop, hasDisplay } from "./editor/desktop";
import { askedToEnd, stopTree, untilAborted } from "./editor/processes";
import { hasServer, startServer } from "./editor/server";
import { quietSettings } from "./editor/settings";
import { findModel } from "./start/model";

/** An editor that was started. */
interface Editor {
  /** Resolves with a sentence when the editor has ended by itself. */
  readonly ended: Promise<string>;
  readonly stop: () => Promise<void>;
}

interface Place {
  /** The copy of the sample project. */
  readonly project: string;
  /** An empty folder for the editor's own files. */
  readonly data: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly asked: AbortSignal;
}

const extension = resolve(".");

async function main(isOpening: boolean): Promise<void> {
  const asked = askedToEnd();
  asked.addEventListener("abort", () => console.log(`Stopping (${asked.reason}) …`));
  const stops: (() => Promise<void>)[] = [];
  try {
    const editor = await start(isOpening, asked, stops);
    const ended = await Promise.race([untilAborted(asked), editor.ended]);
    if (!asked.aborted) console.log(`Stopping (${ended}) …`);
  } catch (error) {
    // What was being started when Ctrl-C came has failed because of it.
    if (!asked.aborted) throw error;
  } finally {
    for (const stop of stops.reverse()) await stop().catch(report);
  }
}

/** Starts everything, each thing with what ends it in `stops`. */
async function start(
  isOpening: boolean,
  asked: AbortSignal,
  stops: (() => Promise<void>)[],
): Promise<Editor> {
  console.log("Building Loom …");
  await runToEnd(process.execPath, ["esbuild.mjs"], { signal: asked });
  const folder = await mkdtemp(join(tmpdir(), "loom-start-"));
  stops.push(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const project = join(folder, "crumb");
  await cp(join("scripts", "sample"), project, { recursive: true });
  asked.throwIfAborted();
  const model = await findModel((line) => console.log(line));
  stops.push(model.stop);
  asked.throwIfAborted();
  const data = join(folder, "editor");
  await mkdir(data);
  const settings = {
    ...quietSettings,
    "workbench.startupEditor": "readme",
    "loom.address": model.address,
    ...(model.name !== undefined && { "loom.model": model.name }),
    // Small on purpose: the sample project fills it with four or five files.
    "loom.numCtx": 4096,
  };
  const editor = await openEditor({ project, data, settings, asked }, isOpening);
  stops.push(editor.stop);
  console.log(`The sample project is a copy in ${project}; it goes when you stop. Ctrl-C stops everything.`);
  return editor;
}

async function openEditor(place: Place, isOpening: boolean): Promise<Editor> {
  const desktop = isOpening ? findDesktop() : undefined;
  if (desktop !== undefined) {
    console.log(`VS Code: ${desktop}, in a window of its own that leaves your settings alone`);
    return openDesktop(desktop, place);
  }
  const why = isOpening
    ? hasDisplay()
      ? "no desktop VS Code was found"
      : "there is no display here"
    : "asked by --no-open";
  console.log(`VS Code: its server form (${why})`);
  if (!hasServer()) console.log("  Fetching it from npm, about 300 MB; only this once …");
  return openServer(place, isOpening);
}

async function openDesktop(executable: string, { project, data, settings }: Place): Promise<Editor> {
  await mkdir(join(data, "User"));
  await writeFile(join(data, "User", "settings.json"), JSON.stringify(settings, null, 2));
  const child = spawn(
    executable,
    [
      ...[`--extensionDevelopmentPath=${extension}`, `--user-data-dir=${data}`, "--new-window"],
      ...[`--extensions-dir=${join(data, "extensions")}`, "--disable-workspace-trust", project],
    ],
    { stdio: "ignore", detached: process.platform !== "win32" },
  );
  return { ended: endOf(child), stop: () => stopTree(child) };
}

function endOf(child: ChildProcess): Promise<string> {
  return new Promise((settle) => {
    child.once("error", (error) => settle(`VS Code can't be started: ${error.message}`));
    child.once("exit", () => settle("VS Code was closed"));
  });
}

async function openServer({ project, data, settings, asked }: Place, isOpening: boolean): Promise<Editor> {
  const server = await startServer({ dataFolder: data, settings, extension, signal: asked });
  const url = server.url(project, []);
  console.log(`\nVS Code with Loom is at\n\n  ${url}\n`);
  if (isOpening && hasDisplay()) openInBrowser(url);
  else console.log("Open the address in a browser on this machine; it is only for this machine.");
  return { ended: server.ended.then(() => "VS Code's server has ended"), stop: server.stop };
}

function openInBrowser(url: string): void {
  const [command, ...parameters] = browserCommand(url);
  const child = spawn(command, parameters, { stdio: "ignore", detached: true });
  child.once("error", () => console.log("No browser could be started; open the address in one."));
  child.unref();
}

function browserCommand(url: string): [command: string, ...parameters: string[]] {
  switch (process.platform) {
    case "darwin":
      return ["open", url];
    case "win32":
      return ["rundll32", "url.dll,FileProtocolHandler", url];
    default:
      return ["xdg-open", url];
  }
}

const parameters = process.argv.slice(2);
const unknown = parameters.filter((parameter) => parameter !== "--no-open");
if (unknown.length > 0) {
  console.error(`Unknown: ${unknown.join(" ")}. Usage: npm start [-- --no-open]`);
  process.exitCode = 2;
} else {
  main(!parameters.includes("--no-open")).catch((error: unknown) => {
    report(error);
    process.exitCode = 1;
  });
}

function report(error: unknown): void {
  for (let next = error; next !== undefined; next = next instanceof Error ? next.cause : undefined) {
    console.error(next instanceof Error ? next.message : next);
  }
}
