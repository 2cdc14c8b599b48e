import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { LogEvent } from "../../../src/shared/events";
import type { Brain } from "../../support/scriptedServer";
import { storedTurns } from "../../support/storedTurns";
import { startWireSession } from "../../support/wireSession";
import { isSummary, startSwitching, windowAsked } from "../../support/switching";

const THINKS = ["completion", "tools", "thinking"];

const compactions = (events: readonly LogEvent[]) =>
  events.flatMap((event) => (event.type === "compacted" ? [event] : []));
const notices = (events: readonly LogEvent[]) =>
  events.flatMap((event) => (event.type === "notice" ? [event.text] : []));
const replies = (events: readonly LogEvent[]) =>
  events.flatMap((event) => (event.type === "assistant_message" ? [event] : []));

describe("another model in mid-session", () => {
  test("has the whole conversation, and so has the first one when it comes back", async (context) => {
    const { say, choose, asked, server, session } = await startSwitching(context, {});
    await say("The port is 48213.");
    choose({ model: "b" });
    await say("What is the port?");
    choose({ model: "a" });
    await say("Sure?");
    const [first, second, third] = asked().map(({ request }) => request.messages ?? []);
    assert.deepEqual(second?.slice(0, first?.length), first);
    assert.deepEqual(third?.slice(0, second?.length), second);
    assert.equal(third?.filter(({ content }) => content === "The port is 48213.").length, 1);
    assert.deepEqual(asked().map(windowAsked), [
      ["a", 8192],
      ["b", 8192],
      ["a", 8192],
    ]);
    assert.equal(server.reloads, 0);
    assert.deepEqual([...compactions(session.events), ...notices(session.events)], []);
  });

  test("is counted and timed anew; what was learnt of the first one is there again when it comes back", async (context) => {
    const factor = (model: string | undefined) => (model === "b" ? 0.6 : 1);
    const brain: Brain = ({ request, promptTokens }) => ({
      content: "It reads the next line and gives back what it has found there. ".repeat(6),
      final: {
        prompt_eval_count: Math.round(promptTokens * factor(request.model)),
        prompt_eval_cached_count: 0,
        prompt_eval_duration: promptTokens * (request.model === "b" ? 40e6 : 10e6),
        eval_count: 90,
        eval_duration: 90 * 20e6,
      },
    });
    const { say, choose, session } = await startSwitching(context, { brain });
    const expected: (number | undefined)[] = [];
    session.onEvent((event) => {
      if (event.type !== "phase_changed" || event.phase.name !== "waiting") return;
      if (event.phase.what === "reading") expected.push(event.phase.expectedMs);
    });
    const talk = async (times: number) => {
      const errors: number[] = [];
      for (let n = 0; n < times; n++) {
        const [reply] = replies(await say(`And then? ${"It reads the next line. ".repeat(20)}`));
        errors.push(Math.abs((reply?.estimatedPromptTokens ?? 0) / (reply?.usage.promptTokens ?? 1) - 1));
      }
      return errors;
    };
    await talk(4);
    const [ofA] = expected.slice(-1);
    choose({ model: "b" });
    const [blind, ...learnt] = await talk(4);
    assert.equal(expected[4], undefined, "nothing is known of the speed of b");
    assert.ok((blind ?? 0) > 0.15, "b counts otherwise than a");
    assert.ok(Math.max(...learnt) < 0.12, `b is learnt: ${learnt.join(", ")}`);
    choose({ model: "a" });
    const [again = 1] = await talk(1);
    assert.ok(again < 0.25, `what is known of a is kept: ${again}`);
    assert.ok(ofA !== undefined && expected[8] !== undefined);
  });

  test("that does not think is sent no thinking of the one before, which has it again afterwards", async (context) => {
    const brain: Brain = ({ request, thinks }) => ({
      ...(thinks ? { thinking: `I, ${request.model}, look. ` } : {}),
      content: "Yes.",
    });
    const models = [{ name: "a", capabilities: THINKS }, { name: "b" }];
    const { say, choose, asked } = await startSwitching(context, { brain, models });
    await say("One?");
    choose({ model: "b" });
    await say("Two?");
    choose({ model: "a" });
    await say("Three?");
    const thoughts = asked().map(({ request }) => (request.messages ?? []).map(({ thinking }) => thinking));
    assert.deepEqual(
      asked().map(({ request }) => request.think),
      [true, undefined, true],
    );
    assert.ok(thoughts[1]?.every((thinking) => thinking === undefined));
    assert.equal(thoughts[2]?.filter((thinking) => thinking?.includes("I, a, look")).length, 1);
  });

  test("after much thinking is neither compacted for nothing nor taken for a server that cuts", async (context) => {
    const brain: Brain = ({ thinks }) => ({
      ...(thinks ? { thinking: "I look at it once more, and weigh what there is. ".repeat(60) } : {}),
      content: "Yes.",
    });
    const models = [{ name: "a", capabilities: THINKS }, { name: "b" }];
    const { say, choose, session } = await startSwitching(context, { brain, models });
    for (let n = 0; n < 12; n++) await say(`Question ${n}?`);
    choose({ model: "b" });
    const [reply] = replies(await say("And you?"));
    const { estimatedPromptTokens = 0, usage } = reply ?? { usage: {} };
    assert.deepEqual([...compactions(session.events), ...notices(session.events)], []);
    assert.ok(
      estimatedPromptTokens < 1.5 * (usage.promptTokens ?? 0),
      `${estimatedPromptTokens} for ${usage.promptTokens}`,
    );
  });

  test("that cannot call tools is not asked; the message is there and goes to the first one on Retry, once", async (context) => {
    const models = [{ name: "a" }, { name: "b", capabilities: ["completion"] }];
    const { say, choose, asked, session, idle } = await startSwitching(context, { models });
    await say("One?");
    choose({ model: "b" });
    const end = (await say("Two?")).at(-1);
    assert.ok(end?.type === "turn_ended" && end.failure?.kind === "no_tools");
    assert.match(end.failure.message, /^b cannot call tools\..*Choose another model/);
    assert.equal(asked().length, 1);
    choose({ model: "a" });
    session.resume("retry");
    await idle();
    const messages = asked()[1]?.request.messages ?? [];
    assert.deepEqual(
      messages.filter(({ role }) => role === "user").map(({ content }) => content),
      ["One?", "Two?"],
    );
  });
});

describe("another window in mid-session", () => {
  const brain: Brain = ({ messages }) => ({
    content: isSummary(messages) ? "- they went through the steps" : "Step 25 is next.",
  });

  for (const summaryRequest of ["auto", "isolated", "inPlace"] as const)
    test(`smaller than what there is, summaries ${summaryRequest}: the new model compacts first, every request fits, and nothing is lost`, async (context) => {
      const { say, choose, server, session, asked } = await startSwitching(context, {
        brain,
        events: storedTurns(20, 8192),
        settings: { model: "scripted", keepMessages: 4, summaryRequest },
        models: [{ name: "scripted" }, { name: "b", contextLength: 2048 }],
      });
      await say("Is there more?");
      assert.ok((server.chats()[0]?.promptTokens ?? 0) > 4096);
      choose({ model: "b", numCtx: 2048 });
      const events = await say("What is next?");
      assert.deepEqual(
        compactions(events).map(({ trigger, model }) => [trigger, model]),
        [["window_full", "b"]],
      );
      const [, ...chats] = server.chats();
      for (const chat of chats) {
        assert.deepEqual([...windowAsked(chat), chat.status], ["b", 2048, 200]);
        assert.ok(chat.promptTokens < 2048);
      }
      assert.ok(isSummary(chats[0]?.request.messages ?? []), "the compaction comes before the request");
      assert.equal(asked().at(-1)?.request.messages?.at(-1)?.content, "What is next?");
      const end = events.at(-1);
      assert.ok(end?.type === "turn_ended" && end.reason === "done");
      assert.equal(events.filter(({ type }) => type === "user_message").length, 1);
      assert.equal(session.view.entries.filter(({ kind }) => kind === "user").length, 22);
      assert.equal(session.view.meter?.window, 2048);
    });

  test("larger: nothing is compacted, also not on the way back while it fits", async (context) => {
    const { say, choose, session, asked } = await startSwitching(context, {
      brain,
      events: storedTurns(9, 8192),
    });
    await say("Is there more?");
    choose({ model: "b", numCtx: 32_768 });
    await say("And now?");
    choose({ model: "a", numCtx: 8192 });
    await say("And then?");
    assert.deepEqual(compactions(session.events), []);
    assert.deepEqual(asked().map(windowAsked), [
      ["a", 8192],
      ["b", 32_768],
      ["a", 8192],
    ]);
  });

  test("larger than in the stored session that is opened: a message that fits now is not refused by the old one", async (context) => {
    const { server, say, session } = await startWireSession(context, {
      events: storedTurns(2, 2048),
      settings: { model: "scripted", numCtx: 16_384 },
    });
    const events = await say("Look at this line. ".repeat(600));
    const end = events.at(-1);
    assert.ok(end?.type === "turn_ended" && end.reason === "done");
    assert.deepEqual(server.chats().map(windowAsked), [["scripted", 16_384]]);
    assert.deepEqual(compactions(session.events), []);
  });

  test("the window that a server gave a model instead is remembered for when it comes back", async (context) => {
    const models = [{ name: "a", allocated: 3000 }, { name: "b" }];
    const { say, choose, session, asked } = await startSwitching(context, { models });
    await say("One?");
    choose({ model: "b" });
    assert.equal(session.view.meter?.window, 8192);
    await say("Two?");
    choose({ model: "a" });
    assert.equal(session.view.meter?.window, 3000);
    await say("Three?");
    assert.deepEqual(asked().map(windowAsked), [
      ["a", 8192],
      ["b", 8192],
      ["a", 3000],
    ]);
    assert.equal(notices(session.events).length, 1);
  });

  test("so small that not even the fixed part fits: it is refused with the way out, and nothing is lost", async (context) => {
    const { say, choose, server, session } = await startSwitching(context, {
      models: [{ name: "a" }, { name: "b", contextLength: 256 }],
    });
    await say("One?");
    const before = session.view.entries;
    choose({ model: "b", numCtx: 256 });
    const outcome = session.send("m9", "Two?");
    assert.ok(!outcome.accepted);
    assert.match(
      outcome.message,
      /take about \d+ of the 256 tokens.*Nothing was sent.*choose a model with a larger/,
    );
    assert.deepEqual(session.view.entries, before);
    choose({ model: "a", numCtx: 8192 });
    await say("Two?");
    assert.equal(server.chats().length, 2);
  });
});
