import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { chromium, type BrowserContext, type Page } from "playwright-core";
import { findBrowser } from "./browser";
import { startServer, type EditorServer } from "./server";
import { quietSettings } from "./settings";

/** The server form of VS Code with its page in a headless Chromium. */
export interface Workbench {
  readonly page: Page;
  readonly server: EditorServer;
  /**
   * The port for `chromium.connectOverCDP`; the extension host has it as `LOOM_DEBUG_PORT`, and the folder with the server's data
   * as `LOOM_DATA_FOLDER`.
   */
  readonly debugPort: number;
  /** Resolves with a sentence when the browser or the server has ended by itself. */
  readonly broken: Promise<string>;
  /** What the server printed so far. */
  serverLog(): string;
  /** Opens `folder` with the extension under development; `payload` gets the server, whose port was unknown before. */
  open(
    folder: string,
    extension: string,
    payload?: (server: EditorServer) => [string, string][],
  ): Promise<void>;
  /** Ends the browser and the server and removes their temporary folder. */
  stop(): Promise<void>;
}

export interface WorkbenchOptions {
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly onServerLine?: (line: string) => void;
}

/** Starts a browser and VS Code's server form with an empty profile; nothing is opened yet. */
export async function startWorkbench(options: WorkbenchOptions = {}): Promise<Workbench> {
  const folder = await mkdtemp(join(tmpdir(), "loom-editor-"));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true, maxRetries: 5 });
  let context: BrowserContext | undefined;
  try {
    const profile = join(folder, "browser");
    context = await launch(profile);
    const debugPort = await readDebugPort(profile);
    const dataFolder = join(folder, "server");
    const server = await startServer({
      dataFolder,
      settings: { ...quietSettings, ...options.settings },
      env: { LOOM_DEBUG_PORT: String(debugPort), LOOM_DATA_FOLDER: dataFolder },
      ...(options.onServerLine && { onLine: options.onServerLine }),
    });
    return assemble({ context, server, debugPort, dataFolder, remove });
  } catch (error) {
    await context?.close();
    await remove();
    throw error;
  }
}

async function launch(profile: string): Promise<BrowserContext> {
  const browser = await findBrowser();
  return chromium.launchPersistentContext(profile, {
    executablePath: browser.executablePath,
    env: browser.env,
    args: [...browser.args, "--remote-debugging-port=0"],
    headless: true,
    viewport: { width: 1280, height: 800 },
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
}

/** Chromium writes the port that it chose into its profile. */
async function readDebugPort(profile: string): Promise<number> {
  const file = join(profile, "DevToolsActivePort");
  for (let attempt = 0; attempt < 600; attempt++) {
    const port = existsSync(file) ? Number(readFileSync(file, "utf8").split("\n")[0]) : 0;
    if (port > 0) return port;
    await delay(50);
  }
  throw new Error("The browser did not open its debugging port.");
}

interface Parts {
  readonly context: BrowserContext;
  readonly server: EditorServer;
  readonly debugPort: number;
  readonly dataFolder: string;
  readonly remove: () => Promise<void>;
}

async function assemble({ context, server, debugPort, dataFolder, remove }: Parts): Promise<Workbench> {
  const page = context.pages()[0] ?? (await context.newPage());
  const broken = Promise.race([
    new Promise<string>((resolve) => context.once("close", () => resolve("The browser has ended."))),
    server.ended.then(() => "VS Code's server has ended."),
  ]);
  return {
    page,
    server,
    debugPort,
    broken,
    serverLog: () => readFileSync(join(dataFolder, "server.log"), "utf8"),
    async open(folder, extension, payload) {
      const pairs: [string, string][] = [
        ["extensionDevelopmentPath", server.resource(extension)],
        ["skipWelcome", "true"],
        ...(payload?.(server) ?? []),
      ];
      await page.goto(server.url(folder, pairs), { timeout: 120_000 });
      await page.locator(".monaco-workbench").waitFor({ timeout: 120_000 });
    },
    async stop() {
      await context.close();
      await server.stop();
      await remove();
    },
  };
}
