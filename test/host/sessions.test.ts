import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { Session } from "../../src/core/session";
import type { SessionEvent } from "../../src/shared/live";
import { SessionStore } from "../../src/vscode/sessions/sessionStore";
import { Sessions } from "../../src/vscode/sessions/sessions";
import { WindowMemory } from "../../src/vscode/sessions/windowMemory";
import { ScriptedModel, type Step } from "../support/scriptedModel";

let folder: string;
let ids = 0;

/** An answer that begins with `text` and goes on until it is stopped. */
function endless(text: string): Step {
  return (_request, onDelta, signal) =>
    new Promise((resolve) => {
      onDelta({ text, thinking: "" });
      signal.addEventListener("abort", () => resolve({ type: "stopped", partial: { text, thinking: "" } }));
    });
}

/** The sessions of one window whose model takes these steps, one for each message. */
function openWindow(steps: readonly Step[] = []): Sessions {
  const model = new ScriptedModel(steps);
  const store = new SessionStore(folder, () => assert.fail("no file is damaged here"));
  return new Sessions({
    store,
    memory: new WindowMemory(join(folder, "windows")),
    endProcesses: () => Promise.resolve(),
    makeSession: (events, appender) =>
      new Session(
        {
          chatModel: model,
          tools: [],
          describeWorkspace: () =>
            Promise.resolve({ folders: [], operatingSystem: "Linux", shell: "bash", date: "2026-03-01" }),
          settings: () => ({
            model: "scripted",
            numCtx: 8_192,
            compactionThreshold: 0.8,
            keepMessages: 6,
            automaticCompaction: true,
            summaryRequest: "auto",
            roundLimit: 25,
            approvalMode: "ask",
          }),
          store: appender,
          now: Date.now,
          newId: () => `id-${++ids}`,
          log: () => undefined,
        },
        events,
      ),
  });
}

/** Sends a message and waits for the end of its turn. */
async function say(sessions: Sessions, text: string): Promise<Session> {
  const session = await sessions.ready();
  const idle = new Promise<void>((resolve) => {
    const stop = session.onEvent((event: SessionEvent) => {
      if (event.type !== "phase_changed" || event.phase.name !== "idle") return;
      stop();
      resolve();
    });
  });
  assert.deepEqual(session.send(`m-${++ids}`, text), { accepted: true });
  await idle;
  return session;
}

const textsOf = (session: Session): string[] =>
  session.view.entries.flatMap((entry) =>
    entry.kind === "user" || entry.kind === "assistant" ? [entry.text] : [],
  );

describe("sessions of a workspace", () => {
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "loom-host-sessions-"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it("a window that is reloaded shows the same conversation, meter and context as before", async () => {
    const before = openWindow([{ text: "hello back" }]);
    const session = await say(before, "hello");
    const [view, breakdown] = [session.view, await session.breakdown()];
    await before.close();
    const after = openWindow();
    const restored = await after.ready();
    assert.deepEqual(restored.view, view);
    assert.deepEqual(await restored.breakdown(), breakdown);
    assert.equal(restored.id, session.id);
    await after.close();
  });

  it("a new session that was not used is still the current one after a reload, and the old ones are in the list", async () => {
    const before = openWindow([{ text: "hello back" }]);
    await say(before, "hello");
    await before.startNew();
    await before.close();
    const after = openWindow([{ text: "again" }]);
    assert.deepEqual((await after.ready()).view.entries, []);
    const [old] = await after.list();
    assert.equal(old?.title, "hello");
    const reopened = await after.openStored(old.key);
    assert.ok(reopened);
    assert.deepEqual(textsOf(reopened), ["hello", "hello back"]);
    assert.deepEqual(textsOf(await say(after, "more")), ["hello", "hello back", "more", "again"]);
    await after.close();
  });

  it("S02: two windows on one folder keep their own sessions, each over a reload", async () => {
    let first = openWindow([{ text: "1" }]);
    await say(first, "in the first window");
    let second = openWindow([{ text: "2" }]);
    await say(second, "in the second window");
    await first.close();
    await second.startNew();
    first = openWindow();
    assert.deepEqual(textsOf(await first.ready()), ["in the first window", "1"]);
    await second.close();
    second = openWindow();
    assert.deepEqual(textsOf(await second.ready()), []);
    assert.equal((await second.list()).length, 2);
    await Promise.all([first.close(), second.close()]);
  });

  it("a window that ended without closing is followed by one with the session that was current", async () => {
    const ended = openWindow([{ text: "hello back" }]);
    await say(ended, "hello");
    // What an end without closing leaves behind: no note, and a claim that no process holds any more.
    const key = ended.currentKey ?? "";
    await ended.close();
    await new WindowMemory(join(folder, "windows")).remembered().then(([note]) => note?.take());
    const lock = { token: "left", pid: 2 ** 30, host: hostname() };
    await writeFile(join(folder, `${key}.jsonl.lock`), JSON.stringify(lock));
    const after = openWindow();
    assert.deepEqual(textsOf(await after.ready()), ["hello", "hello back"]);
    await after.close();
  });

  it("S05: a session that is left while it answers is stopped and says so; nothing of it gets into the next one", async () => {
    const sessions = openWindow([endless("part of A"), { text: "answer in B" }]);
    const left = await sessions.ready();
    const begun = new Promise<void>((resolve) =>
      left.onEvent(({ type }) => type === "reply_delta" && resolve()),
    );
    left.send("m", "long work");
    await begun;
    const heard: SessionEvent[] = [];
    sessions.onEvent((event) => heard.push(event));
    const next = await sessions.startNew();
    assert.deepEqual(heard, []);
    assert.notEqual(next.id, left.id);
    assert.deepEqual(textsOf(await say(sessions, "hello")), ["hello", "answer in B"]);
    const old = (await sessions.list()).find(({ title }) => title === "long work");
    assert.ok(old);
    const reopened = await sessions.openStored(old.key);
    assert.ok(reopened);
    assert.deepEqual(textsOf(reopened), ["long work", "part of A"]);
    const end = reopened.view.entries.findLast(({ kind }) => kind === "turn_ended");
    assert.equal(end?.kind === "turn_ended" && end.event.reason, "stopped");
    await sessions.close();
  });
});
