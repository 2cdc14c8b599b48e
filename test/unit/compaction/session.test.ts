import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { SUMMARY_SENTENCE } from "../../../src/core/window/summaryMessage";
import {
  callOf,
  countCharacters,
  replyOf,
  ScriptedModel,
  untilStopped,
  type Step,
} from "../../support/scriptedModel";
import { startSession } from "../../support/sessionFixture";

describe("compaction in a session", () => {
  const filler = "lorem ipsum dolor sit amet consectetur ".repeat(55);
  const conversation = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ text: `Answer ${index}: ${filler}` }));

  test("fires once after the turn that passes 80 %, and rebuilds exactly three parts", async () => {
    const summary = "- goal: remember periwinkle-7";
    const answerOrSummary: Step = (request) => {
      const text = request.tools.length === 0 ? summary : `Answer: ${filler}`;
      return Promise.resolve({ type: "reply", reply: replyOf({ text }, countCharacters(request)) });
    };
    const model = new ScriptedModel(Array.from({ length: 12 }, () => answerOrSummary));
    const { session, idle } = startSession(model);
    session.send("m0", "The deploy password is periwinkle-7.");
    await idle();
    for (let n = 1; n < 9 && !session.events.some(({ type }) => type === "compacted"); n++) {
      session.send(`m${n}`, `Question ${n}`);
      await idle();
    }
    const compactions = session.events.filter((event) => event.type === "compacted");
    assert.equal(compactions.length, 1);
    const marker = session.view.entries.find((entry) => entry.kind === "compaction");
    assert.ok(marker?.kind === "compaction");
    assert.ok(marker.event.before.tokens > Math.floor((4096 * 8) / 10));
    assert.ok(session.view.meter?.used.estimated);
    assert.ok(session.view.meter.used.tokens < marker.event.before.tokens / 2);
    const summaryRequest = model.requests.at(-1);
    assert.deepEqual(summaryRequest?.tools, []);
    assert.ok(summaryRequest?.messages.every(({ role }) => role !== "system"));
    assert.match(summaryRequest?.messages.at(-1)?.content ?? "", /bullet points/);
    session.send("last", "What is the password?");
    await idle();
    const next = model.requests.at(-1);
    assert.equal(next?.messages[0]?.role, "system");
    assert.ok(next.messages[1]?.content.startsWith(SUMMARY_SENTENCE));
    assert.match(next.messages[1]?.content ?? "", /The deploy password is periwinkle-7\./);
    assert.equal(next.messages.at(-1)?.content, "What is the password?");
  });

  test("C03: an empty, blank or tiny summary is not accepted: one retry, a warning, and nothing changes", async () => {
    for (const text of ["", "   ", "ok."]) {
      const model = new ScriptedModel([...conversation(3), { text }, { text }]);
      const { session, idle } = startSession(model, { settings: { keepMessages: 1, numCtx: 16_384 } });
      for (let n = 0; n < 3; n++) {
        session.send(`m${n}`, `Question ${n}`);
        await idle();
      }
      const before = session.view.meter;
      const outcome = await session.compactNow();
      assert.ok(!outcome.ok);
      assert.match(outcome.message, /could not be used/);
      assert.equal(model.requests.length, 5);
      assert.equal(model.requests[4]?.thinking, "off");
      assert.deepEqual(session.view.meter, before);
      assert.equal(session.events.at(-1)?.type, "compaction_failed");
    }
  });

  test("C05: a tool call, call syntax and only thinking are no summaries, and no tool is offered", async () => {
    for (const reply of [
      { toolCalls: [callOf("echo", { text: "x" })] },
      { thinking: "let me think" },
      { text: '<tool_call>{"name":"bash"}</tool_call>' },
    ]) {
      const model = new ScriptedModel([...conversation(2), reply, reply]);
      const { session, idle } = startSession(model, { settings: { keepMessages: 1, numCtx: 16_384 } });
      for (let n = 0; n < 2; n++) {
        session.send(`m${n}`, `Question ${n}`);
        await idle();
      }
      const outcome = await session.compactNow();
      assert.ok(!outcome.ok);
      assert.ok(model.requests.slice(2).every(({ tools }) => tools.length === 0));
      assert.equal(session.events.filter(({ type }) => type === "tool_result").length, 0);
    }
  });

  test("C06: stopping a compaction leaves everything as it was", async () => {
    const model = new ScriptedModel([
      ...conversation(2),
      (_request, _onDelta, signal) => untilStopped(signal),
      { text: "ok" },
    ]);
    const { session, idle, stored } = startSession(model, { settings: { keepMessages: 1, numCtx: 16_384 } });
    for (let n = 0; n < 2; n++) {
      session.send(`m${n}`, `Question ${n}`);
      await idle();
    }
    const events = [...stored];
    const running = session.compactNow();
    while (model.requests.length < 3) await new Promise((resolve) => setImmediate(resolve));
    session.stop();
    assert.equal((await running).ok, false);
    await idle();
    assert.deepEqual(stored, events);
    session.send("m9", "still there?");
    await idle();
    assert.equal(model.requests.at(-1)?.messages.length, 6);
  });

  test("C07: a message sent while a compaction runs waits and goes out once, also when the compaction fails", async () => {
    const model = new ScriptedModel([
      ...conversation(2),
      {
        type: "failed",
        partial: { text: "", thinking: "" },
        failure: { kind: "server_error", message: "It broke." },
      },
      { text: "next done" },
    ]);
    const { session, idle } = startSession(model, { settings: { keepMessages: 1, numCtx: 16_384 } });
    for (let n = 0; n < 2; n++) {
      session.send(`m${n}`, `Question ${n}`);
      await idle();
    }
    const running = session.compactNow();
    session.send("late", "next step");
    assert.equal(session.view.queue.length, 1);
    assert.equal((await running).ok, false);
    await idle();
    const sent = session.events.filter(
      (event) => event.type === "user_message" && event.text === "next step",
    );
    assert.equal(sent.length, 1);
    assert.equal(session.view.queue.length, 0);
  });
});
