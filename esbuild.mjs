// Builds the extension into dist/: the host (CommonJS, `vscode` stays outside) in three files, each loaded when it is needed: what
// activation needs, Loom itself with its first use, the shell parser with the first command; and the page.
// `--watch` rebuilds on change, `--outdir=FOLDER` writes elsewhere, `--metafile` also writes *.meta.json, which the size bench reads.
import { context } from "esbuild";
import { writeFileSync } from "node:fs";

const [outdir = "dist"] = process.argv.flatMap((word) => word.match(/(?<=^--outdir=).+/) ?? []);

/** @type {import("esbuild").BuildOptions} */
const common = {
  bundle: true,
  minify: true,
  metafile: true,
  logLevel: "info",
  legalComments: "none",
  charset: "utf8",
};

/** @type {import("esbuild").BuildOptions} */
const host = {
  ...common,
  platform: "node",
  format: "cjs",
  target: "node20",
  external: ["vscode", "./loom", "./node/commands/shellSyntax"],
  // The polyfill that `ollama` brings is for browsers without fetch; Node has it, and we give our own.
  alias: { "whatwg-fetch": "./scripts/noPolyfill.mjs" },
  // `import()` becomes `require`, which every version of the editor can do.
  supported: { "dynamic-import": false },
};

/** @type {import("esbuild").BuildOptions[]} */
const bundles = [
  ...["extension", "loom", "node/commands/shellSyntax"].map((name) => ({
    ...host,
    entryPoints: [`src/${name}.ts`],
    outfile: `${outdir}/${name}.js`,
  })),
  {
    ...common,
    entryPoints: { page: "webview/main.ts" },
    outdir,
    platform: "browser",
    format: "iife",
    target: "chrome132",
  },
];

const isWatching = process.argv.includes("--watch");
for (const options of bundles) {
  const bundle = await context(options);
  if (isWatching) {
    await bundle.watch();
    continue;
  }
  const { metafile } = await bundle.rebuild();
  await bundle.dispose();
  if (process.argv.includes("--metafile") && metafile) {
    const [, name = "page"] = /(\w+)\.js$/.exec(options.outfile ?? "") ?? [];
    writeFileSync(`${outdir}/${name}.meta.json`, JSON.stringify(metafile));
  }
}
