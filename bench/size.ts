import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";

/** One of the two bundles as built for use. Sizes are bytes. */
export interface BundleSize {
  readonly name: "host" | "page";
  /** All of its files together: for the host what activation needs and Loom itself, for the page the script and its styles. */
  readonly bytes: number;
  readonly limit: number;
  /** What it is made of, largest first: our own layers, and packages by name. */
  readonly parts: readonly { readonly name: string; readonly bytes: number }[];
}

/** The most that a bundle may have, in bytes; a kB is 1,000. */
const LIMITS = { host: 300_000, page: 600_000 } as const;

/** The shell parser is no part of it: it is loaded with the first command, and has its weight in CONTRIBUTING. */
const METAFILES = { host: ["extension.meta.json", "loom.meta.json"], page: ["page.meta.json"] } as const;

const Output = z.object({
  bytes: z.number(),
  inputs: z.record(z.string(), z.object({ bytesInOutput: z.number() })),
});

const Metafile = z.object({ outputs: z.record(z.string(), Output) });

/** Not where the bundles are that other tests may be using. */
const FOLDER = join("out", "size");

/** Builds both bundles as they are shipped, in a folder of their own, and measures them. Throws when they can't be built. */
export function measureBundles(): readonly BundleSize[] {
  const { status, stderr } = spawnSync(
    process.execPath,
    ["esbuild.mjs", "--metafile", `--outdir=${FOLDER}`],
    { encoding: "utf8" },
  );
  if (status !== 0) throw new Error(`esbuild.mjs ended with ${status}:\n${stderr}`);
  return (["host", "page"] as const).map((name) => {
    const outputs = METAFILES[name].flatMap((file) => {
      const text = readFileSync(join(FOLDER, file), "utf8");
      return Object.values(Metafile.parse(JSON.parse(text)).outputs);
    });
    return { name, limit: LIMITS[name], ...sizesOf(outputs) };
  });
}

function sizesOf(outputs: readonly z.infer<typeof Output>[]): Pick<BundleSize, "bytes" | "parts"> {
  const parts = new Map<string, number>();
  let bytes = 0;
  for (const output of outputs) {
    bytes += output.bytes;
    let left = output.bytes;
    for (const [path, { bytesInOutput }] of Object.entries(output.inputs)) {
      left -= bytesInOutput;
      const part = partOf(path);
      parts.set(part, (parts.get(part) ?? 0) + bytesInOutput);
    }
    parts.set(GLUE, (parts.get(GLUE) ?? 0) + left);
  }
  return {
    bytes,
    parts: [...parts].map(([name, size]) => ({ name, bytes: size })).sort((a, b) => b.bytes - a.bytes),
  };
}

const GLUE = "(glue between modules)";

/** The package that a file comes from, or the layer of our own code. */
function partOf(path: string): string {
  const [, inPackage] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path) ?? [];
  if (inPackage !== undefined) return inPackage;
  const folders = path.split("/").slice(0, -1);
  return folders.slice(0, 2).join("/") || path;
}

/** `npm run bench -- size [--json]`: the exit code is 1 when a bundle is over its limit. */
export function main(words: readonly string[]): Promise<void> {
  const bundles = measureBundles();
  if (bundles.some(({ bytes, limit }) => bytes > limit)) process.exitCode = 1;
  if (words.includes("--json")) console.log(JSON.stringify(bundles));
  else for (const bundle of bundles) print(bundle);
  return Promise.resolve();
}

function print({ name, bytes, limit, parts }: BundleSize): void {
  const verdict = bytes <= limit ? "within" : "OVER";
  console.log(`${name}: ${kilobytes(bytes)} kB, ${verdict} its limit of ${kilobytes(limit)} kB`);
  for (const part of parts.slice(0, PARTS_SHOWN)) {
    const share = ((100 * part.bytes) / bytes).toFixed(1);
    console.log(`  ${kilobytes(part.bytes).padStart(7)} kB  ${share.padStart(4)} %  ${part.name}`);
  }
}

const PARTS_SHOWN = 12;

function kilobytes(bytes: number): string {
  return (bytes / 1000).toFixed(1);
}
