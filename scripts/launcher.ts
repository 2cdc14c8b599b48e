// What `@vscode/test-electron` starts in place of VS Code's executable, with the same arguments: it runs the tests in a
// desktop VS Code where there is one, else in VS Code's server form with a headless Chromium. Its exit code is theirs.
import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { format } from "node:util";
import { findDesktop } from "./editor/desktop";
import { stopTree, untilAskedToEnd } from "./editor/processes";
import { quietSettings } from "./editor/settings";
import { startWorkbench, type Workbench } from "./editor/workbench";

/** How long the editor may take from its start to the first sign of the test runner, in milliseconds. */
const startLimit = 300_000;

/** What the server form says of the native modules that it does without, of the gallery, and of its connections. */
const noise =
  /bindings file|watchdog|open-vsx\.org|connection token|socket \(renderer|Service Worker\]|builtin extensions cache|ChatSessionStore|workbench contribution/;

/** Resolves with the reason when this run is to be cut short. */
const asked = untilAskedToEnd();

interface Request {
  readonly extension: string;
  readonly tests: string;
  readonly folder: string;
  /** The arguments for a desktop VS Code as they came, without those that choose a profile. */
  readonly others: readonly string[];
}

function readRequest(parameters: readonly string[]): Request {
  const value = (name: string): string => {
    const start = `--${name}=`;
    const found = parameters.find((parameter) => parameter.startsWith(start));
    if (found === undefined) throw new Error(`The argument ${start}… is missing.`);
    return resolve(found.slice(start.length));
  };
  const folder = parameters.find((parameter) => !parameter.startsWith("--"));
  if (folder === undefined) throw new Error("A folder to open is missing.");
  return {
    extension: value("extensionDevelopmentPath"),
    tests: value("extensionTestsPath"),
    folder: resolve(folder),
    others: parameters.filter((parameter) => !/^--(user-data|extensions)-dir=/.test(parameter)),
  };
}

async function runInDesktop(executable: string, request: Request): Promise<number> {
  // A short path of its own: the editor's socket lies in it, and test-electron's default profile is kept between runs.
  const profile = await mkdtemp(join(tmpdir(), "loom-"));
  await mkdir(join(profile, "User"));
  await writeFile(join(profile, "User", "settings.json"), JSON.stringify(quietSettings));
  const port = await findFreePort();
  const own = [`--user-data-dir=${profile}`, `--extensions-dir=${join(profile, "extensions")}`];
  const child = spawn(executable, [...request.others, ...own, `--remote-debugging-port=${port}`], {
    stdio: "inherit",
    env: { ...process.env, LOOM_BROWSER: `http://127.0.0.1:${port}` },
    detached: process.platform !== "win32",
  });
  const code = new Promise<number>((settle, reject) => {
    child.once("error", reject);
    child.once("exit", (exitCode) => settle(exitCode ?? 1));
  });
  try {
    return await Promise.race([code, asked.then(() => 130)]);
  } finally {
    await stopTree(child);
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

function findFreePort(): Promise<number> {
  return new Promise((settle, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => settle(typeof address === "object" && address ? address.port : 0));
    });
  });
}

async function runInServer(request: Request): Promise<number> {
  let onHostEnded = (_line: string): void => undefined;
  let host: string | undefined;
  const hostEnded = new Promise<string>((settle) => (onHostEnded = settle));
  const workbench = await startWorkbench({
    onServerLine: (line) => {
      // The first host is that of the tests; they may open windows with hosts of their own.
      host ??= /(<\d+>) Launched Extension Host Process/.exec(line)?.[1];
      if (host !== undefined && line.includes(`${host} Extension Host Process exited`)) onHostEnded(line);
    },
  });
  try {
    const result = await Promise.race([
      drive(workbench, request),
      workbench.broken,
      asked,
      // The exit code arrives by way of the page, so it may be a little later than the end of the host.
      hostEnded.then((line) => delay(10_000, line, { ref: false })),
    ]);
    if (typeof result === "number") return result;
    console.error(`The tests did not end by themselves: ${result}`);
    console.error(workbench.serverLog().split("\n").slice(-40).join("\n"));
    return 1;
  } finally {
    await workbench.stop();
  }
}

/** Opens the workbench with the tests in it; resolves with their exit code. */
async function drive(workbench: Workbench, request: Request): Promise<number | string> {
  let sawHost = false;
  const { page } = workbench;
  await page.exposeFunction("codeAutomationLog", (_type: string, parts: readonly unknown[]) => {
    sawHost = true;
    const text = format(...parts);
    if (!noise.test(text)) console.log(text);
  });
  const exitCode = new Promise<number>((settle) => {
    void page.exposeFunction("codeAutomationExit", settle);
  });
  const tooLate = delay(startLimit, undefined, { ref: false }).then(async () =>
    sawHost ? await exitCode : `nothing was heard of the extension host within ${startLimit / 1000} s.`,
  );
  await workbench.open(request.folder, request.extension, (server) => [
    ["extensionTestsPath", server.resource(request.tests)],
  ]);
  return Promise.race([exitCode, tooLate]);
}

async function main(): Promise<number> {
  const request = readRequest(process.argv.slice(2));
  const desktop = findDesktop();
  console.log(desktop ? `VS Code: ${desktop}` : "VS Code: its server form, in a headless Chromium");
  return desktop ? runInDesktop(desktop, request) : runInServer(request);
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
