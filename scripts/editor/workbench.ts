import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type BrowserContext, type Page } from "playwright-core";
import { findBrowser } from "./browser";
import { startServer, type EditorServer } from "./server";
import { quietSettings } from "./settings";

/** The server form of VS Code with its page in a headless Chromium. */
export interface Workbench {
  readonly page: Page;
  readonly server: EditorServer;
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

/**
 * Starts a browser and VS Code's server form with an empty profile; nothing is opened yet. The extension host has the address for
 * `chromium.connect` as `LOOM_BROWSER`, and the folder with the server's data as `LOOM_DATA_FOLDER`.
 */
export async function startWorkbench(options: WorkbenchOptions = {}): Promise<Workbench> {
  const folder = await mkdtemp(join(tmpdir(), "loom-editor-"));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true, maxRetries: 5 });
  let context: BrowserContext | undefined;
  try {
    context = await launch(join(folder, "browser"));
    // One connection to the browser for all: a second one by its debugging port is told, and sent, everything once more.
    const shared = await context.browser()?.bind("loom", { host: "127.0.0.1", port: 0 });
    const dataFolder = join(folder, "server");
    const server = await startServer({
      dataFolder,
      settings: { ...quietSettings, ...options.settings },
      env: { LOOM_BROWSER: shared?.endpoint ?? "", LOOM_DATA_FOLDER: dataFolder },
      ...(options.onServerLine && { onLine: options.onServerLine }),
    });
    return assemble({ context, server, dataFolder, remove });
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
    args: browser.args,
    headless: true,
    viewport: { width: 1280, height: 800 },
    reducedMotion: "reduce",
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
}

interface Parts {
  readonly context: BrowserContext;
  readonly server: EditorServer;
  readonly dataFolder: string;
  readonly remove: () => Promise<void>;
}

async function assemble({ context, server, dataFolder, remove }: Parts): Promise<Workbench> {
  const page = context.pages()[0] ?? (await context.newPage());
  const broken = Promise.race([
    new Promise<string>((resolve) => context.once("close", () => resolve("The browser has ended."))),
    server.ended.then(() => "VS Code's server has ended."),
  ]);
  return {
    page,
    server,
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
