import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import fsPromises, { readFile, rm, utimes, writeFile } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { basename, join } from "node:path";
import { describe, test, type TestContext } from "node:test";
import { createShell } from "../../../src/node/commands/shell";
import { CheckpointStore } from "../../../src/node/files/checkpointStore";
import { Stock } from "../../../src/node/files/stock";
import { stepsFor } from "../../../src/node/files/turnFiles";
import { createWorkspace } from "../../../src/node/files/workspace";
import { bash, edit, play, restore, type Played } from "../../support/playedTurns";
import { ScriptedModel } from "../../support/scriptedModel";
import { startSession } from "../../support/sessionFixture";
import { toolCaller } from "../../support/toolCalls";
import { temporaryFolder } from "../../support/temporaryFolder";

/** A script that no word of a command tells anything about. */
const FORMAT = `
for f in src/*.ts; do sed 's/one/1/' "$f" > "$f.x" && mv "$f.x" "$f"; done
rm -r old
echo made > src/made.ts
`;

const keptIn = ({ session }: Played) => session.view.kept?.files ?? [];
const textsIn = (played: Played, ...names: readonly string[]) =>
  Promise.all(
    names.map((name) =>
      existsSync(played.pathOf(name)) ? readFile(played.pathOf(name), "utf8") : Promise.resolve(null),
    ),
  );

describe("files that a command changes without naming them", () => {
  const files = {
    "format.sh": FORMAT,
    "src/a.ts": "one\n",
    "src/b.ts": "one one\n",
    "src/same.ts": "two\n",
    "old/deep/gone.bin": Buffer.from([0, 1, 2, 255]),
  };

  test("changed, created and deleted ones are in the log and come back", async (t) => {
    const played = await play(t, files, [[bash("sh format.sh")]]);
    assert.deepEqual(keptIn(played), [
      { path: "src/a.ts", was: "file" },
      { path: "src/b.ts", was: "file" },
      { path: "old/deep/gone.bin", was: "file" },
      { path: "src/made.ts", was: "missing" },
    ]);
    const { steps, done } = await restore(played, played.turnIds[0]);
    assert.deepEqual(
      steps.map(({ isChangedSince }) => isChangedSince),
      [false, false, false, false],
    );
    assert.deepEqual(
      done.map((each) => ("how" in each ? each.how : each.error)),
      ["recreated", "restored", "restored", "deleted"],
    );
    assert.deepEqual(await textsIn(played, "src/a.ts", "src/b.ts", "src/made.ts"), [
      "one\n",
      "one one\n",
      null,
    ]);
    assert.deepEqual(await readFile(played.pathOf("old/deep/gone.bin")), files["old/deep/gone.bin"]);
  });

  test("what the person changes afterwards is asked about, and what they save meanwhile as well", async (t) => {
    const savedSince = (path: string) => path.endsWith("b.ts");
    const played = await play(t, files, [[bash("sh format.sh")]], { savedSince });
    await writeFile(played.pathOf("src/made.ts"), "mine\n");
    const steps = await stepsFor(played.parts, played.session, played.turnIds[0] ?? "");
    assert.deepEqual(
      steps.map(({ file, isChangedSince }) => [file.shown, isChangedSince]),
      [
        ["old/deep/gone.bin", false],
        ["src/a.ts", false],
        ["src/b.ts", true],
        ["src/made.ts", true],
      ],
    );
  });

  test("what the person saves while a command runs that names the file is asked about, an edit's own saving is not", async (t) => {
    const savedSince = (path: string, time: number) => path.endsWith(".ts") && Number.isFinite(time);
    const calls = [edit("src/b.ts", "one one", "1 1"), bash("sed -i s/one/1/ src/a.ts")];
    const played = await play(t, files, [calls], { savedSince });
    const steps = await stepsFor(played.parts, played.session, played.turnIds[0] ?? "");
    assert.deepEqual(
      steps.map(({ file, isChangedSince }) => [file.shown, isChangedSince]),
      [
        ["src/a.ts", true],
        ["src/b.ts", false],
      ],
    );
  });

  test("a file that an edit changed before the command goes back to what it was before both", async (t) => {
    const played = await play(t, files, [[edit("src/a.ts", "one", "one and one"), bash("sh format.sh")]]);
    assert.deepEqual(await textsIn(played, "src/a.ts"), ["1 and one\n"]);
    const { steps } = await restore(played, played.turnIds[0]);
    assert.ok(steps.every(({ isChangedSince }) => !isChangedSince));
    assert.deepEqual(await textsIn(played, "src/a.ts"), ["one\n"]);
  });

  test("files whose folder is renamed go back under their old names, and are gone under the new ones", async (t) => {
    const now = Date.now.bind(Date);
    // By then all files are old: renaming their folder does not touch their times.
    t.mock.method(Date, "now", () => now() + 60_000);
    const played = await play(t, files, [[bash("mv src lib")]]);
    assert.deepEqual(
      keptIn(played).map(({ path, was }) => [path, was]),
      [
        ["src/a.ts", "file"],
        ["src/b.ts", "file"],
        ["src/same.ts", "file"],
        ["lib/a.ts", "missing"],
        ["lib/b.ts", "missing"],
        ["lib/same.ts", "missing"],
      ],
    );
    await restore(played, played.turnIds[0]);
    assert.deepEqual(await textsIn(played, "src/a.ts", "lib/a.ts", "lib/same.ts"), ["one\n", null, null]);
  });

  test("a file that is too large is named as one that cannot be restored; ignored ones are left alone", async (t) => {
    const big = Buffer.alloc(1024 * 1024 + 1, "x");
    const played = await play(
      t,
      {
        "run.sh": "echo y >> big.bin; touch large.bin; echo z > dist/out.js",
        "big.bin": big,
        "large.bin": big,
        "dist/out.js": "",
        ".gitignore": "dist/\n",
      },
      [[bash("sh run.sh")]],
    );
    assert.deepEqual(
      keptIn(played).filter(({ path }) => path !== "large.bin"),
      [{ path: "big.bin", was: "not_kept", reason: "too large" }],
    );
    assert.deepEqual((await restore(played, played.turnIds[0])).steps, []);
  });

  test("nothing is looked at for a command that only reads, and nothing is said of one that changes nothing", async (t) => {
    const folder = await temporaryFolder(t, files);
    const workspace = createWorkspace(() => [{ name: "ws", path: folder }]);
    let lists = 0;
    const list: typeof workspace.files = (...given) => {
      lists += 1;
      return workspace.files(...given);
    };
    const played = await play(t, files, [[bash("cat src/a.ts | grep one 2>/dev/null"), bash("git status")]], {
      list,
    });
    assert.equal(lists, 0);
    const other = await play(t, files, [[bash("touch src/a.ts"), bash("cat src/a.ts > /dev/null; true")]]);
    assert.deepEqual([keptIn(played), keptIn(other)], [[], []]);
  });

  test("a file that only comes to be seen because of a changed .gitignore is not taken for a new one", async (t) => {
    const played = await play(
      t,
      { "run.sh": "rm .gitignore; echo new > new.txt", ".gitignore": "old.log\n", "old.log": "old\n" },
      [[bash("sleep 0; sh run.sh")]],
    );
    assert.deepEqual(
      keptIn(played)
        .map(({ path }) => path)
        .sort(),
      [".gitignore", "new.txt"],
    );
    await restore(played, played.turnIds[0]);
    assert.deepEqual(await textsIn(played, "old.log", ".gitignore"), ["old\n", "old.log\n"]);
  });
});

describe("taking stock before a command", () => {
  const files = {
    "a.txt": "one\n",
    "b.txt": "two\n",
    "change.sh": "for f in *.txt; do echo x >> $f; done; echo n > n.txt",
  };

  /** A session that was killed while its command ran, opened anew. */
  async function playKilled(context: TestContext) {
    const played = await play(context, files, [[edit("a.txt", "one", "1")]]);
    const { session, store, storage, turnIds, folder } = played;
    const place = { sessionId: session.id, turnId: turnIds[0] ?? "" };
    assert.ok(await store.takeStock(place, new AbortController().signal));
    await createShell(() => folder).run(
      { command: "sh change.sh", timeLimitMs: 20_000, maxCharacters: 100, onOutput: () => undefined },
      new AbortController().signal,
    );
    // What a killed host leaves: neither the end of the turn nor that of the command is in the log.
    const events = played.stored.filter(({ type }) => type !== "turn_ended");
    const after = new CheckpointStore(storage, { list: played.workspace.files });
    const again = startSession(new ScriptedModel([]), { events, checkpoints: after });
    await again.idle();
    return { played, again, after, place };
  }

  test("a command that is cut off together with Loom is taken back as well, each file after a question", async (t) => {
    const { played, again, after, place } = await playKilled(t);
    const [end] = again.session.view.entries.filter((entry) => entry.kind === "turn_ended");
    assert.deepEqual(
      end?.kept?.files.map(({ path }) => path),
      ["a.txt", "b.txt", "n.txt"],
    );
    const reopened = { ...played, session: again.session, parts: { ...played.parts, store: after } };
    const { steps } = await restore(reopened, place.turnId);
    assert.ok(steps.every(({ isChangedSince }) => isChangedSince));
    assert.deepEqual(await textsIn(played, "a.txt", "b.txt", "n.txt"), ["one\n", "two\n", null]);
    assert.deepEqual(await after.leftStocks(place.sessionId), []);
  });

  test("is stopped with the command, which then does not run", async (t) => {
    const stop = new AbortController();
    const played = await play(t, files, [], { list: () => Promise.reject(new Error("unused")) });
    const call = toolCaller(
      played.workspace,
      createShell(() => played.folder),
    );
    const takeStock = (signal: AbortSignal) => {
      stop.abort();
      return played.store.takeStock({ sessionId: "s", turnId: "t" }, signal).then(() => undefined);
    };
    const result = await call("bash", { command: "sh change.sh" }, { signal: stop.signal, takeStock });
    assert.deepEqual([result.outcome, await textsIn(played, "a.txt")], ["cancelled", ["one\n"]]);
  });

  test("beyond the bounds files are named, those that were changed last are kept, and nothing old counts as new", async (t) => {
    const many = Object.fromEntries(
      Array.from({ length: 22 }, (_, index) => [`${index}.txt`, Buffer.alloc(1024 * 1024, `${index} `)]),
    );
    const played = await play(t, many, []);
    const longAgo = new Date(Date.now() - 60_000);
    for (const name of ["7.txt", "9.txt"]) await utimes(played.pathOf(name), longAgo, longAgo);
    const place = { sessionId: "s", turnId: "t" };
    const list: typeof played.workspace.files = (most, signal) =>
      played.workspace.files(Math.min(most, 22), signal);
    const store = new CheckpointStore(played.storage, { list });
    const stock = await store.takeStock(place, new AbortController().signal);
    assert.ok(stock);
    for (const name of ["7.txt", "8.txt"]) await writeFile(played.pathOf(name), "changed\n");
    const { files: found, isCut } = await stock.changes();
    assert.equal(isCut, undefined);
    assert.deepEqual(found, [
      { path: "7.txt", was: "not_kept", reason: "more than is kept before a command" },
      { path: "8.txt", was: "file" },
    ]);
  });

  test("of a workspace with too many files it is said that not all is known, and a file beyond the bound is no new one", async (t) => {
    const played = await play(t, { "a.txt": "a\n", "b.txt": "b\n" }, []);
    let most = 1;
    const list: typeof played.workspace.files = (_, signal) => played.workspace.files(most, signal);
    const store = new CheckpointStore(played.storage, { list });
    const stock = await store.takeStock({ sessionId: "s", turnId: "t" }, new AbortController().signal);
    most = 10;
    await rm(played.pathOf("a.txt"));
    assert.deepEqual(await stock?.changes(), { files: [{ path: "a.txt", was: "file" }], isCut: true });
  });

  test("what has not changed is not read again, and a content is stored once", async (t) => {
    const folder = await temporaryFolder(t, { "a.txt": "same\n", "b.txt": "same\n", "c.txt": "other\n" });
    const storage = await temporaryFolder(t);
    const workspace = createWorkspace(() => [{ name: "ws", path: folder }]);
    const stock = new Stock(storage, workspace.files);
    const take = () => stock.take({ sessionId: "s", turnId: "t" }, new AbortController().signal);
    const longAgo = new Date(Date.now() - 60_000);
    for (const name of ["a.txt", "b.txt", "c.txt"]) await utimes(join(folder, name), longAgo, longAgo);
    const { folder: place } = await take();
    const contents = join(place, "contents");
    assert.equal(await readFile(contents, "utf8"), "same\nother\n");
    await writeFile(join(folder, "c.txt"), "third\n");
    await take();
    assert.equal(await readFile(contents, "utf8"), "same\nother\nthird\n");
    const reading = t.mock.method(fsPromises, "readFile");
    syncBuiltinESMExports();
    // The newest file may still change within the grain of its times.
    await utimes(join(folder, "c.txt"), longAgo, longAgo);
    await take();
    const read = () =>
      reading.mock.calls.map(({ arguments: [path] }) => (typeof path === "string" ? basename(path) : ""));
    assert.deepEqual(read(), ["c.txt"]);
    await take();
    assert.deepEqual(read(), ["c.txt"]);
    reading.mock.restore();
    syncBuiltinESMExports();
    await rm(place, { recursive: true });
    const fresh = await take();
    assert.notEqual(fresh.folder, place);
    assert.ok(fresh.files.every(({ place: at }) => at !== undefined));
  });
});
