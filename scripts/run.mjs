// Runs `scripts/NAME.ts` on a machine that may have nothing but Node: installs the packages if they are missing or
// out of date, bundles the script (packages stay outside the bundle) and starts it with the remaining arguments.
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { clearInterval, setInterval } from "node:timers";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");

/** @typedef {{packages: Record<string, {version?: string, optional?: boolean}>}} Lock */

/** True when what is installed is what package-lock.json names. */
function isInstalled() {
  const installed = join(root, "node_modules", ".package-lock.json");
  if (!existsSync(installed)) return false;
  /** @param {string} file */
  const packages = (file) => /** @type {Lock} */ (JSON.parse(readFileSync(file, "utf8"))).packages;
  const present = packages(installed);
  return Object.entries(packages(join(root, "package-lock.json"))).every(
    // Optional packages for other platforms are in the lock but never installed here.
    ([path, { version, optional }]) => path === "" || optional === true || present[path]?.version === version,
  );
}

const parent = process.ppid;

/** Runs `npm ci`, which ends with this process and with who started it. Resolves with the exit code. */
async function install() {
  const npm = spawn("npm", ["ci", "--no-audit", "--no-fund"], {
    stdio: ["ignore", "inherit", "inherit"],
    shell: process.platform === "win32",
  });
  let isAsked = false;
  const end = () => {
    isAsked = true;
    npm.kill();
  };
  for (const signal of signals) process.on(signal, end);
  const watch = setInterval(() => process.ppid !== parent && end(), 500);
  const code = await new Promise((settle) => {
    npm.once("error", () => settle(1));
    npm.once("close", (exitCode) => settle(exitCode ?? 1));
  });
  clearInterval(watch);
  for (const signal of signals) process.off(signal, end);
  return isAsked ? 130 : code;
}

const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 18)) {
  console.error(
    `Loom needs Node 20.18 or newer; this is ${process.versions.node}. Get one at https://nodejs.org.`,
  );
  process.exit(1);
}
const [name, ...rest] = process.argv.slice(2);
if (!name) {
  console.error("Usage: node scripts/run.mjs NAME [arguments]");
  process.exit(2);
}
process.chdir(root);
if (!isInstalled()) {
  console.error("Installing the packages that package-lock.json names (npm ci) …");
  const code = await install();
  if (code !== 0) process.exit(code);
}
const { build, stop } = await import("esbuild");
const outfile = join(root, "out", "scripts", `${name}.mjs`);
await build({
  entryPoints: [join(root, "scripts", `${name}.ts`)],
  outfile,
  bundle: true,
  platform: "node",
  format: "esm",
  target: "node20",
  packages: "external",
  sourcemap: "inline",
  logLevel: "warning",
});
await stop();
// Who started this has ended meanwhile: nobody waits for the script any more.
if (process.ppid !== parent) process.exit(1);
process.argv = [process.execPath, outfile, ...rest];
await import(pathToFileURL(outfile).href);
