import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { createWorkspace } from "../../../src/node/files/workspace";
import { globSource, readExcludes } from "../../../src/node/search/excludes";
import { findRipgrep } from "../../../src/node/search/ripgrep";
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

test("L03: what is left out of searches only is one entry of a listing, and is listed and searched by name", async (context) => {
  const folder = await temporaryFolder(context, {
    "a.ts": "needle",
    "node_modules/p/index.js": "needle",
    "hidden/b.ts": "needle",
    "gen.ts": "needle",
  });
  const settings = { hidden: true };
  const search = { "**/node_modules": true, "gen.*": true };
  const ripgrep = findRipgrep(undefined, process.env);
  for (const program of [undefined, ripgrep]) {
    const workspace = createWorkspace(() => [{ name: "ws", path: folder }], {
      excludes: () => readExcludes([{ folder, settings, search }]),
      ...(program !== undefined && { ripgrep: program }),
    });
    const { signal } = new AbortController();
    const list = await workspace.list(undefined, 100, signal);
    assert.deepEqual(list, { entries: ["a.ts", "node_modules/ (ignored)"], total: 2, ignoredFiles: 1 });
    const inside = await workspace.list(join(folder, "node_modules"), 100, signal);
    assert.deepEqual(inside.entries, ["node_modules/p/", "node_modules/p/index.js"]);
    const query = { pattern: "needle", isRegExp: false, maxMatches: 9 };
    const found = await workspace.search(query, signal);
    assert.ok("matches" in found);
    assert.deepEqual(
      found.matches.map(({ path }) => path),
      ["a.ts"],
    );
    const named = await workspace.search({ ...query, under: join(folder, "node_modules") }, signal);
    assert.ok("matches" in named && named.matches.length === 1);
  }
});
