import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { globSource, readExcludes } from "../../../src/node/excludes";
import { temporaryFolder } from "../../support/temporaryFolder";

test("globs of the editor are read as the editor does", () => {
  const fits = (glob: string, path: string) => new RegExp(`^${globSource(glob)}$`, "s").test(path);
  for (const [glob, yes, no] of [
    ["**/node_modules", "a/node_modules", "a/node_modules/x"],
    ["**/node_modules", "node_modules", "my_node_modules"],
    ["dist", "dist", "a/dist"],
    ["*.js", "a.js", "b/a.js"],
    ["**/*.{js,map}", "b/a.map", "b/a.ts"],
    ["out/**", "out/a/b", "out"],
    ["a?c/[xy].ts", "abc/x.ts", "abc/z.ts"],
    ["[!a].ts", "b.ts", "a.ts"],
    ["a+(b).ts", "a+(b).ts", "aab.ts"],
  ] as const) {
    assert.ok(fits(glob, yes), `${glob} fits ${yes}`);
    assert.ok(!fits(glob, no), `${glob} does not fit ${no}`);
  }
});

test("a file is hidden while the source that it was made of stands beside it", async (context) => {
  const folder = await temporaryFolder(context, { "a.ts": "", "a.js": "", "b.js": "" });
  const settings = { "**/*.js": { when: "$(basename).ts" } };
  const { isExcluded, globs } = readExcludes([{ folder, settings }]);
  assert.deepEqual([isExcluded(join(folder, "a.js")), isExcluded(join(folder, "b.js"))], [true, false]);
  assert.deepEqual(globs, []);
});
