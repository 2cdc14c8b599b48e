import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { keepPins } from "../../../src/core/compaction/pins";
import { formatStoredLine, parseStoredLine } from "../../../src/core/log/storedEvent";
import type { Session } from "../../../src/core/session";
import { DEFAULT_RATES } from "../../../src/core/window/estimate";
import type { LogEvent } from "../../../src/shared/events";
import { stamp } from "../../support/conversations";
import { countCharacters, replyOf, ScriptedModel, type Step } from "../../support/scriptedModel";
import { startSession } from "../../support/sessionFixture";

const SUMMARY: Step = { text: "- we talked about many things" };
const LONG = "and then it goes on with the next line of it ".repeat(20);
const RULE = "Deploy only from branch  release/2.4 — never from main.";

async function talk(session: Session, idle: () => Promise<void>, texts: readonly string[]): Promise<void> {
  for (const text of texts) {
    session.send(text, text);
    await idle();
  }
}

function pinIds(session: Session): string[] {
  return session.view.pins.map(({ id }) => id);
}

describe("a pin", () => {
  test("changes nothing in the context until the next compaction, and is then there word for word", async () => {
    const model = new ScriptedModel([{ text: LONG }, { text: LONG }, SUMMARY, { text: "Three." }]);
    const { session, idle } = startSession(model, { settings: { keepMessages: 1, numCtx: 16_384 } });
    await talk(session, idle, ["first"]);
    const before = await session.breakdown();
    assert.deepEqual(session.pin(`\n${RULE}\n`), { ok: true });
    assert.deepEqual(await session.breakdown(), before);
    await talk(session, idle, ["second"]);
    assert.ok(!model.requests[1]?.messages.some(({ content }) => content.includes(RULE)));
    assert.deepEqual(await session.compactNow(), { ok: true });
    await talk(session, idle, ["third"]);
    const slot = model.requests.at(-1)?.messages[1]?.content ?? "";
    assert.ok(slot.includes(`Pinned by the user, word for word:\n- ${RULE}`));
    const parts = new Map((await session.breakdown()).parts.map(({ name, tokens }) => [name, tokens]));
    assert.ok((parts.get("pins") ?? 0) > 10);
  });

  test("that is set while a compaction runs is kept by that one already, and listed once", async () => {
    const model = new ScriptedModel([{ text: LONG }, { text: LONG }]);
    const { session, idle } = startSession(model, { settings: { keepMessages: 1, numCtx: 16_384 } });
    await talk(session, idle, [RULE, "second"]);
    model.then((request) => {
      assert.deepEqual([session.pin(RULE), session.pin(LONG.slice(0, 45))], [{ ok: true }, { ok: true }]);
      const reply = replyOf({ text: "- we talked about many things" }, countCharacters(request));
      return Promise.resolve({ type: "reply", reply });
    });
    assert.deepEqual(await session.compactNow(), { ok: true });
    model.then({ text: "Three." });
    await talk(session, idle, ["third"]);
    const slot = model.requests.at(-1)?.messages[1]?.content ?? "";
    assert.ok(slot.includes(`Pinned by the user, word for word:\n- ${RULE}\n- ${LONG.slice(0, 44)}`));
    assert.equal(slot.split(RULE).length, 2);
  });

  test("survives every compaction, a restart too, until it is taken back", async () => {
    const answers = Array.from({ length: 3 }, (): Step[] => [
      { text: LONG },
      { text: "Yes." },
      SUMMARY,
    ]).flat();
    const first = startSession(new ScriptedModel(answers), { settings: { keepMessages: 1 } });
    first.session.pin(RULE);
    for (const text of ["a", "b"]) {
      await talk(first.session, first.idle, [`question ${text}`, `and ${text}?`]);
      assert.deepEqual(await first.session.compactNow(), { ok: true });
      assert.ok(first.session.latestSummary()?.includes(RULE));
    }
    const model = new ScriptedModel([{ text: LONG }, { text: "Yes." }, SUMMARY]);
    const again = startSession(model, { settings: { keepMessages: 1 }, events: first.stored });
    assert.deepEqual(
      again.session.view.pins.map(({ text }) => text),
      [RULE],
    );
    assert.deepEqual(again.session.unpin(pinIds(again.session)[0] ?? ""), { ok: true });
    assert.deepEqual(again.session.view.pins, []);
    await talk(again.session, again.idle, ["question c", "and c?"]);
    assert.deepEqual(await again.session.compactNow(), { ok: true });
    assert.ok(!again.session.latestSummary()?.includes(RULE));
  });

  test("is refused beyond a tenth of the window, with the figures, and then nothing is pinned", () => {
    const { session, stored } = startSession(new ScriptedModel(), { settings: { numCtx: 2048 } });
    assert.deepEqual(session.pin("Use port 48213."), { ok: true });
    const events = stored.length;
    const outcome = session.pin("The table is t_ord_7. ".repeat(40));
    assert.ok(!outcome.ok);
    assert.match(outcome.message, /about \d+ tokens; at most 204 fit, a tenth of the context window of 2048/);
    assert.equal(stored.length, events);
    assert.equal(session.view.pins.length, 1);
  });

  test("is refused when it is blank or there already; an unknown one cannot be taken back", () => {
    const { session } = startSession(new ScriptedModel());
    assert.equal(session.pin("  \n").ok, false);
    assert.equal(session.pin(RULE).ok, true);
    assert.match(refusal(session.pin(` ${RULE} `)), /pinned already/);
    assert.match(refusal(session.unpin("nonsense")), /no such pin/);
  });

  test("of a whole message of the user is listed once", async () => {
    const model = new ScriptedModel([{ text: LONG }, { text: "Yes." }, SUMMARY]);
    const { session, idle } = startSession(model, { settings: { keepMessages: 1 } });
    await talk(session, idle, [RULE, "and now?"]);
    session.pin(RULE);
    assert.deepEqual(await session.compactNow(), { ok: true });
    assert.equal(session.latestSummary()?.split(RULE).length, 2);
  });

  test("is left out, oldest first and counted, only where the window has shrunk since", () => {
    const events = stamp(
      Array.from({ length: 12 }, (_, index) => ({
        type: "pinned" as const,
        pinId: `p${index}`,
        text: `Rule ${index}: ${"keep it as it is, ".repeat(10)}`,
      })),
    );
    assert.equal(keepPins(events, 32_768, DEFAULT_RATES).pins.length, 12);
    const { pins, pinsCut } = keepPins(events, 2048, DEFAULT_RATES);
    assert.ok(pins.length > 0 && pinsCut > 0 && pins.length + pinsCut === 12);
    assert.ok(pins.at(-1)?.startsWith("Rule 11"));
  });
});

describe("stored events around pins", () => {
  test("pins and compactions with them are read back; a compaction of an earlier version has none", () => {
    const [pinned, unpinned] = stamp([
      { type: "pinned", pinId: "p1", text: RULE },
      { type: "unpinned", pinId: "p1" },
    ]);
    for (const event of [pinned, unpinned]) {
      assert.ok(event);
      assert.deepEqual(parseStoredLine(formatStoredLine(event)), event);
    }
    const without = compaction({});
    assert.deepEqual(parseStoredLine(formatStoredLine(without)), without);
    const stored = startSession(new ScriptedModel(), { events: [...stamp(BEGINNING), without] });
    assert.match(stored.session.latestSummary() ?? "", /- notes/);
    const withPins = compaction({ pins: [RULE], pinsCut: 0 });
    assert.deepEqual(parseStoredLine(formatStoredLine(withPins)), withPins);
  });

  const BEGINNING = [{ type: "session_started", sessionId: "s1" }] as const;

  function compaction(pins: { readonly pins?: readonly string[]; readonly pinsCut?: number }): LogEvent {
    return {
      type: "compacted",
      v: 1,
      id: "c1",
      at: 9,
      trigger: "by_hand",
      model: "m",
      form: "isolated",
      parts: 1,
      summary: "- notes",
      systemPrompt: "You are Loom.",
      shortened: [],
      kept: { words: [], wordsCut: 0, ...pins, files: [], filesCut: 0, commands: [], commandsCut: 0 },
      messagesSummarised: 2,
      messagesKept: 0,
      before: { tokens: 100, estimated: true },
      afterTokens: 50,
      durationMs: 1,
    };
  }
});

function refusal(outcome: { readonly ok: boolean; readonly message?: string }): string {
  return outcome.message ?? "";
}
