import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { callOf, ScriptedModel } from "../../support/scriptedModel";
import { startSession } from "../../support/sessionFixture";
import {
  LONG,
  marker,
  refusal,
  reopened,
  sent,
  SETTINGS,
  SUMMARY,
  talk,
} from "../../support/steeringFixture";

describe("a tool result", () => {
  async function withResult() {
    const body = "the content of the file, line by line. ".repeat(80);
    const model = new ScriptedModel([
      { toolCalls: [callOf("echo", { text: body })] },
      { text: "I have read it." },
    ]);
    const fixture = startSession(model, { settings: SETTINGS });
    await talk(fixture, "Read it.");
    const result = fixture.session.events.find(({ type }) => type === "tool_result");
    return { ...fixture, model, body, id: result?.id ?? "" };
  }

  test("can be dropped from the context and brought back: meter, items and requests follow", async () => {
    const fixture = await withResult();
    const { session, model, body, id } = fixture;
    const before = session.view.meter?.used;
    const { largest } = await session.steering.details();
    assert.ok(largest.some(({ resultId }) => resultId === id));
    assert.deepEqual(session.steering.dropResult(id), { ok: true });
    const used = session.view.meter?.used;
    assert.ok(used?.estimated && used.tokens < (before?.tokens ?? 0) - 500);
    const details = await session.steering.details();
    assert.deepEqual(
      details.dropped.map(({ resultId }) => resultId),
      [id],
    );
    assert.ok(!details.largest.some(({ resultId }) => resultId === id));
    model.then({ text: "Gone." });
    await talk(fixture, "And now?");
    assert.ok(
      !JSON.stringify(sent(model)).includes(body.slice(0, 40)) || sent(model)[2]?.role === "assistant",
    );
    assert.match(sent(model)[3]?.content ?? "", /^\[The user removed this result/);
    const again = reopened(fixture.session, model);
    assert.deepEqual(again.session.view.meter, session.view.meter);
    assert.deepEqual(again.session.steering.restoreResult(id), { ok: true });
    model.then({ text: "Back." });
    await talk(again, "And now?");
    assert.equal(sent(model)[3]?.content, body);
  });

  test("dropped and restored leaves the count of the server in force", async () => {
    const { session, id } = await withResult();
    const before = session.view.meter?.used;
    session.steering.dropResult(id);
    session.steering.restoreResult(id);
    assert.deepEqual(session.view.meter?.used, before);
  });

  test("that a compaction has summarised cannot be dropped; undoing the compaction brings it back", async () => {
    const fixture = await withResult();
    const { session, model, id } = fixture;
    session.steering.dropResult(id);
    model.then({ text: "Yes." }, SUMMARY);
    await talk(fixture, "And now?");
    assert.deepEqual(await session.compactNow(), { ok: true });
    assert.match(refusal(session.steering.restoreResult(id)), /compaction has summarised it/);
    session.steering.undo();
    assert.deepEqual(session.steering.restoreResult(id), { ok: true });
  });
});

describe("before an automatic compaction", () => {
  test("“not now” leaves it out once, over a restart too", async () => {
    const model = new ScriptedModel([{ text: LONG }], () => 3_500);
    const settings = { keepMessages: 1, numCtx: 4096 };
    const first = startSession(model, { settings });
    first.session.steering.postpone();
    first.session.steering.postpone();
    assert.equal(first.session.view.isPostponed, true);
    await talk(first, `one ${LONG.repeat(3)}`);
    assert.equal(model.requests.length, 1);
    assert.equal(first.session.view.isPostponed, false);
    const again = startSession(model, { settings, events: first.session.events });
    assert.equal(again.session.view.isPostponed, false);
    again.session.steering.postpone();
    const third = startSession(model, { settings, events: again.session.events });
    assert.equal(third.session.view.isPostponed, true);
  });

  test("the plan says what would be kept, what summarised, and about how much is left", async () => {
    const model = new ScriptedModel([{ text: LONG }, { text: "Second answer." }, SUMMARY]);
    const fixture = startSession(model, { settings: SETTINGS });
    assert.equal((await fixture.session.steering.details()).next.plan, undefined);
    await talk(fixture, "one", "two");
    const { plan } = (await fixture.session.steering.details()).next;
    assert.ok(plan);
    assert.deepEqual(
      plan.kept.map(({ kind, title }) => [kind, title]),
      [["assistant", "Second answer."]],
    );
    await fixture.session.compactNow();
    const { event } = marker(fixture.session);
    assert.equal(event.messagesSummarised, plan.messagesSummarised);
    assert.equal(event.messagesKept, plan.kept.length);
    assert.ok(event.afterTokens <= plan.afterTokens);
  });
});
