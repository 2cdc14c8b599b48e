import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { ScriptedModel, untilStopped } from "../../support/scriptedModel";
import { startSession } from "../../support/sessionFixture";
import {
  compacted,
  LONG,
  marker,
  refusal,
  reopened,
  sent,
  SUMMARY,
  talk,
} from "../../support/steeringFixture";

describe("undo of a compaction", () => {
  test("brings the next request back to exactly what it was, with the measured meter", async () => {
    const model = new ScriptedModel();
    const fixture = await compacted(model);
    const { session, before, id } = fixture;
    const meter = marker(session).event.before;
    assert.deepEqual(session.steering.undo(id), { ok: true });
    assert.deepEqual(session.view.meter?.used, meter);
    model.then({ text: "Third answer." });
    await talk(fixture, "third");
    const { messages } = model.requests.at(-1) ?? { messages: [] };
    assert.equal(JSON.stringify(messages.slice(0, before.length)), JSON.stringify(before));
    assert.deepEqual(
      messages.slice(before.length).map(({ content }) => content),
      ["Second answer.", "third"],
    );
    assert.ok(session.view.entries.some((entry) => entry.kind === "compaction" && entry.isUndone));
  });

  test("after a reload and after messages that came since: they stay behind what was compacted", async () => {
    const model = new ScriptedModel();
    const first = await compacted(model);
    model.then({ text: "Third answer." });
    await talk(first, "third");
    const again = reopened(first.session, model);
    assert.deepEqual(again.session.steering.undo(), { ok: true });
    // Nothing that was counted since says anything of this context.
    assert.equal(again.session.view.meter?.used.estimated, true);
    model.then({ text: "Fourth answer." });
    await talk(again, "fourth");
    const messages = sent(model);
    assert.equal(JSON.stringify(messages.slice(0, first.before.length)), JSON.stringify(first.before));
    assert.deepEqual(
      messages.slice(first.before.length).map(({ content }) => content),
      ["Second answer.", "third", "Third answer.", "fourth"],
    );
    assert.equal(again.session.view.meter?.used.estimated, false);
  });

  test("one after another: each gives back what it replaced", async () => {
    const model = new ScriptedModel();
    const fixture = await compacted(model);
    const first = fixture.id;
    model.then({ text: LONG }, { text: "Fourth answer." }, { text: "- the second summary of it all" });
    await talk(fixture, "third", "fourth");
    await fixture.session.compactNow();
    const second = marker(fixture.session);
    assert.deepEqual(second.chain, [first]);
    assert.match(refusal(fixture.session.steering.undo(first)), /newest compaction only/);
    assert.deepEqual(fixture.session.steering.undo(second.id), { ok: true });
    assert.match(fixture.session.latestSummary() ?? "", /the first summary/);
    assert.deepEqual(fixture.session.steering.undo(first), { ok: true });
    assert.equal(fixture.session.latestSummary(), undefined);
    assert.match(refusal(fixture.session.steering.undo()), /nothing is compacted/);
    model.then({ text: "Fifth answer." });
    await talk(fixture, "fifth");
    assert.equal(JSON.stringify(sent(model).slice(0, fixture.before.length)), JSON.stringify(fixture.before));
  });

  test("is refused with the figures and the way out when it would not fit the window", async () => {
    const model = new ScriptedModel([], () => 1_900);
    const fixture = await compacted(model);
    model.then({ text: "Third." });
    await talk(fixture, "third");
    const small = startSession(model, {
      settingsNow: () => ({ ...SMALL, numCtx: 2048 }),
      events: fixture.session.events,
    });
    small.session.settingsChanged();
    assert.equal(small.session.view.steering?.undo?.fits, false);
    const stored = small.stored.length;
    assert.match(
      refusal(small.session.steering.undo()),
      /would take about \d+ tokens; .* context window of 2048\. Regenerate the summary instead/,
    );
    assert.equal(small.stored.length, stored);
  });

  test("does not compact again by itself before the next turn has ended, but by hand at once", async () => {
    const model = new ScriptedModel();
    const fixture = await compacted(model);
    fixture.session.steering.undo();
    assert.equal(model.requests.length, 3);
    model.then(SUMMARY);
    assert.deepEqual(await fixture.session.compactNow(), { ok: true });
    assert.match(refusal(await fixture.session.compactNow()), /Nothing is new/);
  });

  const SMALL = {
    model: "test-model",
    numCtx: 16_384,
    compactionThreshold: 0.8,
    keepMessages: 1,
    automaticCompaction: false,
    summaryRequest: "auto" as const,
    roundLimit: 25,
    approvalMode: "ask" as const,
  };
});

describe("the summary of a compaction", () => {
  test("as a person edits it is what the next request holds, and the meter follows", async () => {
    const model = new ScriptedModel();
    const fixture = await compacted(model);
    const { session, id } = fixture;
    const used = session.view.meter?.used.tokens ?? 0;
    const text = `- edited: port 48213\n${"- and one more point\n".repeat(20)}`;
    assert.deepEqual(session.steering.editSummary(id, text), { ok: true });
    assert.ok((session.view.meter?.used.tokens ?? 0) > used + 40);
    model.then({ text: "Third answer." });
    await talk(fixture, "third");
    assert.ok(sent(model)[1]?.content.includes(text.trim()));
    assert.ok(!sent(model)[1]?.content.includes("the first summary"));
    assert.match(reopened(fixture.session, model).session.latestSummary() ?? "", /edited: port 48213/);
  });

  test("is refused when it is empty, and when it would set off the next compaction", async () => {
    const { session, stored, id } = await compacted(new ScriptedModel());
    const events = stored.length;
    assert.match(refusal(session.steering.editSummary(id, " \n")), /empty/);
    assert.match(
      refusal(session.steering.editSummary(id, "word ".repeat(20_000))),
      /about \d+ tokens; at most \d+ fit/,
    );
    assert.deepEqual(session.steering.editSummary(id, "- the first summary of what was said\n"), {
      ok: true,
    });
    assert.equal(stored.length, events);
  });

  test("is written anew with a wish beside the focus; each version can be gone back to", async () => {
    const model = new ScriptedModel();
    const fixture = await compacted(model, "the API");
    const { session, id } = fixture;
    model.then({ text: "- anew: SELECT port FROM t_ord_7" });
    assert.deepEqual(await session.steering.regenerate(id, "keep the SQL"), { ok: true });
    const request = model.requests.at(-1);
    assert.match(request?.messages.at(-1)?.content ?? "", /concerns this: the API; keep the SQL/);
    assert.ok(request?.messages.some(({ content }) => content.includes("My port is 48213.")));
    session.steering.editSummary(id, "- by me");
    const { versions } = marker(session);
    assert.deepEqual(
      versions.map(({ origin, summary, wish }) => [origin, summary, wish]),
      [
        ["first", "- the first summary of what was said", undefined],
        ["regenerated", "- anew: SELECT port FROM t_ord_7", "keep the SQL"],
        ["edited", "- by me", undefined],
      ],
    );
    assert.deepEqual(session.steering.chooseSummary(id, versions[1]?.id ?? ""), { ok: true });
    assert.match(session.latestSummary() ?? "", /SELECT port/);
    const again = reopened(fixture.session, model).session;
    assert.match(again.latestSummary() ?? "", /SELECT port/);
    assert.deepEqual(marker(again).versions, marker(session).versions);
    assert.equal(session.steering.chooseSummary(id, "nonsense").ok, false);
  });

  test("stays as it is when writing it anew fails or is stopped, and what was sent meanwhile goes out once", async () => {
    const model = new ScriptedModel();
    const fixture = await compacted(model);
    const { session, id, idle } = fixture;
    model.then({ text: "" }, { text: "" });
    assert.match(refusal(await session.steering.regenerate(id)), /could not be used/);
    assert.ok(session.view.entries.some((entry) => entry.kind === "notice"));
    const asked = new Promise<void>((resolve) => {
      model.then((_request, _onDelta, signal) => {
        resolve();
        return untilStopped(signal);
      });
    });
    model.then({ text: "Answer." });
    const rewriting = session.steering.regenerate(id);
    await asked;
    session.send("m9", "meanwhile");
    assert.match(refusal(session.steering.undo(id)), /Loom is working/);
    assert.match(refusal(session.steering.editSummary(id, "- x")), /Loom is working/);
    session.stop();
    assert.match(refusal(await rewriting), /Stopped/);
    await idle();
    assert.match(session.latestSummary() ?? "", /the first summary/);
    const texts = session.events.filter((event) => event.type === "user_message").map(({ text }) => text);
    assert.deepEqual(texts.slice(2), ["meanwhile"]);
  });
});
