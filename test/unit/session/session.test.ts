import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { callOf, ScriptedModel, untilStopped } from "../../support/scriptedModel";
import { startSession, toolOf } from "../../support/sessionFixture";

describe("a turn", () => {
  test("sends, runs the tools that are called, and sends again until the model stops", async () => {
    const model = new ScriptedModel([
      { text: "Looking.", toolCalls: [callOf("echo", { text: "one" }), callOf("echo", { text: "two" })] },
      { text: "Done." },
    ]);
    const { session, idle } = startSession(model);
    assert.deepEqual(session.send("m1", "do it"), { accepted: true });
    await idle();
    assert.equal(model.requests.length, 2);
    assert.deepEqual(
      model.requests[1]?.messages.map(({ role, content }) => [role, role === "system" ? "" : content]),
      [
        ["system", ""],
        ["user", "do it"],
        ["assistant", "Looking."],
        ["tool", "one"],
        ["tool", "two"],
      ],
    );
    const kinds = session.view.entries.map(({ kind }) => kind);
    assert.deepEqual(kinds, ["user", "assistant", "tool", "tool", "assistant", "turn_ended"]);
  });

  test("A02: an unknown tool gets a result that lists the real ones, and the turn pauses after a few", async () => {
    const model = new ScriptedModel([
      { toolCalls: [callOf("search_files", {})] },
      { toolCalls: [callOf("Echo", {})] },
      { toolCalls: [callOf("", {})] },
    ]);
    const { session, idle } = startSession(model);
    session.send("m1", "go");
    await idle();
    const results = session.events.filter((event) => event.type === "tool_result");
    assert.equal(results.length, 3);
    for (const result of results) assert.match(result.content, /The tools are: echo/);
    const end = session.events.at(-1);
    assert.ok(end?.type === "turn_ended" && end.reason === "repeating", JSON.stringify(end));
  });

  test("A03: a stop during the first of two calls leaves one result for each, and the session goes on", async () => {
    let started: () => void = () => undefined;
    const running = new Promise<void>((resolve) => (started = resolve));
    const sleep = toolOf("sleep", (_input, _context, signal) => {
      started();
      return new Promise((resolve) =>
        signal.addEventListener("abort", () =>
          resolve({ outcome: "cancelled", content: "Cancelled by the user.", summary: "cancelled" }),
        ),
      );
    });
    const model = new ScriptedModel([
      { toolCalls: [callOf("sleep", {}), callOf("sleep", {})] },
      { text: "Going on." },
    ]);
    const { session, idle, stored } = startSession(model, { tools: [sleep] });
    session.send("m1", "sleep twice");
    await running;
    session.stop();
    await idle();
    const again = startSession(new ScriptedModel([{ text: "Going on." }]), {
      tools: [sleep],
      events: stored,
    });
    for (const { session: current, idle: isIdle, requests } of [
      { session, idle, requests: model.requests },
      { ...again, requests: [] },
    ]) {
      current.send("m2", "go on");
      await isIdle();
      const calls = current.events.flatMap((event) =>
        event.type === "assistant_message" ? event.toolCalls : [],
      );
      const results = current.events.filter((event) => event.type === "tool_result");
      assert.deepEqual(
        results.map(({ callId }) => callId),
        calls.map(({ id }) => id),
      );
      if (requests.length > 0) {
        const roles = requests.at(-1)?.messages.map(({ role }) => role);
        assert.deepEqual(roles, ["system", "user", "assistant", "tool", "tool", "user"]);
      }
    }
  });

  test("A04: the same call with the same result pauses the turn, A A A as well as A B A B", async () => {
    for (const texts of [
      ["a", "a", "a", "a"],
      ["a", "b", "a", "b", "a"],
    ]) {
      const model = new ScriptedModel(texts.map((text) => ({ toolCalls: [callOf("echo", { text })] })));
      const { session, idle } = startSession(model);
      session.send("m1", "go");
      await idle();
      assert.equal(model.requests.length, texts.length - 1);
      const end = session.events.at(-1);
      assert.ok(end?.type === "turn_ended" && end.reason === "repeating");
    }
  });

  test("pauses at the round limit with a reason, and goes on at the user's word", async () => {
    const model = new ScriptedModel(
      [1, 2, 3].map((n) => ({ toolCalls: [callOf("echo", { text: `step ${n}` })] })),
    ).then({ text: "All done." });
    const { session, idle } = startSession(model, { settings: { roundLimit: 2 } });
    session.send("m1", "go");
    await idle();
    const pause = session.view.entries.at(-1);
    assert.ok(pause?.kind === "turn_ended" && pause.event.reason === "round_limit" && pause.canResume);
    session.resume("continue");
    await idle();
    assert.equal(model.requests.length, 4);
    assert.equal(session.events.filter(({ type }) => type === "user_message").length, 1);
    assert.deepEqual(model.requests[2]?.messages.at(-1)?.content, "step 2");
  });

  test("A05: a call in a reply that was cut by length is not run, and the model is told to take smaller steps", async () => {
    const model = new ScriptedModel([
      { toolCalls: [callOf("echo", { text: "half of" })], doneReason: "length" },
      { text: "Smaller then." },
    ]);
    const { session, idle } = startSession(model);
    session.send("m1", "write much");
    await idle();
    assert.equal(session.events.filter(({ type }) => type === "tool_result").length, 0);
    const last = model.requests[1]?.messages.at(-1);
    assert.equal(last?.role, "user");
    assert.match(last?.content ?? "", /cut.*smaller steps/s);
  });

  test("A06: only thinking ends the turn with a plain reason, and the next message is accepted", async () => {
    const model = new ScriptedModel([{ thinking: "hm ".repeat(400) }, { text: "Yes." }]);
    const { session, idle } = startSession(model);
    session.send("m1", "well?");
    await idle();
    const end = session.view.entries.at(-1);
    assert.ok(end?.kind === "turn_ended" && end.event.reason === "no_answer" && end.canResume);
    session.send("m2", "and now?");
    await idle();
    assert.deepEqual(
      model.requests[1]?.messages.map(({ role }) => role),
      ["system", "user", "user"],
    );
  });

  test("A07: a failure in mid-answer keeps the partial text; retry does not send the message twice", async () => {
    const failure = { kind: "interrupted_stream", message: "The connection broke." } as const;
    const model = new ScriptedModel([
      { type: "failed", partial: { text: "Half an ans", thinking: "" }, failure },
      { text: "A whole answer." },
    ]);
    const { session, idle } = startSession(model);
    session.send("m1", "tell me");
    await idle();
    const partial = session.view.entries.find(({ kind }) => kind === "assistant");
    assert.ok(partial?.kind === "assistant" && partial.text === "Half an ans" && partial.end === "failed");
    session.resume("retry");
    await idle();
    assert.deepEqual(
      model.requests[1]?.messages.map(({ role }) => role),
      ["system", "user"],
    );
    assert.equal(session.view.entries.filter(({ kind }) => kind === "user").length, 1);
    assert.equal(session.view.entries.filter(({ kind }) => kind === "assistant").length, 2);
  });

  test("a stop keeps the partial answer without its calls, and later requests hold it", async () => {
    const model = new ScriptedModel([
      (_request, onDelta, signal) => {
        onDelta({ text: "So far", thinking: "" });
        return untilStopped(signal, "So far");
      },
      { text: "On." },
    ]);
    const { session, idle } = startSession(model);
    session.send("m1", "long story");
    await new Promise<void>((resolve) => {
      session.onEvent((event) => event.type === "reply_delta" && resolve());
    });
    session.stop();
    await idle();
    session.send("m2", "go on");
    await idle();
    assert.deepEqual(
      model.requests[1]?.messages.slice(1).map(({ content }) => content),
      ["long story", "So far", "go on"],
    );
  });

  test("messages sent while the agent works wait, can be withdrawn, and go out once each in order", async () => {
    const gate: { open?: () => void } = {};
    const model = new ScriptedModel([
      async () => {
        await new Promise<void>((resolve) => (gate.open = resolve));
        const usage = { promptTokens: 50, replyTokens: 2 };
        return {
          type: "reply",
          reply: { text: "1", thinking: "", toolCalls: [], usage, doneReason: "stop" },
        };
      },
      { text: "2" },
      { text: "3" },
    ]);
    const { session, idle, stored } = startSession(model);
    session.send("a", "first");
    while (gate.open === undefined) await new Promise((resolve) => setImmediate(resolve));
    session.send("b", "second");
    session.send("c", "withdrawn");
    session.send("d", "third");
    assert.deepEqual(
      session.view.queue.map(({ text }) => text),
      ["second", "withdrawn", "third"],
    );
    await new Promise((resolve) => setImmediate(resolve));
    const restarted = startSession(new ScriptedModel(), { events: stored });
    assert.equal(restarted.session.view.queue.length, 3, "what waits survives a restart");
    assert.deepEqual(session.withdraw("c"), { id: "c", text: "withdrawn" });
    gate.open();
    await idle();
    const sent = session.events.flatMap((event) => (event.type === "user_message" ? [event.text] : []));
    assert.deepEqual(sent, ["first", "second", "third"]);
    assert.equal(session.withdraw("c"), undefined);
  });

  test("a message larger than the window is refused before anything is sent, with its size and the way out", () => {
    const model = new ScriptedModel();
    const { session } = startSession(model, { settings: { numCtx: 2048 } });
    const outcome = session.send("m1", "word ".repeat(5000));
    assert.ok(!outcome.accepted);
    assert.match(outcome.message, /about \d+ tokens.*window of 2048.*loom\.numCtx/s);
    assert.equal(session.view.entries.length, 0);
  });
});
