import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { LogEvent } from "../../../src/shared/events";
import { halfWindowCount, type Brain, type ChatRequestSeen } from "../../support/scriptedServer";
import { storedTurns } from "../../support/storedTurns";
import { startWireSession } from "../../support/wireSession";

const isSummary = ({ tools }: Pick<ChatRequestSeen, "tools">): boolean => tools.length === 0;
const warnings = (events: readonly LogEvent[]): string[] =>
  events.flatMap((event) => (event.type === "notice" && event.level === "warning" ? [event.text] : []));
const compactions = (events: readonly LogEvent[]) =>
  events.flatMap((event) => (event.type === "compacted" ? [event] : []));

/** Answers each question; the counts of the answers are the script's, one after the other, then the true ones. */
function countingAs(...counts: readonly (number | null | undefined | "true")[]): Brain {
  const left = [...counts];
  return (request) => {
    if (isSummary(request)) return { content: "- they went through the steps" };
    const count = left.length === 0 ? "true" : left.shift();
    return { content: "It is so.", ...(count === "true" ? {} : { final: { prompt_eval_count: count } }) };
  };
}

describe("a prompt that the server cuts in silence", () => {
  for (const { what, counted, stored, numCtx } of [
    { what: "half of the window and two", counted: halfWindowCount(4096), stored: 9, numCtx: 4096 },
    { what: "far below what was sent", counted: 311, stored: 9, numCtx: 4096 },
    { what: "another window than was asked for", counted: 2047, stored: 12, numCtx: 8192 },
  ])
    test(`counted as ${what}: a warning, a compaction before the next request, and nothing is learnt`, async (context) => {
      const { server, say, session } = await startWireSession(context, {
        brain: countingAs(counted),
        settings: { numCtx, keepMessages: 4 },
        events: storedTurns(stored, numCtx),
      });
      const first = await say("And then?");
      assert.equal(warnings(first).filter((text) => text.includes(`read only ${counted} tokens`)).length, 1);
      if (compactions(first).length === 0) {
        const meter = session.view.meter;
        const sent = server.chats()[0]?.promptTokens ?? 0;
        assert.ok(
          meter?.used.estimated && meter.used.tokens >= sent,
          "the meter does not fall to the cut count",
        );
      }

      const second = await say("And after that?");
      assert.equal(compactions([...first, ...second]).length, 1);
      assert.equal(server.chats().at(-1)?.request.messages?.at(-1)?.content, "And after that?");
      assert.deepEqual(warnings(second), []);
      const [chat, reply] = [
        server.chats().at(-1),
        second.find((event) => event.type === "assistant_message"),
      ];
      assert.ok(reply?.type === "assistant_message" && reply.usage.promptTokens === chat?.promptTokens);
      // Had the cut count been believed, this would be far too low.
      assert.ok(reply.estimatedPromptTokens >= (chat?.promptTokens ?? 0) * 0.97);
    });

  test("really, by an old server with a smaller window: the window is found out and adopted", async (context) => {
    // 0.9.0 ignores truncate, and /api/ps does not tell the window.
    const { server, say, session } = await startWireSession(context, {
      version: "0.9.0",
      models: [{ name: "scripted", allocated: 2048 }],
      brain: countingAs(),
      settings: { numCtx: 8192, keepMessages: 2 },
      events: storedTurns(2, 8192),
    });
    const long = "it reads the next line, and gives back what it has found there. ".repeat(160);
    const first = await say(`Look at this: ${long}`);
    assert.equal(server.chats()[0]?.windowTokens, 2048, "the server cut the prompt");
    assert.equal(warnings(first).length, 2);
    assert.match(warnings(first)[1] ?? "", /context window of 2048 tokens instead of the 8192/);
    assert.equal(session.view.meter?.window, 2048);
  });

  test("again and again although it was compacted: it is said once more, and then left at that", async (context) => {
    let replies = 0;
    const { say, session } = await startWireSession(context, {
      brain: (request) => {
        if (isSummary(request)) return { content: "- they went through the steps" };
        const isCounted = replies++ % 2 === 0;
        return {
          content: "It is so.",
          ...(isCounted ? {} : { final: { prompt_eval_count: Math.floor(request.promptTokens * 0.3) } }),
        };
      },
      settings: { numCtx: 8192, keepMessages: 4 },
      events: storedTurns(9, 8192),
    });
    for (let n = 0; n < 12; n++) await say(`And then, in step ${n}? ${"Look at it closely. ".repeat(20)}`);
    const said = warnings(session.events).filter((text) => text.includes("read only"));
    assert.equal(said.length, 3);
    assert.match(said[2] ?? "", /Compacting did not help/);
    assert.deepEqual(
      compactions(session.events).map(({ trigger }) => trigger),
      ["overflow", "overflow"],
    );
  });
});

describe("counts that say nothing", () => {
  test("M02: without a prompt count the meter falls back to the estimate, and compacts by the same number", async (context) => {
    const { say, session } = await startWireSession(context, {
      brain: countingAs(undefined, 0, null, undefined, undefined, undefined),
      settings: { numCtx: 4096, keepMessages: 4 },
      events: storedTurns(6, 4096),
    });
    let before = session.view.meter?.used.tokens ?? 0;
    for (let n = 0; n < 6 && compactions(session.events).length === 0; n++) {
      const events = await say(`And then? ${"It reads the next line and gives it back. ".repeat(30)}`);
      const used = session.view.meter?.used;
      assert.ok(used?.estimated && Number.isFinite(used.tokens));
      const [compaction] = compactions(events);
      if (compaction === undefined) assert.ok(used.tokens > before, `${used.tokens} after ${before}`);
      else assert.ok(compaction.before.estimated && compaction.before.tokens > Math.floor((4096 * 8) / 10));
      before = used.tokens;
    }
    assert.equal(compactions(session.events).length, 1);
    assert.deepEqual(warnings(session.events), []);
  });

  test("M02: the counts of 0.30.0, which leave out what was cached, are neither shown nor learnt from nor taken for a cut", async (context) => {
    const { server, say, session } = await startWireSession(context, {
      version: "0.30.0",
      brain: countingAs(),
      settings: { numCtx: 8192 },
      events: storedTurns(8, 8192),
    });
    for (let n = 0; n < 4; n++) await say(`And then, in step ${n}?`);
    assert.ok(
      session.events.every(
        (event) => event.type !== "assistant_message" || event.usage.promptTokens === undefined,
      ),
    );
    assert.deepEqual([...warnings(session.events), ...compactions(session.events)], []);
    const used = session.view.meter?.used;
    assert.ok(used?.estimated && used.tokens >= (server.chats().at(-1)?.promptTokens ?? Infinity));
  });
});

describe("counts that cannot be true", () => {
  for (const count of [3, 60, 40_000])
    test(`M02: ${count} for every prompt: the meter stays an estimate, and not even an old server drops a message`, async (context) => {
      // 0.9.0 ignores truncate, and would drop what does not fit without a word.
      const { server, say, session } = await startWireSession(context, {
        version: "0.9.0",
        brain: countingAs(...Array.from({ length: 12 }, () => count)),
        settings: { numCtx: 4096, keepMessages: 4 },
      });
      for (let n = 0; n < 12; n++) await say(`And then, in step ${n}? ${"Look at it closely. ".repeat(60)}`);
      assert.equal(
        server.chats().filter(({ windowTokens, promptTokens }) => windowTokens < promptTokens).length,
        0,
      );
      assert.ok(compactions(session.events).length > 0);
      assert.ok(session.view.meter?.used.estimated);
      const ends = session.events.flatMap((event) => (event.type === "turn_ended" ? [event.reason] : []));
      assert.deepEqual(new Set(ends), new Set(["done"]));
    });

  test("M02: a reply larger than the window is not counted either", async (context) => {
    const { say, session } = await startWireSession(context, {
      brain: () => ({ content: "It is so.", final: { eval_count: 1_000_000_000 } }),
      settings: { numCtx: 4096 },
    });
    for (const text of ["One?", "Two?", "Three?"]) await say(text);
    assert.equal(session.view.meter?.level, "ok");
    assert.ok(session.events.every((event) => event.type !== "turn_ended" || event.reason === "done"));
  });
});

describe("the window of the requests", () => {
  test("M03: prompt and reply beyond the window, as after a shift, show as a full window and are compacted before the next request", async (context) => {
    const { server, say, session } = await startWireSession(context, {
      brain: ({ tools, index }) => ({
        content: tools.length === 0 ? "- they went through the steps" : "It is so.",
        ...(index === 0 ? { final: { eval_count: 3000 } } : {}),
      }),
      settings: { numCtx: 4096, keepMessages: 4, automaticCompaction: false },
      events: storedTurns(9, 4096),
    });
    await say("And then?");
    const { meter } = session.view;
    assert.ok(meter && meter.used.tokens > 4096 && meter.level === "full", JSON.stringify(meter));
    const events = await say("And after that?");
    assert.deepEqual(
      compactions(events).map(({ trigger }) => trigger),
      ["window_full"],
    );
    assert.ok(server.chats().every(({ status, promptTokens }) => status === 200 && promptTokens < 4096));
  });

  test("M03: 15,000 tokens of which the server counts 2,051 bring a warning, not a reading of 13 %", async (context) => {
    const { server, say, session } = await startWireSession(context, {
      brain: countingAs(2051),
      settings: { numCtx: 32_768, automaticCompaction: false },
      events: storedTurns(66, 32_768),
    });
    const events = await say("And then?");
    assert.ok(
      (server.chats()[0]?.promptTokens ?? 0) > 14_000,
      `${server.chats()[0]?.promptTokens} tokens sent`,
    );
    assert.match(warnings(events)[0] ?? "", /read only 2051 tokens of a prompt of about \d+/);
    const { meter } = session.view;
    assert.ok(meter && meter.used.tokens > 14_000 && meter.level !== "ok");
  });

  test("M03: what the server allocated is shown, adopted, and sent from then on; the meter divides by what is sent", async (context) => {
    const { server, say, session } = await startWireSession(context, {
      models: [{ name: "scripted", allocated: 3000 }],
      settings: { numCtx: 8192 },
    });
    const events = await say("Hello.");
    assert.match(warnings(events)[0] ?? "", /context window of 3000 tokens instead of the 8192/);
    assert.equal(session.view.meter?.window, 3000);
    await say("And then?");
    await say("And after that?");
    assert.deepEqual(
      server.chats().map(({ request }) => request.options?.["num_ctx"]),
      [8192, 3000, 3000],
    );
    assert.equal(server.reloads, 0);
    assert.equal(warnings(session.events).length, 1);
  });
});
