import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import fsPromises, { type FileHandle } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { CheckpointStore } from "../../../src/node/files/checkpointStore";
import { doStep, stepsFor } from "../../../src/node/files/turnFiles";
import { createWorkspace } from "../../../src/node/files/workspace";
import type { LogEvent } from "../../../src/shared/events";
import { temporaryFolder } from "../../support/temporaryFolder";

const OLD = `${"an old line of some length\n".repeat(2_000)}`;
const NEW = OLD.replace("old", "NEW");
const PLACE = { sessionId: "s", turnId: "t" };
const EVENTS: readonly LogEvent[] = [{ v: 1, id: "t", at: 1, type: "user_message", text: "go" }];

type Work = "edit" | "create" | "restore" | "delete";

function partsOf(folder: string) {
  const workspace = createWorkspace(() => [{ name: "ws", path: join(folder, "ws") }]);
  const store = new CheckpointStore(join(folder, "store"));
  return { workspace, store, unsavedText: () => undefined };
}

/** What a turn does to one file, in the order of the tool. */
async function change(folder: string, before: string | null, after: string): Promise<void> {
  const { workspace, store } = partsOf(folder);
  const path = await workspace.resolve("a.txt");
  assert.ok(path.place !== "no_folder");
  await store.keep(PLACE, path);
  const written = await workspace.write({ path, before, after });
  assert.ok("text" in written, JSON.stringify(written));
  await store.noteWritten(PLACE, path);
}

async function restoreAll(folder: string): Promise<void> {
  const parts = partsOf(folder);
  for (const step of await stepsFor(parts, { id: "s", events: EVENTS }, "t"))
    assert.ok("how" in (await doStep(parts, step, "take")));
}

/** Ends this process at the n-th thing that it does to the disk: before it, or in the middle of what is written. */
function killAt(wanted: number): void {
  let count = 0;
  const reached = (): boolean => ++count === wanted;
  const kill = (): never => {
    process.kill(process.pid, "SIGKILL");
    throw new Error("killed");
  };
  const disk = fsPromises as unknown as Record<string, (...values: unknown[]) => Promise<unknown>>;
  for (const name of ["mkdir", "rename", "link", "rm"]) {
    const real = disk[name];
    disk[name] = (...values) => (reached() ? kill() : (real?.(...values) ?? kill()));
  }
  const realOpen = fsPromises.open;
  disk["open"] = async (...values) => {
    const [path, flags, mode] = values as Parameters<typeof realOpen>;
    const isWriting = flags === "wx";
    if (isWriting && reached()) kill();
    const file = await realOpen(path, flags, mode);
    return isWriting ? watched(file, reached, kill) : file;
  };
  syncBuiltinESMExports();
}

function watched(file: FileHandle, reached: () => boolean, kill: () => never): FileHandle {
  const writeFile = file.writeFile.bind(file);
  const sync = file.sync.bind(file);
  file.writeFile = async (data) => {
    if (reached()) {
      await writeFile(Buffer.from(data as Uint8Array).subarray(0, 1_000));
      kill();
    }
    await writeFile(data);
  };
  file.sync = async () => (reached() ? kill() : sync());
  return file;
}

/** Does some work in a process of its own that is killed at its n-th act; false when the work was done before. */
function runKilled(folder: string, work: Work, at: number): boolean {
  const env = { ...process.env, LOOM_KILLED_WORK: JSON.stringify({ folder, work, at }) };
  const { signal, status, stderr } = spawnSync(process.execPath, [fileURLToPath(import.meta.url)], { env });
  if (signal === "SIGKILL") return true;
  assert.equal(status, 0, stderr.toString());
  return false;
}

const own = process.env["LOOM_KILLED_WORK"];
if (own !== undefined) {
  const { folder, work, at } = JSON.parse(own) as { folder: string; work: Work; at: number };
  killAt(at);
  if (work === "edit") await change(folder, OLD, NEW);
  else if (work === "create") await change(folder, null, NEW);
  else await restoreAll(folder);
} else if (process.platform !== "win32") {
  for (const work of ["edit", "create", "restore", "delete"] as const) {
    test(`killed between any two writes of ${work}: the file is the old or the new one, and the checkpoint restores`, async (t) => {
      const isEdit = work === "edit" || work === "restore";
      let kills = 0;
      for (let at = 1; ; at += 1) {
        const folder = await temporaryFolder(t, isEdit ? { "ws/a.txt": OLD } : { "ws/.keep": "" });
        if (work === "restore") await change(folder, OLD, NEW);
        if (work === "delete") await change(folder, null, NEW);
        const isKilled = runKilled(folder, work, at);
        const file = join(folder, "ws", "a.txt");
        const now = existsSync(file) ? readFileSync(file, "utf8") : null;
        const allowed = isEdit ? [OLD, NEW] : [null, NEW];
        assert.ok(allowed.includes(now), `after ${at}: ${now?.length} characters`);
        // Whatever was done by then can be taken back.
        await restoreAll(folder);
        assert.equal(
          existsSync(file) ? readFileSync(file, "utf8") : null,
          isEdit ? OLD : null,
          `after ${at}`,
        );
        if (!isKilled) {
          assert.deepEqual(
            readdirSync(join(folder, "ws")).filter((name) => name.endsWith(".tmp")),
            [],
          );
          break;
        }
        kills += 1;
      }
      assert.ok(kills >= (work === "delete" ? 1 : 4), `${kills} kills`);
    });
  }
}
