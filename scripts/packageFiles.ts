import { listFiles } from "@vscode/vsce";

/** What the package must hold besides pictures: the manifest, its texts, the host's bundle in its three files, the page's. */
const NEEDED = [
  "CHANGELOG.md",
  "LICENSE",
  "README.md",
  "dist/extension.js",
  "dist/loom.js",
  "dist/node/commands/shellSyntax.js",
  "dist/page.css",
  "dist/page.js",
  "package.json",
  "package.nls.json",
];

/** What a package of the current folder would hold, what of it does not belong there, and what is missing. */
export async function packageFiles(): Promise<{
  readonly files: readonly string[];
  readonly foreign: readonly string[];
  readonly missing: readonly string[];
}> {
  const listed = await listFiles({ cwd: process.cwd(), packagedDependencies: [] });
  const files = listed.map((file) => file.split("\\").join("/"));
  return {
    files,
    foreign: files.filter((file) => !NEEDED.includes(file) && !file.startsWith("media/")),
    missing: NEEDED.filter((file) => !files.includes(file)),
  };
}
