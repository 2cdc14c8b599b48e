import assert from "node:assert/strict";
import { formatStoredLine, parseStoredLine } from "../../src/core/log/storedEvent";
import type { ChatRequest } from "../../src/core/ports";
import type { Session } from "../../src/core/session";
import { currentCompaction } from "../../src/shared/compactionView";
import type { CompactionEntry } from "../../src/shared/sessionView";
import type { ScriptedModel, Step } from "./scriptedModel";
import { startSession, type Fixture } from "./sessionFixture";

export const SUMMARY: Step = { text: "- the first summary of what was said" };
export const LONG = "and then it goes on with the next line of it ".repeat(20);
/** A window with room, in which all but the newest message is summarised. */
export const SETTINGS = { keepMessages: 1, numCtx: 16_384 };

/** Sends the messages one after another, each after the answer to the one before. */
export async function talk(
  { session, idle }: Pick<Fixture, "session" | "idle">,
  ...texts: string[]
): Promise<void> {
  for (const text of texts) {
    assert.deepEqual(session.send(text, text), { accepted: true });
    await idle();
  }
}

/** A session of two turns that was compacted, and the messages of the last request before that. */
export async function compacted(model: ScriptedModel, focus?: string) {
  model.then({ text: LONG }, { text: "Second answer." }, SUMMARY);
  const fixture = startSession(model, { settings: SETTINGS });
  await talk(fixture, "My port is 48213.", "And the second question?");
  const before = sent(model);
  assert.deepEqual(await fixture.session.compactNow(focus), { ok: true });
  return { ...fixture, before, id: marker(fixture.session).id };
}

/** The messages of the last request. */
export function sent(model: ScriptedModel): ChatRequest["messages"] {
  return model.requests.at(-1)?.messages ?? [];
}

/** The marker of the compaction that the context begins with. */
export function marker(session: Session): CompactionEntry {
  const entry = currentCompaction(session.view);
  assert.ok(entry);
  return entry;
}

/** The same session after a restart, from what was stored. */
export function reopened(session: Session, model: ScriptedModel): Fixture {
  const events = session.events.map((event) => {
    const read = parseStoredLine(formatStoredLine(event));
    assert.ok(read !== undefined && read.type !== "unknown", `${event.type} cannot be read back`);
    return read;
  });
  return startSession(model, { settings: SETTINGS, events });
}

/** Why something was refused; empty when it was not. */
export function refusal(outcome: { readonly ok: boolean; readonly message?: string }): string {
  return outcome.message ?? "";
}
