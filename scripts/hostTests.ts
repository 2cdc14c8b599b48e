import { build } from "esbuild";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod/mini";
import { runToEnd } from "./editor/cache";

/** What a tier of tests came to; `output` is all that it printed. */
export interface HostResult {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly output: string;
}

export interface HostOptions {
  /** Arguments for the `vscode-test` command, e.g. `["--grep", "meter"]`. */
  readonly parameters?: readonly string[];
  /** The extension is built already and may be in use. */
  readonly isBuilt?: boolean;
  /** Called with what the run prints, as it comes. */
  readonly onOutput?: (text: string) => void;
  /** Called when everything is built and the process that runs the tests has been started. */
  readonly onStart?: () => void;
}

const out = join("out", "test", "host");
const results = join("out", "host", "results.json");
const resultsSchema = z.object({
  passed: z.number(),
  failed: z.number(),
  skipped: z.number(),
  isComplete: z.boolean(),
});

/** Builds the extension and the tests of test/host and runs them in a real VS Code. The current folder is the repository's. */
export async function runHostTests(options: HostOptions = {}): Promise<HostResult> {
  if (options.isBuilt !== true) await runToEnd(process.execPath, ["esbuild.mjs"], {});
  await buildHostTests();
  const { code, output } = await runTestCommand(options);
  const counts = await readResults();
  if (counts?.isComplete && (code === 0 || counts.failed > 0)) return { ...counts, output };
  const reason = counts?.isComplete
    ? `All tests passed, but vscode-test ended with ${code}.`
    : `vscode-test ended with ${code} before all tests had run.`;
  const { passed, failed, skipped } = counts ?? { passed: 0, failed: 0, skipped: 0 };
  return { passed, failed: failed + 1, skipped, output: `${output}\n${reason}\n` };
}

/** Makes all that `.vscode-test.mjs` names: the tests as CommonJS, the launcher, and a fresh copy of the workspace. */
export async function buildHostTests(): Promise<void> {
  await rm(out, { recursive: true, force: true });
  await rm(join("out", "host"), { recursive: true, force: true });
  const files = await readdir(join("test", "host"), { recursive: true });
  const common = {
    bundle: true,
    platform: "node",
    target: "node20",
    sourcemap: "inline",
    logLevel: "warning",
    packages: "external",
  } as const;
  await build({
    ...common,
    entryPoints: [...files.filter((file) => file.endsWith(".test.ts")), join("support", "reporter.ts")].map(
      (file) => join("test", "host", file),
    ),
    outdir: out,
    outbase: join("test", "host"),
    outExtension: { ".js": ".cjs" },
    format: "cjs",
    external: ["vscode"],
  });
  await build({
    ...common,
    entryPoints: [join("scripts", "launcher.ts")],
    outfile: join("out", "host", "launcher.mjs"),
    format: "esm",
  });
  await writeLauncher();
  await cp(join("scripts", "sample"), join("out", "host", "workspace"), { recursive: true });
  await mkdir(join("out", "screenshots"), { recursive: true });
}

/** An executable in front of the launcher, since test-electron starts a program, not a script. */
async function writeLauncher(): Promise<void> {
  const base = join("out", "host", "launcher");
  if (process.platform === "win32") {
    await writeFile(`${base}.cmd`, `@"${process.execPath}" "%~dp0launcher.mjs" %*\r\n`);
    return;
  }
  await writeFile(base, `#!/bin/sh\nexec "${process.execPath}" "$(dirname "$0")/launcher.mjs" "$@"\n`);
  await chmod(base, 0o755);
}

function runTestCommand(options: HostOptions): Promise<{ code: number | null; output: string }> {
  const program = join("node_modules", "@vscode", "test-cli", "out", "bin.mjs");
  const child = spawn(process.execPath, [program, ...(options.parameters ?? [])], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  options.onStart?.();
  let output = "";
  const add = (chunk: Buffer): void => {
    output += chunk.toString();
    options.onOutput?.(chunk.toString());
  };
  child.stdout.on("data", add);
  child.stderr.on("data", add);
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, output }));
  });
}

async function readResults(): Promise<z.infer<typeof resultsSchema> | undefined> {
  if (!existsSync(results)) return undefined;
  return resultsSchema.parse(JSON.parse(await readFile(results, "utf8")));
}
