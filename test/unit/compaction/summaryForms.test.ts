import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { SummaryRequestSetting } from "../../../src/core/compaction/summaryForm";
import type { ChatRequest } from "../../../src/core/ports";
import type { Session } from "../../../src/core/session";
import { asksForSummary, formOf } from "../../support/asksForSummary";
import {
  callOf,
  countCharacters,
  replyOf,
  ScriptedModel,
  untilStopped,
  type Step,
} from "../../support/scriptedModel";
import { SETTINGS, startSession } from "../../support/sessionFixture";

const SUMMARY = "- the user said hello several times and was answered at length";

/** Milliseconds for a prompt token and a reply token. */
type Pace = readonly [number, number];

/** Replies with counts as of a server that caches, and durations of a machine with this pace. */
function timed(text: string, [read, write]: Pace = [3, 16]): Step {
  let before = 0;
  return (request, onDelta) => {
    onDelta({ text, thinking: "" });
    const promptTokens = countCharacters(request);
    const cachedTokens = request.tools.length === 0 ? 0 : Math.min(before, promptTokens);
    before = promptTokens;
    const replyTokens = Math.ceil(text.length / 4);
    const timings = {
      loadMs: 0,
      promptMs: read * (promptTokens - cachedTokens),
      replyMs: write * replyTokens,
    };
    const usage = { promptTokens, cachedTokens, replyTokens };
    return Promise.resolve({ type: "reply", reply: { ...replyOf({ text }, promptTokens), usage, timings } });
  };
}

const ANSWER = `Answer: ${"lorem ipsum dolor sit amet consectetur ".repeat(50)}`;

async function play(summaryRequest: SummaryRequestSetting, summaries: readonly Step[], pace?: Pace) {
  const model = new ScriptedModel([...Array.from({ length: 4 }, () => timed(ANSWER, pace)), ...summaries]);
  const settings = { numCtx: 8192, keepMessages: 1, summaryRequest };
  const { session, idle, stored } = startSession(model, { settings });
  for (let n = 0; n < 4; n++) {
    session.send(`m${n}`, `Question ${n}`);
    await idle();
  }
  return { model, session, idle, stored };
}

const compactionIn = ({ events }: Session) => {
  const found = events.findLast(({ type }) => type === "compacted");
  return found?.type === "compacted" ? found : undefined;
};
const summaryRequests = (model: ScriptedModel): ChatRequest[] => model.requests.filter(asksForSummary);

describe("a summary that is asked for in place", () => {
  test("is the last request with its answer and one message more, the same tools and options, within the window", async () => {
    const { model, session } = await play("inPlace", [timed(SUMMARY)]);
    assert.deepEqual(await session.compactNow("the API"), { ok: true });
    const [request] = summaryRequests(model);
    const before = model.requests[3];
    assert.ok(request && before);
    assert.deepEqual(request.messages.slice(0, before.messages.length), before.messages);
    assert.equal(request.messages.length, before.messages.length + 2);
    assert.equal(request.messages.at(-2)?.content, ANSWER);
    assert.match(request.messages.at(-1)?.content ?? "", /Summarise.*what concerns this: the API/s);
    assert.deepEqual(request.tools, before.tools);
    assert.equal(request.numCtx, 8192);
    assert.equal(request.thinking, "default");
    assert.ok(countCharacters(request) + request.maxReplyTokens < 8192, `${request.maxReplyTokens}`);
    assert.ok(request.maxReplyTokens > 819, "a thinking model needs more than the summary");
  });

  test("gives the same event as the other form, with what was expected and every request that was answered", async () => {
    const [inPlace, isolated] = [
      await play("inPlace", [timed(SUMMARY)]),
      await play("isolated", [timed(SUMMARY)]),
    ];
    await inPlace.session.compactNow();
    await isolated.session.compactNow();
    const [one, other] = [compactionIn(inPlace.session), compactionIn(isolated.session)];
    assert.ok(one && other);
    const shared = ({ summary, kept, messagesSummarised, messagesKept, afterTokens, parts }: typeof one) => ({
      summary,
      kept,
      messagesSummarised,
      messagesKept,
      afterTokens,
      parts,
    });
    assert.deepEqual(shared(one), shared(other));
    assert.deepEqual([one.form, other.form], ["in_place", "isolated"]);
    assert.deepEqual(
      one.requests?.map(({ form }) => form),
      ["in_place"],
    );
    assert.ok((one.requests[0]?.usage.promptTokens ?? 0) > 2000);
    // Reading it again at 3 ms a token is what the two differ by.
    assert.ok(
      (other.predictedMs ?? 0) - (one.predictedMs ?? 0) > 4000,
      `${one.predictedMs}, ${other.predictedMs}`,
    );
  });

  for (const [what, reply] of [
    ["a tool call", { toolCalls: [callOf("echo", { text: "x" })] }],
    ["call syntax", { text: '<tool_call>{"name":"bash"}</tool_call>' }],
    ["only thinking", { thinking: "let me think" }],
    ["nothing", { text: "" }],
    ["a reply cut by length", { text: "- half a", doneReason: "length" as const }],
    ["a call that the server could not read", failed("tool_parse")],
  ] as const)
    test(`that is ${what} is never run but asked for once more on its own, without thinking`, async () => {
      const { model, session } = await play("inPlace", [reply, timed(SUMMARY)]);
      assert.deepEqual(await session.compactNow(), { ok: true });
      assert.deepEqual(
        summaryRequests(model).map((request) => [formOf(request), request.thinking]),
        [
          ["in_place", "default"],
          ["isolated", "off"],
        ],
      );
      assert.equal(compactionIn(session)?.form, "isolated");
      assert.ok(!session.events.some(({ type }) => type === "tool_result"));
    });

  test("that fails twice leaves everything as it was", async () => {
    const { model, session, stored } = await play("inPlace", [{ text: "" }, { text: "" }]);
    const before = [...stored];
    const outcome = await session.compactNow();
    assert.ok(!outcome.ok);
    assert.equal(summaryRequests(model).length, 2);
    assert.deepEqual(stored.slice(0, before.length), before);
    assert.equal(stored.at(-1)?.type, "compaction_failed");
  });

  test("that the server refuses as too long is asked for on its own, with thinking", async () => {
    const { model, session } = await play("inPlace", [failed("window_exceeded"), timed(SUMMARY)]);
    assert.deepEqual(await session.compactNow(), { ok: true });
    assert.deepEqual(
      summaryRequests(model).map(({ thinking }) => thinking),
      ["default", "default"],
    );
  });

  test("is not sent again when the server is gone", async () => {
    const { model, session } = await play("inPlace", [failed("not_running")]);
    assert.ok(!(await session.compactNow()).ok);
    assert.equal(summaryRequests(model).length, 1);
  });

  test("C06: stopped leaves everything as it was", async () => {
    const { model, session, idle, stored } = await play("inPlace", [
      (_request, _onDelta, signal) => untilStopped(signal),
    ]);
    const before = [...stored];
    const running = session.compactNow();
    while (summaryRequests(model).length === 0) await new Promise((resolve) => setImmediate(resolve));
    session.stop();
    assert.equal((await running).ok, false);
    await idle();
    assert.deepEqual(stored, before);
  });

  test("shows how long it is likely to take and how much of it is there", async () => {
    const words = "- a word that is written ".repeat(20);
    const slow: Step = async (request, onDelta, signal) => {
      for (let n = 0; n < 600; n++) onDelta({ text: "- word ", thinking: "" });
      return (timed(words) as Extract<Step, (...given: never) => unknown>)(request, onDelta, signal);
    };
    const { session } = await play("inPlace", [slow]);
    const phases: unknown[] = [];
    session.onEvent((event) => {
      if (event.type === "phase_changed" && event.phase.name === "compacting") phases.push(event.phase);
    });
    await session.compactNow();
    const [first, second] = phases as { expectedMs?: number; writtenTokens?: number; messages: number }[];
    assert.equal(first?.expectedMs, undefined);
    assert.ok(second?.expectedMs);
    assert.ok(phases.length > 3 && phases.length < 10, `${phases.length}`);
    assert.ok((phases as { writtenTokens?: number }[]).some(({ writtenTokens = 0 }) => writtenTokens > 100));
  });
});

describe("auto", () => {
  test("takes the form that saves reading again, and the other one where that is quick", async () => {
    const slow = await play("auto", [timed(SUMMARY)]);
    await slow.session.compactNow();
    assert.equal(compactionIn(slow.session)?.form, "in_place");
    const quick = await play("auto", [timed(SUMMARY)], [0.1, 5]);
    await quick.session.compactNow();
    assert.equal(compactionIn(quick.session)?.form, "isolated");
  });

  test("takes the isolated form when the model was unloaded, and asks the server for that only where it matters", async () => {
    const { model, session } = await play("auto", [timed(SUMMARY)]);
    model.loaded = false;
    await session.compactNow();
    assert.equal(compactionIn(session)?.form, "isolated");
    assert.equal(model.askedWhetherLoaded, 1);
    const quick = await play("auto", [timed(SUMMARY)], [0.1, 5]);
    await quick.session.compactNow();
    assert.equal(quick.model.askedWhetherLoaded, 0);
  });

  test("takes the isolated form when num_ctx has changed since the last reply", async () => {
    let numCtx = 8192;
    const model = new ScriptedModel([
      timed(ANSWER),
      timed(ANSWER),
      timed(ANSWER),
      timed(ANSWER),
      timed(SUMMARY),
    ]);
    const settingsNow = () => ({ ...SETTINGS, numCtx, keepMessages: 1, summaryRequest: "auto" as const });
    const { session, idle } = startSession(model, { settingsNow });
    for (let n = 0; n < 4; n++) {
      session.send(`m${n}`, `Question ${n}`);
      await idle();
    }
    numCtx = 7168;
    await session.compactNow();
    assert.equal(compactionIn(session)?.form, "isolated");
  });

  test("knows after a restart how fast the model was", async () => {
    const { stored } = await play("auto", [], [0.1, 5]);
    const model = new ScriptedModel([timed(SUMMARY)]);
    const settings = { numCtx: 8192, keepMessages: 1, summaryRequest: "auto" as const };
    const { session } = startSession(model, { settings, events: stored });
    await session.compactNow();
    assert.equal(compactionIn(session)?.form, "isolated");
  });
});

function failed(kind: "tool_parse" | "window_exceeded" | "not_running"): Step {
  return { type: "failed", partial: { text: "", thinking: "" }, failure: { kind, message: "It broke." } };
}
