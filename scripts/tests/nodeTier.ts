import { spawnSync } from "node:child_process";
import { mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
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

export interface RunOptions {
  /** How many processes run at a time. */
  readonly concurrency: number;
  /** In how many processes the files come one after the other, besides those in a folder `ownProcess`; each has its own if absent. */
  readonly groups?: number;
}

/** Bundles tests (packages stay outside) into `out/test` and runs them with Node's own runner, printing as it goes. */
export async function runNodeTests(files: readonly string[], options: RunOptions): Promise<Counts> {
  const outdir = join("out", "test");
  await mkdir(outdir, { recursive: true });
  const shares = (file: string) => options.groups !== undefined && !dirname(file).endsWith("ownProcess");
  const alone = files.filter((file) => !shares(file));
  const entries = new Map([
    ...(await inGroups(files.filter(shares), options.groups ?? 0, outdir)),
    ...alone.map((file) => [nameOf(file), file] as const),
  ]);
  for (const name of entries.keys()) await rm(join(outdir, `${name}.mjs`), { force: true });
  await build({
    entryPoints: Object.fromEntries(entries),
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
    [...entries.keys()].map((name) => join(outdir, `${name}.mjs`)),
    options.concurrency,
  );
}

/** `unit/wire/stop.test` for `test/unit/wire/stop.test.ts`. */
function nameOf(file: string): string {
  return relative("test", file).replace(/\.ts$/, "");
}

/** Writes files that hold the tests of others, of about the same length together, and gives them by the names of their bundles. */
async function inGroups(
  files: readonly string[],
  groups: number,
  outdir: string,
): Promise<ReadonlyMap<string, string>> {
  const sized = await Promise.all(files.map(async (file) => ({ file, size: (await stat(file)).size })));
  const members = Array.from({ length: groups }, () => ({ files: [] as string[], size: 0 }));
  for (const { file, size } of sized.sort((a, b) => b.size - a.size)) {
    const [smallest] = members.sort((a, b) => a.size - b.size);
    smallest?.files.push(file);
    if (smallest) smallest.size += size;
  }
  const [tier] = nameOf(files[0] ?? "").split(sep);
  const entries = members.map(async (group, index) => {
    const source = join(outdir, `${tier}-${index + 1}.ts`);
    await writeFile(
      source,
      ['import { describe } from "node:test";', ...group.files.map(asSuite), ""].join("\n"),
    );
    return [`${tier}-${index + 1}`, source] as const;
  });
  return new Map(await Promise.all(entries));
}

/** A suite of its own, so that the hooks of one file are not those of the next. */
function asSuite(file: string): string {
  return `describe(${JSON.stringify(nameOf(file))}, () => void require(${JSON.stringify(resolve(file))}));`;
}

function isByTests(error: Error): boolean {
  return "failureType" in error && error.failureType === "subtestsFailed";
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
    // A suite fails with its tests, which are counted; one that could not be loaded or set up has no other sign.
    if (event.details.type !== "suite" || !isByTests(event.details.error)) failed++;
  });
  for await (const text of stream.compose<NodeJS.ReadableStream>(new spec())) process.stdout.write(text);
  return { passed, failed, skipped };
}
