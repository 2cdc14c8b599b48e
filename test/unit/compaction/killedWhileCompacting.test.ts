import assert from "node:assert/strict";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { formatStoredLine } from "../../../src/core/log/storedEvent";
import { projectContext } from "../../../src/core/window/context";
import type { LogEvent } from "../../../src/shared/events";
import { SessionStore } from "../../../src/vscode/sessions/sessionStore";
import { ScriptedModel } from "../../support/scriptedModel";
import { startSession } from "../../support/sessionFixture";
import { compacted, SETTINGS, talk } from "../../support/steeringFixture";
import { temporaryFolder } from "../../support/temporaryFolder";

/** A log in which everything that steers a compaction has happened once. */
async function steeredLog(): Promise<readonly LogEvent[]> {
  const model = new ScriptedModel();
  const fixture = await compacted(model, "the port");
  const { session, id } = fixture;
  session.steering.editSummary(id, "- by me: port 48213");
  model.then({ text: "- anew: port 48213" });
  await session.steering.regenerate(id, "keep the SQL");
  session.steering.chooseSummary(id, id);
  session.pin("Never touch legacy/.");
  session.steering.postpone();
  model.then({ text: "Third answer." });
  await talk(fixture, "third");
  session.steering.undo(id);
  return session.events;
}

/** Where a write can have been cut: around every line's end, and all through the lines of what steers. */
function* cuts(events: readonly LogEvent[]): Generator<number> {
  let start = 0;
  for (const event of events) {
    const bytes = Buffer.byteLength(formatStoredLine(event)) + 1;
    const step = /compact|summary/.test(event.type) ? 41 : bytes;
    for (let at = 0; at < bytes - 2; at += step) yield start + at;
    yield start + bytes - 2;
    yield start + bytes - 1;
    start += bytes;
  }
  yield start;
}

test("C06: ended at any byte of a write, a compaction has after the restart happened whole or not at all", async (context) => {
  const folder = join(await temporaryFolder(context), "sessions");
  const events = await steeredLog();
  const whole = Buffer.from(events.map((event) => `${formatStoredLine(event)}\n`).join(""));
  const firstMessage = events.findIndex(({ type }) => type === "user_message");
  const least = Buffer.byteLength(
    events
      .slice(0, firstMessage + 1)
      .map((event) => `${formatStoredLine(event)}\n`)
      .join(""),
  );
  let seen = 0;
  for (const at of cuts(events)) {
    if (at < least) continue;
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "s.jsonl"), whole.subarray(0, at));
    const stored = await new SessionStore(folder, () => undefined).open("s");
    assert.ok(typeof stored === "object");
    const lines = whole.subarray(0, at).toString("utf8").split("\n").length - 1;
    const isWholeLine = at < whole.length && whole[at] === 0x0a;
    const expected = events.slice(0, isWholeLine ? lines + 1 : lines);
    assert.deepEqual(stored.events, expected, `cut at byte ${at}`);
    const { session } = startSession(new ScriptedModel(), { settings: SETTINGS, events: stored.events });
    assert.deepEqual(
      projectContext(session.events).messages.slice(0, projectContext(expected).messages.length),
      projectContext(expected).messages,
    );
    await stored.appender.close();
    seen++;
  }
  assert.ok(seen > 60, `only ${seen} cuts`);
  assert.ok((await readFile(join(folder, "s.jsonl"))).equals(whole));
});
