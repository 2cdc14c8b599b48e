// `npm run package`: builds both bundles and puts them with media and the manifest into loom-VERSION.vsix, nothing else.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { createVSIX, listFiles } from "@vscode/vsce";

/** What a package may hold. */
const ALLOWED =
  /^(dist\/(extension\.js|page\.(js|css))|media\/.+|package\.json|package\.nls\.json|README\.md|CHANGELOG\.md|LICENSE)$/;

const build = spawnSync(process.execPath, ["esbuild.mjs"], { stdio: ["ignore", "inherit", "inherit"] });
if (build.status !== 0) process.exit(build.status ?? 1);

const files = await listFiles({ cwd: process.cwd(), packagedDependencies: [] });
const foreign = files.filter((file) => !ALLOWED.test(file.split("\\").join("/")));
if (foreign.length > 0) {
  console.error(`These files do not belong in the package (see .vscodeignore):\n${foreign.join("\n")}`);
  process.exit(1);
}
const packagePath = join(process.cwd(), "loom.vsix");
// The links of the README stay as they are: there is no public repository that they could be completed with.
const links = { allowMissingRepository: true, rewriteRelativeLinks: false };
await createVSIX({ cwd: process.cwd(), packagePath, dependencies: false, ...links });
console.log(`${files.length} files. Install it with: code --install-extension loom.vsix`);
