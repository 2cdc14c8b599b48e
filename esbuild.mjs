// Builds the extension into dist/: the host (CommonJS, `vscode` stays outside), the shell parser that it loads with the first
// command, and the page.
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

/** @type {import("esbuild").BuildOptions[]} */
const bundles = [
  {
    ...common,
    entryPoints: ["src/extension.ts"],
    outfile: `${outdir}/extension.js`,
    platform: "node",
    format: "cjs",
    target: "node20",
    external: ["vscode", "./node/commands/shellSyntax"],
    // The polyfill that `ollama` brings is for browsers without fetch; Node has it, and we give our own.
    alias: { "whatwg-fetch": "./scripts/noPolyfill.mjs" },
    // `import()` becomes `require`, which every version of the editor can do.
    supported: { "dynamic-import": false },
  },
  {
    ...common,
    entryPoints: ["src/node/commands/shellSyntax.ts"],
    outfile: `${outdir}/node/commands/shellSyntax.js`,
    platform: "node",
    format: "cjs",
    target: "node20",
  },
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
