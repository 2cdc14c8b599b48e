import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { chmod, readdir, readFile, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { keptTurn } from "../../../src/core/turn/checkpoints";
import { CheckpointStore } from "../../../src/node/files/checkpointStore";
import { doStep, stepsFor } from "../../../src/node/files/turnFiles";
import type { LogEvent } from "../../../src/shared/events";
import { bash, edit, play, restore } from "../../support/playedTurns";
import { callOf, ScriptedModel } from "../../support/scriptedModel";
import { startSession } from "../../support/sessionFixture";
import { temporaryFolder } from "../../support/temporaryFolder";

const LATIN = Buffer.from([0x78, 0x3d, 0x31, 0x0d, 0x0a, 0xe9, 0x0a]);

test("a turn is taken back byte for byte: changed, created and deleted files, whatever their encoding and mode", async (t) => {
  const played = await play(
    t,
    { "a.txt": "one\n", "latin.ini": LATIN, "gone.txt": "here\n", "run.sh": "x\n" },
    [
      [
        edit("a.txt", "one", "1"),
        edit("a.txt", "1", "uno"),
        edit("latin.ini", "x=1", "x=2"),
        edit("new/deep.txt", "", "made"),
        edit("run.sh", "x", "y"),
        bash("rm gone.txt"),
      ],
    ],
  );
  await chmod(played.pathOf("run.sh"), 0o755);
  assert.equal(existsSync(played.pathOf("gone.txt")), false);
  const { done } = await restore(played, played.turnIds[0]);
  assert.deepEqual(done, [
    { path: "a.txt", how: "restored" },
    { path: "gone.txt", how: "recreated" },
    { path: "latin.ini", how: "restored" },
    { path: "new/deep.txt", how: "deleted" },
    { path: "run.sh", how: "restored" },
  ]);
  assert.equal(await readFile(played.pathOf("a.txt"), "utf8"), "one\n");
  assert.deepEqual(await readFile(played.pathOf("latin.ini")), LATIN);
  assert.equal(await readFile(played.pathOf("gone.txt"), "utf8"), "here\n");
  assert.equal(existsSync(played.pathOf("new/deep.txt")), false);
  assert.deepEqual((await restore(played, played.turnIds[0])).steps, []);
});

test("the log names the files of the turn, each once, and the panel's entry has them, also after a reload", async (t) => {
  const played = await play(t, { "a.txt": "one\n", "b.txt": "b\n" }, [
    [edit("a.txt", "one", "1"), edit("a.txt", "1", "2"), bash("sed -i s/b/c/ b.txt")],
    [callOf("read_file", { path: "a.txt" }), bash("cat a.txt | wc -l")],
  ]);
  const kept = played.session.events.filter((event) => event.type === "files_kept");
  const [a, b] = [{ path: "a.txt", was: "file" } as const, { path: "b.txt", was: "file" } as const];
  assert.deepEqual(
    kept.map(({ files, stage }) => ({ files, stage })),
    [
      { files: [a], stage: "expected" },
      { files: [a], stage: undefined },
      { files: [b], stage: undefined },
    ],
  );
  const again = startSession(new ScriptedModel([]), { events: played.stored });
  for (const { view } of [played.session, again.session]) {
    const ends = view.entries.filter((entry) => entry.kind === "turn_ended");
    assert.deepEqual(
      ends.map((end) => end.kept),
      [{ turnId: played.turnIds[0], files: [a, b] }, undefined],
    );
  }
  const { steps } = await restore({ ...played, session: again.session }, played.turnIds[0]);
  assert.deepEqual(
    steps.map(({ file, isChangedSince }) => [file.shown, isChangedSince]),
    [
      ["a.txt", false],
      ["b.txt", false],
    ],
  );
  assert.equal(await readFile(played.pathOf("b.txt"), "utf8"), "b\n");
});

test("an earlier turn takes the later ones of the same file with it, and none of that counts as the person's", async (t) => {
  const played = await play(t, { "a.txt": "zero\n" }, [
    [edit("a.txt", "zero", "one")],
    [edit("a.txt", "one", "two")],
  ]);
  const later = await stepsFor(played.parts, played.session, played.turnIds[1] ?? "");
  assert.equal(later[0]?.thenText, "one\n");
  const { steps } = await restore(played, played.turnIds[0]);
  assert.equal(steps[0]?.isChangedSince, false);
  assert.equal(await readFile(played.pathOf("a.txt"), "utf8"), "zero\n");
});

test("what the person changed since is noticed; a merge takes out only what Loom changed", async (t) => {
  const lines = Array.from({ length: 30 }, (_, index) => `line ${index}`);
  const played = await play(t, { "a.txt": `${lines.join("\n")}\n`, "b.txt": "b\n", "gone.txt": "g\n" }, [
    [
      edit("a.txt", "line 3\n", "LOOM\n"),
      edit("b.txt", "b", "B"),
      edit("made.txt", "", "m\n"),
      bash("rm gone.txt"),
    ],
  ]);
  const text = await readFile(played.pathOf("a.txt"), "utf8");
  await writeFile(played.pathOf("a.txt"), text.replace("line 25", "MINE"));
  await writeFile(played.pathOf("b.txt"), "B, and mine\n");
  await writeFile(played.pathOf("made.txt"), "m\nmine\n");
  const steps = await stepsFor(played.parts, played.session, played.turnIds[0] ?? "");
  assert.deepEqual(
    steps.map(({ file, action, isChangedSince, merged }) => [
      file.shown,
      action,
      isChangedSince,
      merged !== undefined,
    ]),
    [
      ["a.txt", "restored", true, true],
      // Both changed the same line: these cannot be told apart.
      ["b.txt", "restored", true, false],
      ["gone.txt", "recreated", false, false],
      ["made.txt", "deleted", true, false],
    ],
  );
  const [first] = steps;
  assert.ok(first);
  assert.deepEqual(await doStep(played.parts, first, "merge"), { path: "a.txt", how: "merged" });
  const merged = lines.map((line) => (line === "line 25" ? "MINE" : line)).join("\n");
  assert.equal(await readFile(played.pathOf("a.txt"), "utf8"), `${merged}\n`);
});

test("what the person changed between two changes of Loom's is asked about too, and stays in a merge where that is possible", async (t) => {
  const lines = Array.from({ length: 30 }, (_, index) => `line ${index}\n`).join("");
  const played = await play(t, { "a.txt": lines, "b.txt": lines }, [[edit("a.txt", "line 3\n", "LOOM\n")]]);
  const replace = async (name: string, from: string, to: string) => {
    const text = await readFile(played.pathOf(name), "utf8");
    await writeFile(played.pathOf(name), text.replace(from, to));
  };
  await replace("a.txt", "line 15\n", "MINE\n");
  // Between two changes of one turn.
  const ofB = () => readFileSync(played.pathOf("b.txt"), "utf8");
  played.session.onEvent(({ type }) => {
    if (type === "tool_result" && ofB().includes("LOOM"))
      writeFileSync(played.pathOf("b.txt"), "mine\nline 9\n");
  });
  played.model.then(
    {
      toolCalls: [edit("a.txt", "line 25\n", "AGAIN\n"), edit("b.txt", "line 3\n", "LOOM\n")],
    },
    { toolCalls: [edit("b.txt", "line 9\n", "AGAIN\n")] },
    { text: "Done." },
  );
  played.session.send("m2", "once more");
  await played.idle();
  const [first, second] = played.session.events.flatMap((event) =>
    event.type === "user_message" ? [event.id] : [],
  );
  const { steps } = await restore(played, first, () => "merge");
  assert.deepEqual(
    steps.map(({ isChangedSince }) => isChangedSince),
    [true],
  );
  assert.equal(await readFile(played.pathOf("a.txt"), "utf8"), lines.replace("line 15\n", "MINE\n"));
  const [, b] = await stepsFor(played.parts, played.session, second ?? "");
  assert.deepEqual([b?.file.shown, b?.isChangedSince, b?.merged], ["b.txt", true, undefined]);
});

test("a file that changes between the plan and the act, or whose path leads elsewhere by then, is left alone", async (t) => {
  const played = await play(t, { "a.txt": "one\n", "b.txt": "b\n" }, [
    [edit("a.txt", "one", "1"), edit("b.txt", "b", "B")],
  ]);
  const steps = await stepsFor(played.parts, played.session, played.turnIds[0] ?? "");
  await writeFile(played.pathOf("a.txt"), "typed\n");
  await rm(played.pathOf("b.txt"));
  const outside = join(await temporaryFolder(t, { "x.txt": "B\n" }), "x.txt");
  await symlink(outside, played.pathOf("b.txt"));
  for (const step of steps) assert.ok("error" in (await doStep(played.parts, step, "take")));
  assert.equal(await readFile(played.pathOf("a.txt"), "utf8"), "typed\n");
  assert.equal(await readFile(outside, "utf8"), "B\n");
});

test("restoring can itself be taken back, and the model is told of it", async (t) => {
  const played = await play(t, { "a.txt": "one\n" }, [[edit("a.txt", "one", "1")]]);
  const { session, store, parts } = played;
  const place = { sessionId: session.id, turnId: "undo-1" };
  const [step] = await stepsFor(parts, session, played.turnIds[0] ?? "");
  assert.ok(step);
  await store.keep(place, step.file);
  const done = await doStep(parts, step, "take");
  assert.ok("how" in done);
  await store.noteWritten(place, step.file);
  session.noteRestored({ turnId: played.turnIds[0] ?? "", files: [done], undoId: "undo-1" });
  const note = session.events.at(-1);
  assert.ok(note?.type === "model_note" && note.text.includes("a.txt (restored)"));
  assert.ok(session.view.entries.some(({ kind }) => kind === "restored"));
  const back = await restore(played, "undo-1");
  assert.equal(back.steps[0]?.isChangedSince, false);
  assert.equal(await readFile(played.pathOf("a.txt"), "utf8"), "1\n");
  // And forth again, still nobody else's change.
  assert.equal((await restore(played, played.turnIds[0])).steps[0]?.isChangedSince, false);
});

test("what cannot be kept is said and stands in nobody's way; the kept contents are for this account only", async (t) => {
  const big = Buffer.alloc(11 * 1024 * 1024, "a line of text that is long\n");
  const played = await play(t, { "big.txt": big, "a.txt": "one\n" }, [
    [edit("a.txt", "one", "1"), bash("rm big.txt; true")],
  ]);
  assert.deepEqual(played.session.view.kept?.files, [
    { path: "a.txt", was: "file" },
    { path: "big.txt", was: "not_kept", reason: "too large" },
  ]);
  const turn = join(played.storage, played.session.id, played.turnIds[0] ?? "");
  if (process.platform !== "win32") {
    for (const name of await readdir(turn))
      assert.equal((await stat(join(turn, name))).mode & 0o077, 0, name);
    assert.equal((await stat(turn)).mode & 0o077, 0);
  }
  const full = new CheckpointStore("/dev/null/nowhere");
  const result = await full.keep(
    { sessionId: "s", turnId: "t" },
    { absolute: played.pathOf("a.txt"), shown: "a.txt" },
  );
  assert.equal(result.was, "not_kept");
});

test("nothing is said of a change that did not come about, nor of one that was taken back within the turn", async (t) => {
  const played = await play(t, { "a.txt": "one\n", "b.txt": "b\n" }, []);
  await chmod(played.pathOf("a.txt"), 0o444);
  played.model.then({ toolCalls: [edit("a.txt", "one", "1")] }, { text: "It could not be written." });
  played.session.send("m1", "change it");
  await played.idle();
  const kept = played.session.events.filter((event) => event.type === "files_kept");
  assert.deepEqual(
    kept.map(({ stage }) => stage),
    ["expected", "unchanged"],
  );
  assert.equal(played.session.view.entries.findLast(({ kind }) => kind === "turn_ended")?.kind, "turn_ended");
  assert.equal(keptTurn(played.session.view), undefined);
  // What the person writes there then is no business of the turn's.
  await chmod(played.pathOf("a.txt"), 0o644);
  await writeFile(played.pathOf("a.txt"), "mine\n");
  assert.deepEqual(await stepsFor(played.parts, played.session, kept[0]?.turnId ?? ""), []);
  played.model.then(
    { toolCalls: [edit("b.txt", "b", "c"), edit("b.txt", "c", "b"), edit("a.txt", "mine", "ours")] },
    { text: "Done." },
  );
  played.session.send("m2", "to and fro");
  await played.idle();
  assert.deepEqual(keptTurn(played.session.view)?.files, [{ path: "a.txt", was: "file" }]);
});

test("of a change in whose middle Loom was ended it is said that the file is perhaps changed", async (t) => {
  const played = await play(t, { "a.txt": "one\n" }, [[edit("a.txt", "one", "1")]]);
  const expected = played.stored.findIndex(({ type }) => type === "files_kept");
  const { session } = startSession(new ScriptedModel([]), { events: played.stored.slice(0, expected + 1) });
  assert.deepEqual(keptTurn(session.view)?.files, [{ path: "a.txt", was: "file", isExpected: true }]);
  await restore({ ...played, session }, played.turnIds[0]);
  assert.equal(await readFile(played.pathOf("a.txt"), "utf8"), "one\n");
});

test("old turns are removed, the running one never; damaged entries and ids of a strange form do no harm", async (t) => {
  const storage = await temporaryFolder(t);
  const folder = await temporaryFolder(t, { "a.txt": "one\n" });
  const file = { absolute: join(folder, "a.txt"), shown: "a.txt" };
  const first = new CheckpointStore(storage);
  await first.keep({ sessionId: "s", turnId: "old" }, file);
  await first.keep({ sessionId: "s", turnId: "fresh" }, file);
  const longAgo = new Date(Date.now() - 40 * 24 * 3_600_000);
  for (const name of await readdir(join(storage, "s", "old")))
    await utimes(join(storage, "s", "old", name), longAgo, longAgo);
  const store = new CheckpointStore(storage);
  await store.keep({ sessionId: "s", turnId: "new" }, file);
  assert.deepEqual((await readdir(join(storage, "s"))).sort(), ["fresh", "new"]);
  const strange = { sessionId: "../../x", turnId: "../y" };
  await store.keep(strange, file);
  assert.equal((await store.read(strange)).length, 1);
  assert.equal((await readdir(storage)).length, 2);
  const [entry] = (await readdir(join(storage, "s", "new"))).filter((name) => name.endsWith(".json"));
  await writeFile(join(storage, "s", "new", entry ?? ""), '{"v":1,"abso');
  assert.deepEqual(await store.read({ sessionId: "s", turnId: "new" }), []);
});

test("logs without kept files load as before", () => {
  const events: LogEvent[] = [
    { v: 1, id: "1", at: 1, type: "session_started", sessionId: "s" },
    { v: 1, id: "2", at: 2, type: "user_message", text: "hi" },
    { v: 1, id: "3", at: 3, type: "turn_ended", reason: "done" },
  ];
  const { session } = startSession(new ScriptedModel([]), { events });
  const end = session.view.entries.at(-1);
  assert.ok(end?.kind === "turn_ended" && end.kept === undefined);
});
