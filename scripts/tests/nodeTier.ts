import { spawnSync } from "node:child_process";
import { mkdir, readdir, rm } from "node:fs/promises";
import { basename, join, relative } from "node:path";
import { run } from "node:test";
import { spec } from "node:test/reporters";
import { build } from "esbuild";

/** How many tests of a tier passed, failed and were skipped. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** All `*.test.ts` files under a folder, sorted. */
export async function testFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true });
  return entries
    .filter((entry) => entry.endsWith(".test.ts"))
    .sort()
    .map((entry) => join(folder, entry));
}

/** Builds the extension as the tests use it, into `dist`. Throws when it cannot be built. */
export function buildExtension(): void {
  const { status } = spawnSync(process.execPath, ["esbuild.mjs"], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  if (status !== 0) throw new Error(`esbuild.mjs ended with ${status}.`);
}

/** Bundles tests (packages stay outside) into `out/test` and runs them with Node's own runner, printing as it goes. */
export async function runNodeTests(
  files: readonly string[],
  options: { readonly concurrency: number },
): Promise<Counts> {
  const outdir = join("out", "test");
  await mkdir(outdir, { recursive: true });
  const names = new Map(files.map((file) => [file, relative("test", file).replace(/\.ts$/, "")]));
  for (const name of names.values()) await rm(join(outdir, `${name}.mjs`), { force: true });
  await build({
    entryPoints: Object.fromEntries([...names].map(([file, name]) => [name, file])),
    outdir,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    packages: "external",
    sourcemap: "inline",
    logLevel: "warning",
  });
  return count(
    [...names.values()].map((name) => join(outdir, `${name}.mjs`)),
    options.concurrency,
  );
}

async function count(files: readonly string[], concurrency: number): Promise<Counts> {
  let passed = 0;
  let failed = 0;
  let skipped = 0;
  const stream = run({ files: files.map((file) => join(process.cwd(), file)), concurrency });
  const paths = new Set(files.map((file) => join(process.cwd(), file)));
  // A file and a suite are reported like tests of their own; only what asserts is counted.
  const isLeaf = (event: { name: string; details: { type?: string | undefined } }) =>
    event.details.type !== "suite" &&
    !paths.has(event.name) &&
    basename(event.name) === event.name.split("/").pop();
  stream.on("test:pass", (event) => {
    if (!isLeaf(event)) return;
    if (event.skip !== undefined || event.todo !== undefined) skipped++;
    else passed++;
  });
  stream.on("test:fail", (event) => {
    if (event.details.type !== "suite") failed++;
  });
  for await (const text of stream.compose<NodeJS.ReadableStream>(new spec())) process.stdout.write(text);
  return { passed, failed, skipped };
}
