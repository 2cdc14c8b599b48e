import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdir, readFile, realpath, symlink } from "node:fs/promises";
import { homedir } from "node:os";
import { join, relative } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { isInside } from "../../../src/node/files/realPath";
import { createWorkspace } from "../../../src/node/files/workspace";
import { temporaryFolder } from "../../support/temporaryFolder";
import { toolCaller } from "../../support/toolCalls";

const skip = process.platform === "win32";

/** A workspace `ws` with links of every kind beside folders that are none of its business. */
async function linkedTree(context: TestContext) {
  const root = await temporaryFolder(context, {
    "ws/a.txt": "a\n",
    "ws/src/deep/b.txt": "b\n",
    "ws-old/y.txt": "theirs\n",
    "elsewhere/x.txt": "theirs\n",
  });
  const ws = join(root, "ws");
  await symlink("../elsewhere", join(ws, "gate"));
  await symlink("../elsewhere/new.txt", join(ws, "dangling"));
  await symlink("src/deep", join(ws, "shortcut"));
  await symlink("gate/x.txt", join(ws, "twice"));
  await symlink(join(ws, "a.txt"), join(ws, "absolute"));
  await symlink("circle", join(ws, "circle"));
  await symlink("ws", join(root, "link-to-ws"));
  const workspace = createWorkspace(() => [{ name: "ws", path: ws }]);
  return { root, ws, workspace, call: toolCaller(workspace) };
}

const OUTSIDE: readonly (readonly [path: string, target: string])[] = [
  ["gate/x.txt", "elsewhere/x.txt"],
  ["gate/new.txt", "elsewhere/new.txt"],
  ["dangling", "elsewhere/new.txt"],
  ["twice", "elsewhere/x.txt"],
  ["../elsewhere/y.txt", "elsewhere/y.txt"],
  ["../ws-old/y.txt", "ws-old/y.txt"],
  ["src/../../elsewhere/x.txt", "elsewhere/x.txt"],
  ["shortcut/../../../elsewhere/x.txt", "elsewhere/x.txt"],
  ["nope/../../elsewhere/x.txt", "elsewhere/x.txt"],
  ["nope/../gate/x.txt", "elsewhere/x.txt"],
  ["gate/nope/../x.txt", "elsewhere/x.txt"],
  ["..", "."],
];

for (const [path, target] of OUTSIDE) {
  test(
    `E09: ${path} is asked about by its real target, and nothing happens after a no`,
    { skip },
    async (context) => {
      const { root, call } = await linkedTree(context);
      const answer = { answer: "deny", reason: "" } as const;
      const before = await readdir(root, { recursive: true });
      const edit = await call("edit_file", { path, old_text: "", new_text: "mine\n" }, { answer });
      assert.deepEqual(edit.questions, [{ kind: "outside", path: join(root, target), access: "write" }]);
      for (const tool of ["read_file", "list_files"]) {
        const { outcome, questions, content } = await call(tool, { path }, { answer });
        assert.equal(outcome, "denied");
        assert.deepEqual(questions, [{ kind: "outside", path: join(root, target), access: "read" }]);
        assert.doesNotMatch(content, /theirs/);
      }
      const search = await call("search_text", { pattern: "theirs", path }, { answer });
      assert.equal(search.outcome, "denied");
      assert.deepEqual(await readdir(root, { recursive: true }), before);
      assert.equal(await readFile(join(root, "elsewhere/x.txt"), "utf8"), "theirs\n");
    },
  );
}

const INSIDE: readonly (readonly [path: string, shown: string, kind: string])[] = [
  ["a.txt", "a.txt", "file"],
  ["./src//deep/./b.txt", "src/deep/b.txt", "file"],
  ["shortcut/b.txt", "src/deep/b.txt", "file"],
  ["shortcut/../deep/b.txt", "src/deep/b.txt", "file"],
  ["absolute", "a.txt", "file"],
  ["src/new/file.txt", "src/new/file.txt", "missing"],
  ["a.txt/x", "a.txt/x", "missing"],
  ["..a/..b", "..a/..b", "missing"],
  ["ws/a.txt", "a.txt", "file"],
  ["/a.txt", "a.txt", "file"],
  ["circle", "circle", "other"],
  [".", ".", "folder"],
  ["src/..", ".", "folder"],
];

for (const [path, shown, kind] of INSIDE) {
  test(`E09: ${path} is inside and is shown as ${shown}`, { skip }, async (context) => {
    const { workspace, root } = await linkedTree(context);
    const resolved = await workspace.resolve(path);
    assert.ok(resolved.place === "inside");
    assert.deepEqual([resolved.shown, resolved.kind], [shown, kind]);
    assert.ok(isInside(join(root, "ws"), resolved.absolute));
  });
}

test(
  "a guess at what a path means never leads outside: then the path counts as written",
  { skip },
  async (context) => {
    const { workspace } = await linkedTree(context);
    const resolved = await workspace.resolve("/gate/x.txt");
    assert.deepEqual(resolved, {
      place: "outside",
      absolute: "/gate/x.txt",
      shown: "/gate/x.txt",
      kind: "missing",
    });
  },
);

test("absolute paths, file URLs and ~ are understood", { skip }, async (context) => {
  const { workspace, ws, root } = await linkedTree(context);
  for (const path of [
    join(ws, "a.txt"),
    pathToFileURL(join(ws, "a.txt")).href,
    join(root, "link-to-ws/a.txt"),
  ]) {
    const resolved = await workspace.resolve(path);
    assert.ok(resolved.place === "inside" && resolved.shown === "a.txt", path);
  }
  const home = await workspace.resolve("~/not-there.txt");
  assert.ok(home.place === "outside");
  assert.equal(home.absolute, join(await realpath(homedir()), "not-there.txt"));
});

test("E09: a workspace folder that is itself a link works", { skip }, async (context) => {
  const { root } = await linkedTree(context);
  const workspace = createWorkspace(() => [{ name: "link", path: join(root, "link-to-ws") }]);
  const call = toolCaller(workspace);
  assert.match((await call("read_file", { path: "a.txt" })).content, /^a\.txt lines 1–1 of 1\na$/);
  assert.equal(
    (await call("edit_file", { path: join(root, "link-to-ws/a.txt"), old_text: "a", new_text: "b" })).outcome,
    "ok",
  );
  assert.equal(await readFile(join(root, "ws/a.txt"), "utf8"), "b\n");
});

test("a folder whose name starts alike is not inside, whatever the separator", () => {
  assert.deepEqual(
    [
      isInside("/ws", "/ws", "/"),
      isInside("/ws", "/ws/a", "/"),
      isInside("/ws", "/ws-old/a", "/"),
      isInside("/", "/a", "/"),
      isInside("C:\\ws", "C:\\ws\\a", "\\"),
      isInside("C:\\ws", "C:\\ws-old", "\\"),
      isInside("C:\\", "C:\\a", "\\"),
      isInside("\\\\host\\share", "\\\\host\\share2\\a", "\\"),
    ],
    [true, true, false, true, true, false, true, false],
  );
});

test(
  "several folders: paths name their folder, and are found with and without it",
  { skip },
  async (context) => {
    const root = await temporaryFolder(context, {
      "one/a.txt": "1\n",
      "two/b.txt": "2\n",
      "other/one/c.txt": "3\n",
    });
    const folders = ["one", "two", "other/one"].map((path) => ({
      name: path.split("/").at(-1) ?? "",
      path: join(root, path),
    }));
    const workspace = createWorkspace(() => folders);
    const call = toolCaller(workspace);
    const { content } = await call("list_files", {});
    assert.equal(content, ".: 6 entries\none/\ntwo/\none (2)/\none/a.txt\ntwo/b.txt\none (2)/c.txt");
    const shownFor = async (path: string) => {
      const resolved = await workspace.resolve(path);
      return resolved.place === "inside" ? resolved.shown : resolved.place;
    };
    assert.deepEqual(
      [
        await shownFor("two/b.txt"),
        await shownFor("b.txt"),
        await shownFor("one (2)/c.txt"),
        await shownFor("new.txt"),
        await shownFor("two/new.txt"),
      ],
      ["two/b.txt", "two/b.txt", "one (2)/c.txt", "one/new.txt", "two/new.txt"],
    );
    assert.equal(await shownFor("two"), "two");
    assert.match((await call("search_text", { pattern: "2" })).content, /two\/b\.txt\n {2}1: 2/);
  },
);

test("folders are asked for each time: none, then one", async (context) => {
  const root = await temporaryFolder(context, { "a.txt": "a\n" });
  const folders: { name: string; path: string }[] = [];
  const call = toolCaller(createWorkspace(() => folders));
  assert.match((await call("list_files", {})).content, /No folder is open/);
  folders.push({ name: "ws", path: root });
  assert.match((await call("list_files", {})).content, /a\.txt/);
});

test("a pipe is no file and does not hold the call", { skip }, async (context) => {
  const { ws, call, workspace } = await linkedTree(context);
  execFileSync("mkfifo", [join(ws, "pipe")]);
  assert.match((await call("read_file", { path: "pipe" })).content, /not a regular file/);
  assert.ok("reason" in (await workspace.readText(join(ws, "pipe"))));
  assert.equal((await call("search_text", { pattern: "a", path: "pipe" })).outcome, "ok");
});

test("R03: a missing file brings the nearest names, also from other folders", { skip }, async (context) => {
  const { call } = await linkedTree(context);
  assert.match((await call("read_file", { path: "A.txt" })).content, /does not exist\. Similar: a\.txt/);
  assert.match((await call("read_file", { path: "b.txt" })).content, /Similar: (a\.txt, )?src\/deep\/b\.txt/);
  assert.match((await call("read_file", { path: "zzz" })).content, /list_files shows/);
});

test(
  "E09: whatever path is written, nothing outside is made, read or changed without a yes",
  { skip },
  async (context) => {
    const { root, ws, call } = await linkedTree(context);
    const part = fc.constantFrom(
      "..",
      ".",
      "a.txt",
      "src",
      "deep",
      "gate",
      "dangling",
      "shortcut",
      "twice",
      "circle",
      "elsewhere",
      "x.txt",
      "new.txt",
      "ws",
      "ws-old",
      "nope",
      "~",
      "",
    );
    const path = fc
      .tuple(fc.constantFrom("", "/", `${root}/`, `${ws}/`), fc.array(part, { maxLength: 6 }))
      .map(([start, parts]) => start + parts.join("/"));
    const outside = async () => {
      const entries = await readdir(root, { recursive: true });
      const names = entries.filter((name) => !isInside("ws", name) && !isInside("link-to-ws", name)).sort();
      return [
        ...names,
        await readFile(join(root, "elsewhere/x.txt"), "utf8"),
        await readFile(join(root, "ws-old/y.txt"), "utf8"),
      ];
    };
    const before = await outside();
    await fc.assert(
      fc.asyncProperty(path, async (written) => {
        const answer = (question: { kind: string }) =>
          question.kind === "outside"
            ? ({ answer: "deny", reason: "" } as const)
            : ({ answer: "allow" } as const);
        for (const old_text of ["", "theirs"]) {
          const { questions } = await call(
            "edit_file",
            { path: written, old_text, new_text: "mine" },
            { answer },
          );
          for (const question of questions) {
            if (question.kind === "edit") assert.ok(!question.path.startsWith("/"), question.path);
            if (question.kind === "outside")
              assert.ok(relative(ws, question.path).startsWith("..") || question.path === root);
          }
        }
        const { content } = await call("read_file", { path: written }, { answer });
        assert.doesNotMatch(content, /theirs/);
      }),
      { numRuns: 300 },
    );
    assert.deepEqual(await outside(), before);
  },
);
