import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type * as vscode from "vscode";
import { Session } from "../../src/core/session";
import type { SessionEvent } from "../../src/shared/live";
import { Sessions } from "../../src/vscode/sessions";
import { SessionStore } from "../../src/vscode/sessionStore";
import { ScriptedModel, type Step } from "../support/scriptedModel";

/** What a window keeps for its workspace; windows that start later see what others wrote before. */
class Memory implements vscode.Memento {
  readonly values = new Map<string, unknown>();

  keys(): readonly string[] {
    return [...this.values.keys()];
  }

  get<Value>(key: string, fallback?: Value): Value | undefined {
    return (this.values.get(key) as Value | undefined) ?? fallback;
  }

  update(key: string, value: unknown): Thenable<void> {
    this.values.set(key, value);
    return Promise.resolve();
  }
}

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
function openWindow(memory: Memory, steps: readonly Step[] = []): Sessions {
  const model = new ScriptedModel(steps);
  const store = new SessionStore(folder, () => assert.fail("no file is damaged here"));
  return new Sessions({
    store,
    memory,
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
    const memory = new Memory();
    const before = openWindow(memory, [{ text: "hello back" }]);
    const session = await say(before, "hello");
    const [view, breakdown] = [session.view, await session.breakdown()];
    await before.close();
    const after = openWindow(memory);
    const restored = await after.ready();
    assert.deepEqual(restored.view, view);
    assert.deepEqual(await restored.breakdown(), breakdown);
    assert.equal(restored.id, session.id);
    await after.close();
  });

  it("a new session that was not used is still the current one after a reload, and the old ones are in the list", async () => {
    const memory = new Memory();
    const before = openWindow(memory, [{ text: "hello back" }]);
    await say(before, "hello");
    await before.startNew();
    await before.close();
    const after = openWindow(memory, [{ text: "again" }]);
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
    const [one, other] = [new Memory(), new Memory()];
    let [first, second] = [openWindow(one, [{ text: "1" }]), openWindow(other, [{ text: "2" }])];
    await say(first, "in the first window");
    await say(second, "in the second window");
    await first.close();
    // The workspace has one memory on disk, and the second window wrote to it last.
    first = openWindow(other);
    assert.deepEqual(textsOf(await first.ready()), ["in the first window", "1"]);
    await second.close();
    second = openWindow(other);
    assert.deepEqual(textsOf(await second.ready()), ["in the second window", "2"]);
    await Promise.all([first.close(), second.close()]);
  });

  it("S05: a session that is left while it answers is stopped and says so; nothing of it gets into the next one", async () => {
    const sessions = openWindow(new Memory(), [endless("part of A"), { text: "answer in B" }]);
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
