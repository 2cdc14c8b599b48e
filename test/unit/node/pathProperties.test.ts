import assert from "node:assert/strict";
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { createWorkspace } from "../../../src/node/files/workspace";
import { temporaryFolder } from "../../support/temporaryFolder";
import { toolCaller } from "../../support/toolCalls";

const skip = process.platform === "win32";
const SECRET = "outside-text";
const deny = { answer: { answer: "deny", reason: "" } } as const;

/** Everything below a folder but its child `ws`: paths, contents and times. */
function stateOf(folder: string): string {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.startsWith(join(folder, "ws")))
    .map((path) => {
      const stats = statSync(path, { throwIfNoEntry: false });
      return `${path} ${stats?.mtimeMs} ${stats?.isFile() === true ? readFileSync(path, "utf8") : ""}`;
    })
    .sort()
    .join("\n");
}

const NAMES = [
  "a.txt",
  "sub",
  "deep",
  "new",
  "x.txt",
  "l0",
  "l1",
  "l2",
  "l3",
  "..",
  "..",
  ".",
  "",
  "out",
  "ws",
  "ws-old",
  "secret.txt",
] as const;
const TARGETS = [
  "..",
  "../..",
  "../out",
  "../out/secret.txt",
  "../out/missing.txt",
  "../out/missing/x.txt",
  "sub",
  "../ws",
  "../ws-old",
  ".",
  "l1",
  "l2",
  "sub/l3",
  "deep/../../out",
  "/",
  "/etc",
] as const;

test(
  "E09: random paths in a tree of random links never touch anything outside without consent",
  { skip },
  async (context) => {
    const outer = await temporaryFolder(context, {
      "out/secret.txt": SECRET,
      "ws-old/secret.txt": SECRET,
      "secret.txt": SECRET,
    });
    const root = join(outer, "ws");
    const workspace = createWorkspace(() => [{ name: "ws", path: root }]);
    const call = toolCaller(workspace);
    const link = fc.tuple(
      fc.constantFrom("l0", "l1", "l2", "sub/l3", "deep/l0", "a.txt"),
      fc.constantFrom(...TARGETS),
    );
    const path = fc
      .array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 6 })
      .chain((parts) =>
        fc.constantFrom(parts.join("/"), `${root}/${parts.join("/")}`, `ws/${parts.join("/")}`),
      );
    let asked = 0;
    let inside = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(link, { maxLength: 4 }),
        fc.array(path, { minLength: 3, maxLength: 6 }),
        async (links, paths) => {
          rmSync(root, { recursive: true, force: true });
          mkdirSync(join(root, "sub"), { recursive: true });
          mkdirSync(join(root, "deep"));
          writeFileSync(join(root, "a.txt"), "inside\n");
          for (const [at, target] of links) {
            rmSync(join(root, at), { force: true });
            symlinkSync(target, join(root, at));
          }
          const before = stateOf(outer);
          for (const each of paths) {
            for (const [name, input] of [
              ["edit_file", { path: each, old_text: "", new_text: "planted" }],
              ["read_file", { path: each }],
              ["search_text", { pattern: "outside", path: each }],
              ["list_files", { path: each }],
            ] as const) {
              const allowInside = (question: { kind: string }) =>
                question.kind === "edit" ? ({ answer: "allow" } as const) : deny.answer;
              const result = await call(name, input, { answer: allowInside });
              const isOutside = result.questions.some(({ kind }) => kind === "outside");
              asked += isOutside ? 1 : 0;
              inside += result.outcome === "ok" ? 1 : 0;
              assert.ok(!result.content.includes(SECRET), JSON.stringify([name, each, links]));
              assert.equal(stateOf(outer), before, JSON.stringify([name, each, links]));
            }
          }
        },
      ),
      { numRuns: 30, seed: 9 },
    );
    assert.ok(asked > 50 && inside > 50, `${asked} asked, ${inside} inside`);
  },
);

test(
  "E09: a file or folder that becomes a link between check and use is not followed",
  { skip },
  async (context) => {
    const outer = await temporaryFolder(context, {
      "out/a.txt": "out\n",
      "ws/a.txt": "in\n",
      "ws/d/a.txt": "in\n",
      "ws/d/keep": "",
    });
    const root = join(outer, "ws");
    const workspace = createWorkspace(() => [{ name: "ws", path: root }]);
    for (const name of ["a.txt", "d/a.txt", "d/new.txt"]) {
      const path = await workspace.resolve(name);
      assert.ok(path.place === "inside");
      const place = name === "a.txt" ? join(root, "a.txt") : dirname(path.absolute);
      renameSync(place, `${place}.was`);
      symlinkSync(name === "a.txt" ? join(outer, "out/a.txt") : join(outer, "out"), place);
      const read = await workspace.readText(path.absolute);
      assert.ok("reason" in read, JSON.stringify(read));
      for (const before of ["in\n", "out\n", null]) {
        const written = await workspace.write({ path, before, after: "planted\n" });
        assert.ok("error" in written, JSON.stringify([name, before, written]));
      }
      rmSync(place);
      renameSync(`${place}.was`, place);
    }
    assert.deepEqual(readdirSync(join(outer, "out")), ["a.txt"]);
    assert.equal(readFileSync(join(outer, "out/a.txt"), "utf8"), "out\n");
    assert.equal(realpathSync(join(root, "a.txt")), join(root, "a.txt"));
  },
);

test("E09: on a disk where capitals do not matter a path is shown as the disk spells it", async (context) => {
  const root = await temporaryFolder(context, { "Readme.md": "x\n" });
  const workspace = createWorkspace(() => [{ name: "ws", path: root }]);
  const path = await workspace.resolve("README.MD");
  assert.ok(path.place === "inside");
  const isCaseless = statSync(join(root, "README.MD"), { throwIfNoEntry: false }) !== undefined;
  assert.deepEqual([path.kind, path.shown], isCaseless ? ["file", "Readme.md"] : ["missing", "README.MD"]);
});
