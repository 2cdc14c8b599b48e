import assert from "node:assert/strict";
import {
  appendFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  utimes,
  writeFile,
} from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import type { LogBody, LogEvent } from "../../../src/shared/events";
import { SessionStore, type Damage, type StoredSession } from "../../../src/vscode/sessions/sessionStore";
import { ScriptedModel } from "../../support/scriptedModel";
import { startSession } from "../../support/sessionFixture";

let root: string;
let folder: string;
let damages: Damage[];
let store: SessionStore;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "loom-sessions-"));
  folder = join(root, "sessions");
  damages = [];
  store = new SessionStore(folder, (damage) => damages.push(damage));
});
afterEach(() => rm(root, { recursive: true }));

let made = 0;
const stamp = (body: LogBody): LogEvent => ({ ...body, v: 1, id: `e${++made}`, at: 1_000 + made });
const said = (text: string): LogEvent => stamp({ type: "user_message", text });
const started = (): LogEvent => stamp({ type: "session_started", sessionId: "s" });

/** A closed session in which these messages were sent. */
async function sessionWith(...texts: string[]): Promise<{ key: string; events: LogEvent[] }> {
  const { key, appender } = await store.create();
  const events = [started(), ...texts.map(said)];
  for (const event of events) await appender.append(event);
  await appender.close();
  return { key, events };
}

async function openStored(key: string, by = store): Promise<StoredSession> {
  const stored = await by.open(key);
  assert.ok(typeof stored === "object", "the session cannot be opened");
  return stored;
}

const pathOf = (key: string): string => join(folder, `${key}.jsonl`);
const textsOf = (events: readonly LogEvent[]): string[] =>
  events.flatMap((event) => (event.type === "user_message" ? [event.text] : []));

test("what was appended comes back in order, and more can follow", async () => {
  const { key, events } = await sessionWith("one", "two");
  const stored = await openStored(key);
  assert.deepEqual(stored.events, events);
  await Promise.all([stored.appender.append(said("three")), stored.appender.append(said("four"))]);
  await stored.appender.close();
  const again = await openStored(key);
  assert.deepEqual(textsOf(again.events), ["one", "two", "three", "four"]);
  await again.appender.close();
});

test("a session in which nobody said anything leaves no file", async () => {
  const { appender } = await store.create();
  await appender.append(started());
  await appender.close();
  assert.deepEqual(await store.list(), []);
  assert.deepEqual(await readdir(folder), []);
});

test("the list names sessions by their first message, the last used first", async () => {
  const older = await sessionWith("  the older\n one ", "second");
  const newer = await sessionWith(`${"x".repeat(100)}`);
  const list = await store.list();
  assert.deepEqual(
    list.map(({ key, title, messages, isOpen }) => ({ key, title, messages, isOpen })),
    [
      { key: newer.key, title: `${"x".repeat(79)}…`, messages: 1, isOpen: false },
      { key: older.key, title: "the older one", messages: 2, isOpen: false },
    ],
  );
  assert.equal(list[1]?.lastUsedAt, older.events.at(-1)?.at);
});

test("S01: of three sessions the one that is cut in the middle of a text is kept aside and named, and its whole lines open", async () => {
  const [first, second, third] = [
    await sessionWith("first"),
    await sessionWith("second", "lost words"),
    await sessionWith("third"),
  ];
  const whole = await readFile(pathOf(second.key), "utf8");
  const cut = whole.slice(0, whole.indexOf("lost words") + 4);
  await writeFile(pathOf(second.key), cut);
  assert.deepEqual((await store.list()).map(({ title }) => title).sort(), ["first", "second", "third"]);
  assert.equal(damages.length, 1);
  const [damage] = damages;
  assert.equal(damage?.title, "second");
  assert.equal(damage?.lines, 1);
  assert.equal(await readFile(damage?.keptAs ?? "", "utf8"), cut);
  for (const { key, events } of [first, third]) {
    const stored = await openStored(key);
    assert.deepEqual(stored.events, events);
    await stored.appender.close();
  }
  const stored = await openStored(second.key);
  assert.deepEqual(textsOf(stored.events), ["second"]);
  await stored.appender.append(said("after"));
  await stored.appender.close();
  assert.equal(damages.length, 1, "a mended file is not named again");
  const again = await openStored(second.key);
  assert.deepEqual(textsOf(again.events), ["second", "after"]);
  await again.appender.close();
});

test("S01: a file of which nothing can be read is kept aside and not listed", async () => {
  await mkdir(folder, { recursive: true });
  await writeFile(pathOf("broken"), "\0\0\0 no events\n{");
  assert.deepEqual(await store.list(), []);
  assert.equal(damages.length, 1);
  assert.equal(await readFile(damages[0]?.keptAs ?? "", "utf8"), "\0\0\0 no events\n{");
  assert.equal(await store.open("broken"), "missing");
});

test("S01: a session whose first line is lost still opens with an identity", async () => {
  const { key } = await sessionWith("hello");
  const [, ...rest] = (await readFile(pathOf(key), "utf8")).split("\n");
  await writeFile(pathOf(key), ["{", ...rest].join("\n"));
  const stored = await openStored(key);
  assert.equal(stored.events[0]?.type, "session_started");
  assert.deepEqual(textsOf(stored.events), ["hello"]);
  await stored.appender.close();
});

test("an event of another version stays in the file, also when a damaged line beside it goes", async () => {
  const { key } = await sessionWith("hello");
  const unknown = '{"v":9,"type":"dreamt","of":"sheep"}';
  await appendFile(pathOf(key), `${unknown}\n{"v":1,"ty`);
  const stored = await openStored(key);
  assert.deepEqual(textsOf(stored.events), ["hello"]);
  await stored.appender.append(said("more"));
  await stored.appender.close();
  const lines = (await readFile(pathOf(key), "utf8")).trimEnd().split("\n");
  assert.equal(lines[2], unknown);
  assert.equal(lines.length, 4);
});

test("a last line that lacks only its line end is read, and the next one is not glued to it", async () => {
  const { key } = await sessionWith("hello");
  await writeFile(pathOf(key), (await readFile(pathOf(key), "utf8")).trimEnd());
  const stored = await openStored(key);
  await stored.appender.append(said("more"));
  await stored.appender.close();
  const again = await openStored(key);
  assert.deepEqual(textsOf(again.events), ["hello", "more"]);
  assert.deepEqual(damages, []);
  await again.appender.close();
});

test("S02: a session that one window has open cannot be opened by another, until it is closed", async () => {
  const { key } = await sessionWith("mine");
  const otherWindow = new SessionStore(folder, (damage) => damages.push(damage));
  const mine = await openStored(key);
  assert.equal(await otherWindow.open(key), "open_elsewhere");
  assert.equal((await otherWindow.list())[0]?.isOpen, true);
  await mine.appender.append(said("still mine"));
  await mine.appender.close();
  const theirs = await openStored(key, otherWindow);
  assert.deepEqual(textsOf(theirs.events), ["mine", "still mine"]);
  await theirs.appender.close();
});

test("S02: two windows that start sessions in one folder write two files", async () => {
  const otherWindow = new SessionStore(folder, (damage) => damages.push(damage));
  const [one, other] = await Promise.all([store.create(), otherWindow.create()]);
  await Promise.all([one.appender.append(said("one")), other.appender.append(said("other"))]);
  await Promise.all([one.appender.append(said("one more")), other.appender.append(said("other more"))]);
  await Promise.all([one.appender.close(), other.appender.close()]);
  for (const [{ key }, texts] of [
    [one, ["one", "one more"]],
    [other, ["other", "other more"]],
  ] as const) {
    const stored = await openStored(key);
    assert.deepEqual(textsOf(stored.events), texts);
    await stored.appender.close();
  }
});

for (const [left, holder] of [
  ["by a process that has ended", { token: "t", pid: 2 ** 30, host: hostname() }],
  ["by an earlier process with the number of this one", { token: "t", pid: process.pid, host: hostname() }],
] as const) {
  test(`a claim that was left behind ${left} does not lock a session`, async () => {
    const { key } = await sessionWith("hello");
    await writeFile(`${pathOf(key)}.lock`, JSON.stringify(holder));
    const stored = await openStored(key);
    await stored.appender.close();
  });
}

test("a claim from another machine holds while it shows signs of life, and no longer", async () => {
  const { key } = await sessionWith("hello");
  const lock = `${pathOf(key)}.lock`;
  await writeFile(lock, JSON.stringify({ token: "t", pid: process.pid, host: "elsewhere" }));
  assert.equal(await store.open(key), "open_elsewhere");
  const longAgo = new Date(Date.now() - 600_000);
  await utimes(lock, longAgo, longAgo);
  const stored = await openStored(key);
  await stored.appender.close();
});

test("S02: a window that gave no sign of life so long that another one took its session over writes no more into it", async () => {
  const { key, appender } = await store.create();
  await appender.append(said("mine"));
  const longAgo = new Date(Date.now() - 600_000);
  await utimes(`${pathOf(key)}.lock`, longAgo, longAgo);
  const theirs = await openStored(key, new SessionStore(folder, () => undefined));
  await assert.rejects(appender.append(said("too late")), /Another window/);
  await theirs.appender.append(said("theirs"));
  await appender.close();
  await theirs.appender.close();
  const stored = await openStored(key);
  assert.deepEqual(textsOf(stored.events), ["mine", "theirs"]);
  await stored.appender.close();
});

test("a session whose disk fails for a while says so once, and is whole again afterwards", async () => {
  const { key, appender } = await store.create();
  const model = new ScriptedModel(Array.from({ length: 5 }, () => ({ text: "Yes." })));
  const append = (event: LogEvent) => appender.append(event);
  const { session, idle } = startSession(model, { append });
  const say = async (text: string): Promise<void> => {
    session.send(text, text);
    await idle();
  };
  const notices = () => session.events.flatMap((event) => (event.type === "notice" ? [event.text] : []));
  await say("one");
  await rename(folder, `${folder}-away`);
  await writeFile(folder, "a file where the folder should be");
  await say("two");
  await say("three");
  while (notices().length === 0) await new Promise((resolve) => setImmediate(resolve));
  assert.match(notices()[0] ?? "", /could not be saved.*tries again/);
  await rm(folder);
  await rename(`${folder}-away`, folder);
  await say("four");
  await session.dispose();
  await appender.close();
  const stored = await openStored(key);
  assert.deepEqual(stored.events, session.events);
  assert.equal(notices().length, 1);
  await stored.appender.close();
});

test("a line that is there twice, since it was written but not confirmed, counts once", async () => {
  const { key, events } = await sessionWith("one", "two");
  await appendFile(pathOf(key), `\n${JSON.stringify(events.at(-1))}\n`);
  const stored = await openStored(key);
  assert.deepEqual(stored.events, events);
  await stored.appender.close();
});

test("an event that could not be written is said, and written with the next one that can", async () => {
  await writeFile(folder, "a file where the folder should be");
  const { key, appender } = await store.create();
  await appender.append(started());
  await assert.rejects(appender.append(said("one")), Error);
  await rm(folder);
  await appender.append(said("two"));
  await appender.close();
  const stored = await openStored(key);
  assert.equal(stored.events[0]?.type, "session_started");
  assert.deepEqual(textsOf(stored.events), ["one", "two"]);
  await stored.appender.close();
});
