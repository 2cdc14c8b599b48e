// `npm run package`: builds the bundles and puts them with media and the manifest into loom-VERSION.vsix, nothing else.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { createVSIX } from "@vscode/vsce";
import { packageFiles } from "./packageFiles";

const build = spawnSync(process.execPath, ["esbuild.mjs"], { stdio: ["ignore", "inherit", "inherit"] });
if (build.status !== 0) process.exit(build.status ?? 1);

const { files, foreign, missing } = await packageFiles();
for (const file of foreign) console.error(`${file} does not belong in the package (see .vscodeignore).`);
for (const file of missing) console.error(`${file} is missing from the package.`);
if (foreign.length + missing.length > 0) process.exit(1);
const packagePath = join(process.cwd(), "loom.vsix");
// The links of the README stay as they are: there is no public repository that they could be completed with.
const links = { allowMissingRepository: true, rewriteRelativeLinks: false };
await createVSIX({ cwd: process.cwd(), packagePath, dependencies: false, ...links });
console.log(`${files.length} files. Install it with: code --install-extension loom.vsix`);
