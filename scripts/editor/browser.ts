import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { rm } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { pathToFileURL } from "node:url";
import { cacheFolder, installOnce, npmInstall, runToEnd } from "./cache";

/** A Chromium that `playwright-core` can start: `chromium.launch({ executablePath, args, env, headless: true })`. */
export interface Browser {
  readonly executablePath: string;
  readonly args: string[];
  readonly env: Record<string, string>;
}

const packaged = "@sparticuz/chromium@147.0.0";

/**
 * Finds a Chrome, Chromium or Edge: the one that `LOOM_CHROMIUM` names, an installed one, or on Linux x64 the one that
 * npm carries, which is put into the cache folder. Throws with what to install when there is none.
 */
export async function findBrowser(): Promise<Browser> {
  const named = process.env["LOOM_CHROMIUM"];
  if (named && !existsSync(named)) throw new Error(`LOOM_CHROMIUM names ${named}, which does not exist.`);
  const installed = named ?? installedPlaces().find(isUsable);
  if (installed) return { executablePath: installed, args: commonArguments(), env: environment({}) };
  if (process.platform === "linux" && process.arch === "x64") return packagedBrowser();
  throw new Error(
    "No Chrome, Chromium or Edge was found. Install one of them, or set LOOM_CHROMIUM to the path of its executable.",
  );
}

function commonArguments(): string[] {
  return ["--disable-dev-shm-usage", "--disable-gpu", "--no-sandbox"];
}

function installedPlaces(): string[] {
  const names = ["google-chrome", "google-chrome-stable", "chromium", "chromium-browser", "microsoft-edge"];
  switch (process.platform) {
    case "win32": {
      const roots = ["ProgramFiles", "ProgramFiles(x86)", "LOCALAPPDATA"].flatMap(
        (name) => process.env[name] ?? [],
      );
      const tails = ["Google/Chrome/Application/chrome.exe", "Chromium/Application/chrome.exe"];
      return [...tails, "Microsoft/Edge/Application/msedge.exe"].flatMap((tail) =>
        roots.map((root) => join(root, tail)),
      );
    }
    case "darwin":
      return ["Google Chrome", "Chromium", "Microsoft Edge"].map(
        (name) => `/Applications/${name}.app/Contents/MacOS/${name}`,
      );
    default: {
      const folders = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/bin", "/usr/local/bin"];
      return folders.filter(Boolean).flatMap((folder) => names.map((name) => join(folder, name)));
    }
  }
}

/** Snap's Chromium sees neither temporary nor hidden folders, so it can't be given a profile of its own. */
function isUsable(path: string): boolean {
  if (!existsSync(path)) return false;
  if (process.platform !== "linux") return true;
  const real = realpathSync(path);
  return !real.startsWith("/snap/") && real !== "/usr/bin/snap" && !isSnapWrapper(real);
}

function isSnapWrapper(path: string): boolean {
  const start = readFileSync(path).subarray(0, 4000).toString("latin1");
  return start.startsWith("#!") && start.includes("/snap/");
}

async function packagedBrowser(): Promise<Browser> {
  const folder = cacheFolder("vscode", packaged.replace(/\W+/g, "-").replace(/^-/, ""));
  await installOnce(folder, unpackChromium).catch((error: unknown) => {
    throw new Error(
      `No Chrome, Chromium or Edge is installed, and ${packaged} could not be had from npm. Install one of them, or set LOOM_CHROMIUM.`,
      { cause: error },
    );
  });
  const executablePath = join(folder, "chromium");
  const libraries = join(folder, "al2023", "lib");
  // The libraries that came along are only for machines that lack their own.
  const own = starts(executablePath, {}) ? {} : { LD_LIBRARY_PATH: libraries };
  const fonts = existsSync("/etc/fonts/fonts.conf") ? {} : { FONTCONFIG_PATH: join(folder, "fonts") };
  return {
    executablePath,
    args: [...commonArguments(), "--no-zygote"],
    env: environment({ ...own, ...fonts }),
  };
}

/** The package unpacks itself into the temporary folder, and its libraries only where it believes to be on Lambda. */
async function unpackChromium(target: string): Promise<void> {
  await npmInstall(target, ["--no-save", packaged]);
  const packages = join(target, "node_modules");
  const entry = pathToFileURL(join(packages, "@sparticuz", "chromium", "build", "esm", "index.js")).href;
  const unpack = `const { default: chromium } = await import(${JSON.stringify(entry)}); await chromium.executablePath();`;
  const env = { ...process.env, TMPDIR: target, AWS_EXECUTION_ENV: "nodejs20.x" };
  await runToEnd(process.execPath, ["--input-type=module", "--eval", unpack], { env });
  await rm(packages, { recursive: true });
}

function starts(executable: string, env: Record<string, string>): boolean {
  try {
    execFileSync(executable, ["--version", "--no-sandbox"], { env: environment(env), stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

function environment(more: Record<string, string>): Record<string, string> {
  const present = Object.entries(process.env).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return { ...Object.fromEntries(present), ...more };
}
