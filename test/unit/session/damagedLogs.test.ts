import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { LogEvent } from "../../../src/shared/events";
import { pairingFault, stamp } from "../../support/conversations";
import { callOf, ScriptedModel, type Step } from "../../support/scriptedModel";
import { startSession, type Fixture } from "../../support/sessionFixture";
import { LONG, SUMMARY, talk } from "../../support/steeringFixture";

const SETTINGS = { numCtx: 16_384, keepMessages: 2 };

/** The log of a session with two rounds of two calls each, and a compaction between them. */
async function rich(): Promise<readonly LogEvent[]> {
  const round = (...texts: string[]): Step => ({ toolCalls: texts.map((text) => callOf("echo", { text })) });
  const model = new ScriptedModel([
    { text: LONG.repeat(3) },
    round("call one", "call two"),
    { text: LONG.repeat(3) },
  ]);
  model.then(
    { text: "Third answer." },
    SUMMARY,
    round("call three", "call four"),
    { text: "Fourth." },
    { text: "Fifth." },
  );
  const fixture = startSession(model, { settings: SETTINGS });
  await talk(fixture, "message A", "message B", "message C");
  assert.deepEqual(await fixture.session.compactNow(), { ok: true });
  await talk(fixture, "message D", "message E");
  return fixture.session.events;
}

/** The same session opened from these events, and the messages of its next request. */
async function goOn(events: readonly LogEvent[]) {
  const model = new ScriptedModel([{ text: "On with it." }]);
  const fixture = startSession(model, { settings: SETTINGS, events });
  await talk(fixture, "message F");
  return { fixture, messages: model.requests.at(-1)?.messages ?? [] };
}

describe("S01: a log that lost a line, or holds one of another version that is not understood", () => {
  test("gives a request in order whatever line it is: every call with its results, every other message still there", async () => {
    const events = await rich();
    const whole = (await goOn(events)).messages;
    for (const [index, lost] of events.entries()) {
      if (lost.type === "session_started") continue;
      const { messages } = await goOn(events.filter((_, place) => place !== index));
      const what = `${index} ${lost.type}`;
      assert.equal(pairingFault(messages), undefined, what);
      assert.equal(messages[0]?.role, "system", what);
      const texts = JSON.stringify(messages);
      for (const name of ["A", "B", "C", "D", "E", "F"]) {
        const isLost = lost.type === "user_message" && lost.text === `message ${name}`;
        assert.ok(isLost || texts.includes(`message ${name}`), `${what}: ${name}`);
      }
      const answers = whole.filter(({ role, source }) => role === "assistant" && source !== lost.id);
      for (const { source } of answers)
        assert.ok(
          messages.some((message) => message.source === source),
          what,
        );
    }
  });

  test("has its system prompt before it is compacted by hand, so that the first message is summarised too", async () => {
    const events = (await rich()).filter(({ type }) => type !== "prompt_built" && type !== "compacted");
    const model = new ScriptedModel([SUMMARY]);
    const { session } = startSession(model, { settings: SETTINGS, events });
    assert.deepEqual(await session.compactNow(), { ok: true });
    assert.equal(model.requests[0]?.messages[0]?.content, "message A");
  });
});

describe("a session that was cut off in the middle of a turn while a message waited", () => {
  const CUT = stamp([
    { type: "session_started", sessionId: "s1" },
    { type: "user_message", text: "first" },
    { type: "message_queued", queueId: "q1", text: "waiting" },
  ]);
  const sentIn = ({ session }: Fixture) =>
    session.events.flatMap((event) => (event.type === "user_message" ? [event.text] : []));
  const settled = async ({ session }: Fixture): Promise<void> => {
    while (session.isBusy) await new Promise((resolve) => setImmediate(resolve));
  };

  test("sends nothing by itself when it is opened; the message waits on", async () => {
    const model = new ScriptedModel();
    const fixture = startSession(model, { events: CUT });
    await settled(fixture);
    assert.deepEqual([model.requests.length, fixture.session.view.queue.length], [0, 1]);
    assert.deepEqual(fixture.session.withdraw("q1"), { id: "q1", text: "waiting" });
  });

  test("does not send it when it is withdrawn right after something else was sent", async () => {
    const model = new ScriptedModel([{ text: "Yes." }]);
    const fixture = startSession(model, { events: CUT });
    await settled(fixture);
    fixture.session.send("q2", "next");
    assert.deepEqual(fixture.session.withdraw("q1"), { id: "q1", text: "waiting" });
    await fixture.idle();
    assert.deepEqual(sentIn(fixture), ["first", "next"]);
  });

  test("sends it once, before what the person sends next, also when they do so at once", async () => {
    for (const isAtOnce of [true, false]) {
      const model = new ScriptedModel([{ text: "Yes." }, { text: "Yes." }]);
      const fixture = startSession(model, { events: CUT });
      if (!isAtOnce) await settled(fixture);
      assert.deepEqual(fixture.session.send("q2", "next"), { accepted: true });
      await fixture.idle();
      assert.deepEqual(sentIn(fixture), ["first", "waiting", "next"]);
    }
  });
});
