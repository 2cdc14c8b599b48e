import assert from "node:assert/strict";
import { mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { NO_DRAFT } from "../../../src/shared/protocol";
import { WindowMemory } from "../../../src/vscode/sessions/windowMemory";

let folder: string;
let memory: WindowMemory;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "loom-windows-"));
  memory = new WindowMemory(folder);
});
afterEach(() => rm(folder, { recursive: true }));

const keys = async (): Promise<string[]> => (await memory.remembered()).map(({ key }) => key);

/** Everything that is there now becomes a minute older, since two writes can have one time stamp. */
async function age(): Promise<void> {
  for (const name of await readdir(folder)) {
    const one = (await memory.remembered())[0];
    const at = new Date((one?.at ?? Date.now()) - 60_000);
    await utimes(join(folder, name), at, at);
  }
}

test("nothing is remembered before the first window", async () => {
  assert.deepEqual(await keys(), []);
  assert.deepEqual(await new WindowMemory(join(folder, "missing")).remembered(), []);
});

test("the newest comes first: the note of a window that closed, then what was current before", async () => {
  await memory.setCurrent("before");
  await age();
  await memory.noteClosed("closed", NO_DRAFT);
  assert.deepEqual(await keys(), ["closed", "before"]);
});

test("S02: of two windows that start, only one gets a note", async () => {
  await memory.noteClosed("closed", NO_DRAFT);
  const [one] = await memory.remembered();
  const [other] = await new WindowMemory(folder).remembered();
  assert.ok(one && other);
  assert.deepEqual([await one.take(), await other.take()], [true, false]);
  assert.deepEqual(await keys(), []);
});

test("V04: a window leaves its draft in its note, and only there", async () => {
  const draft = { text: "half a\nthought", at: 5 };
  await memory.setCurrent("key");
  await age();
  await memory.noteClosed("key", draft);
  assert.deepEqual(
    (await memory.remembered()).map((note) => note.draft),
    [draft, NO_DRAFT],
  );
});

test("a note that was cut off names nothing and does no harm", async () => {
  await writeFile(join(folder, "cut.closed"), '{"key":"k');
  assert.deepEqual(await keys(), []);
});

test("what is current can be taken again and again", async () => {
  await memory.setCurrent("old");
  await memory.setCurrent("key");
  const [current] = await memory.remembered();
  assert.equal(await current?.take(), true);
  assert.deepEqual(await keys(), ["key"]);
});

test("notes that no window takes do not pile up", async () => {
  for (let count = 0; count < 30; count++) await memory.noteClosed(`key ${count}`, NO_DRAFT);
  assert.equal((await keys()).length, 10);
});
