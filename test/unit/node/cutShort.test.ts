import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import type { Shell } from "../../../src/core/ports";
import { createTools } from "../../../src/core/tools";
import { keptTurn } from "../../../src/core/turn/checkpoints";
import { CheckpointStore } from "../../../src/node/files/checkpointStore";
import { restoreFiles, stepsFor } from "../../../src/node/files/turnFiles";
import { createWorkspace } from "../../../src/node/files/workspace";
import type { LogEvent, ToolCall } from "../../../src/shared/events";
import { cutDiskAt, type CutDisk } from "../../support/cutDisk";
import { bash, edit } from "../../support/playedTurns";
import { ScriptedModel } from "../../support/scriptedModel";
import { startSession } from "../../support/sessionFixture";
import { temporaryFolder } from "../../support/temporaryFolder";
import { FakeShell } from "../../support/toolCalls";

const LINES = `first line\r\n${"an old line of some length\r\n".repeat(200)}`;
const OLD: Readonly<Record<string, Buffer | null>> = {
  "a.txt": Buffer.from(LINES),
  "latin.txt": Buffer.from(`caf\xe9 ${LINES}`, "latin1"),
  "gone.txt": Buffer.from("here\n"),
  "new.txt": null,
};
const NAMES = Object.keys(OLD);

/** A disk with the files of a test, and what can be opened on it again after an end. */
async function diskOf(context: TestContext) {
  const files = Object.entries(OLD).flatMap(([name, bytes]) => (bytes ? [[`ws/${name}`, bytes]] : []));
  const root = await temporaryFolder(context, Object.fromEntries(files) as Record<string, Buffer>);
  const folder = join(root, "ws");
  const workspace = createWorkspace(() => [{ name: "ws", path: folder }]);
  const pathOf = (name: string) => join(folder, name);
  const read = () => NAMES.map((name) => (existsSync(pathOf(name)) ? readFileSync(pathOf(name)) : null));
  const write = (contents: readonly (Buffer | null)[]) => {
    for (const [index, name] of NAMES.entries()) {
      const bytes = contents[index];
      if (bytes) writeFileSync(pathOf(name), bytes);
      else rmSync(pathOf(name), { force: true });
    }
  };
  const forgetUndo = () => {
    for (const session of readdirSync(join(root, "store")))
      rmSync(join(root, "store", session, "undo"), { recursive: true, force: true });
  };
  /** A command that changes files which it does not name; in one step, since what it does is its own. */
  const done = new FakeShell();
  const shell: Shell = {
    folder,
    run(request) {
      writeFileSync(pathOf("a.txt"), String(readFileSync(pathOf("a.txt"))).replace(/.*$/, "by a command"));
      writeFileSync(pathOf("new.txt"), "made\n");
      rmSync(pathOf("gone.txt"), { force: true });
      return done.run(request);
    },
  };
  const open = () => new CheckpointStore(join(root, "store"), { list: workspace.files });
  return { root, folder, workspace, shell, read, write, forgetUndo, open };
}

type Disk = Awaited<ReturnType<typeof diskOf>>;

/** A turn that makes these calls, with its log; ends early when the disk is cut. */
async function runTurn(disk: Disk, calls: readonly ToolCall[], cut?: CutDisk): Promise<readonly LogEvent[]> {
  const log: LogEvent[] = [];
  const append = (event: LogEvent) => Promise.resolve(void log.push(event));
  const tools = createTools({ ...disk, limits: { commandTimeLimitSeconds: 20 } });
  const { session, idle } = startSession(new ScriptedModel([{ toolCalls: calls }, { text: "Done." }]), {
    tools,
    checkpoints: disk.open(),
    append: (event) => (cut ? cut.act(() => append(event)) : append(event)),
  });
  session.onEvent((event) => {
    if (event.type === "approval_asked") session.decide(event.callId, { answer: "allow" }, event.askId);
  });
  session.send("m", "go");
  await Promise.race([idle(), ...(cut ? [cut.isCut] : [])]);
  return log;
}

/** Opens the log again, as after a reload, and takes its last turn back whole; false when it says that there is nothing. */
async function restore(disk: Disk, log: readonly LogEvent[], cut?: CutDisk): Promise<boolean> {
  const store = disk.open();
  const { session, idle } = startSession(new ScriptedModel([]), { events: log, checkpoints: store });
  await idle();
  const turnId = keptTurn(session.view)?.turnId;
  if (turnId === undefined) return false;
  const parts = { store, workspace: disk.workspace };
  const steps = await stepsFor(parts, session, turnId);
  const chosen = steps.map((step) => [step, "take"] as const);
  const work = restoreFiles(parts, session, { turnId, undoId: "undo" }, chosen);
  const problems = await Promise.race([work, ...(cut ? [cut.isCut] : [])]);
  assert.deepEqual(problems ?? [], []);
  return true;
}

const hex = (files: readonly (Buffer | null)[]) => files.map((bytes) => bytes?.toString("hex") ?? null);
const UNTOUCHED = hex(Object.values(OLD));

/** What each file holds after each of the calls, the first of which has not begun. */
async function stagesOf(context: TestContext, calls: readonly ToolCall[]) {
  const stages = [UNTOUCHED];
  for (const [index] of calls.entries()) {
    const disk = await diskOf(context);
    await runTurn(disk, calls.slice(0, index + 1));
    stages.push(hex(disk.read()));
  }
  return stages;
}

function assertWhole(disk: Disk, stages: readonly (readonly (string | null)[])[], at: number): void {
  for (const [index, bytes] of hex(disk.read()).entries()) {
    const isWhole = stages.some((stage) => stage[index] === bytes);
    assert.ok(isWhole, `${NAMES[index]} is neither old nor new after a cut at ${at}`);
  }
}

const first = edit("a.txt", "first line", "FIRST line");
const TURNS: Readonly<Record<string, readonly ToolCall[]>> = {
  "an edit": [first],
  "two edits of one file": [first, edit("a.txt", "FIRST", "third")],
  "an edit of a file in another encoding": [edit("latin.txt", "caf", "CAF")],
  "a new file": [edit("new.txt", "", "made\n")],
  "a command that names no file": [bash("sh change.sh")],
  "an edit and a command that changes the same file": [first, bash("sh change.sh")],
};

for (const [name, calls] of Object.entries(TURNS)) {
  test(`${name}, cut between any two writes of file, checkpoint and log: each file is the old or a new one, and all come back`, async (t) => {
    const stages = await stagesOf(t, calls);
    let at = 0;
    for (let isCut = true; isCut;) {
      const disk = await diskOf(t);
      const cut = cutDiskAt(++at);
      const log = await runTurn(disk, calls, cut).finally(() => cut.mend());
      isCut = cut.happened();
      assertWhole(disk, stages, at);
      // Without a word of it in the log there must be nothing to restore either.
      await restore(disk, log);
      assert.deepEqual(hex(disk.read()), UNTOUCHED, `after a cut at ${at}`);
    }
    assert.ok(at > 8, `${at} places`);
  });
}

test("restoring, cut between any two writes: each file is the old or the new one, and restoring again finishes it", async (t) => {
  const calls = [first, edit("latin.txt", "caf", "CAF"), bash("sh change.sh")];
  const stages = await stagesOf(t, calls);
  const disk = await diskOf(t);
  const log = await runTurn(disk, calls);
  const changed = disk.read();
  let at = 0;
  for (let isCut = true; isCut;) {
    disk.write(changed);
    disk.forgetUndo();
    const cut = cutDiskAt(++at);
    await restore(disk, log, cut).finally(() => cut.mend());
    isCut = cut.happened();
    assertWhole(disk, stages, at);
    assert.ok(await restore(disk, log));
    assert.deepEqual(hex(disk.read()), UNTOUCHED, `after a cut at ${at}`);
  }
  assert.ok(at > 20, `${at} places`);
});
