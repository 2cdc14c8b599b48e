import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ChatOutcome, ChatRequest } from "../../../src/core/ports";
import type { ContextMessage } from "../../../src/core/window/messages";
import type { LogBody, LogEvent } from "../../../src/shared/events";
import { LoadedModel } from "../../support/loadedModel";
import { pairingFault, stamp } from "../../support/conversations";
import {
  callOf,
  countCharacters,
  replyOf,
  ScriptedModel,
  untilStopped,
  type Step,
} from "../../support/scriptedModel";
import { SETTINGS, startSession } from "../../support/sessionFixture";

const LONG = "and then it goes on with the next line of it ".repeat(45);
const SUMMARY: Step = { text: "- we talked" };

const answer = (text: string, calls = 0, id = ""): LogBody => ({
  type: "assistant_message",
  model: SETTINGS.model,
  text,
  thinking: "",
  toolCalls: Array.from({ length: calls }, (_, n) => ({ ...callOf("echo", { text: "" }), id: `${id}${n}` })),
  end: "complete",
  usage: {},
  estimatedPromptTokens: 0,
});
const result = (callId: string, content: string): LogBody => ({
  type: "tool_result",
  callId,
  name: "echo",
  outcome: "ok",
  content,
  summary: "",
});
const user = (text: string): LogBody => ({ type: "user_message", text });

function storedEvents(numCtx: number, bodies: readonly LogBody[]): LogEvent[] {
  return stamp([
    { type: "session_started", sessionId: "s1" },
    { type: "window_set", model: SETTINGS.model, numCtx, source: "settings" },
    { type: "prompt_built", systemPrompt: "You are Loom." },
    ...bodies,
  ]);
}

const messagesOf = (request: ChatRequest | undefined): readonly ContextMessage[] => request?.messages ?? [];
const contents = (request: ChatRequest | undefined): string[] =>
  messagesOf(request).map(({ content }) => content);

describe("what a compaction keeps", () => {
  test("C02: wherever the cut falls among three results, the next request has every call with its results", async () => {
    for (let keepMessages = 1; keepMessages <= 8; keepMessages++) {
      const events = storedEvents(16_384, [
        user("first"),
        answer(LONG),
        user("look at three things"),
        answer("", 3, "c"),
        ...["c0", "c1", "c2"].map((id) => result(id, `result of ${id}`)),
        answer("I have looked."),
        user("thanks"),
        answer("You are welcome."),
        { type: "turn_ended", reason: "done" },
      ]);
      const model = new ScriptedModel([SUMMARY, { text: "On." }]);
      const { session, idle } = startSession(model, { events, settings: { keepMessages, numCtx: 16_384 } });
      assert.deepEqual(await session.compactNow(), { ok: true }, `keep ${keepMessages}`);
      session.send("m1", "go on");
      await idle();
      const messages = messagesOf(model.requests.at(-1));
      assert.equal(pairingFault(messages), undefined);
      const results = messages.filter(({ role }: ContextMessage) => role === "tool").length;
      // The tail that would begin among the results is lengthened to begin with their call.
      assert.equal(results, keepMessages >= 4 ? 3 : 0, `keep ${keepMessages}`);
    }
  });

  test("C04: a newest result of 6,000 tokens in a window of 4,096 is shortened with a note, and nothing loops", async () => {
    const events = storedEvents(32_768, [
      user("The port is 48213. Look at the log."),
      answer("", 1, "c"),
      result("c0", "2026-01-18 INFO done\n".repeat(400)),
      { type: "turn_ended", reason: "stopped" },
    ]);
    const model = new ScriptedModel([SUMMARY, SUMMARY, { text: "It is done." }]);
    const { session, idle } = startSession(model, { events, settings: { numCtx: 4096 } });
    session.resume("continue");
    await idle();
    assert.equal(session.events.filter(({ type }) => type === "compacted").length, 1);
    const messages = messagesOf(model.requests.at(-1));
    const shown = messages.find(({ role }) => role === "tool")?.content ?? "";
    assert.match(
      shown,
      /characters left out: shortened to fit the context window; ask or re-read for the rest/,
    );
    assert.ok(messages.some(({ content }) => content.includes("The port is 48213. Look at the log.")));
    const end = session.events.at(-1);
    assert.ok(end?.type === "turn_ended" && end.reason === "done");
  });

  test("C08: the same system prompt comes first and the same tools are offered after two compactions", async () => {
    const model = new ScriptedModel([
      { text: LONG },
      { text: "Yes." },
      SUMMARY,
      { text: LONG },
      { text: "Yes." },
      SUMMARY,
    ]);
    model.then({ text: "Still here." });
    const { session, idle } = startSession(model, { settings: { keepMessages: 1 } });
    session.send("rule", "Rule of this chat: answer in one line.");
    await idle();
    for (const n of [1, 2]) {
      session.send(`m${n}`, `go on ${n}`);
      await idle();
      assert.deepEqual(await session.compactNow(), { ok: true });
      if (n === 2) break;
      session.send("more", "and more");
      await idle();
    }
    session.send("last", "are you there?");
    await idle();
    const [first, last] = [model.requests[0], model.requests.at(-1)];
    const prompt = (request: ChatRequest | undefined) => contents(request)[0]?.replace(/Date: [\d-]+/, "");
    assert.equal(last?.messages[0]?.role, "system");
    assert.equal(prompt(last), prompt(first));
    assert.deepEqual(last.tools, first?.tools);
    assert.ok(contents(last)[1]?.includes("Rule of this chat: answer in one line."));
  });

  test("C09: exact values of the first turn are there word for word after forty turns of filler", async () => {
    const facts = "The port is 48213, the table is t_ord_7, never touch legacy/.";
    const filler = Array.from({ length: 40 }, (_, n) => [
      user(`what of it, part ${n}`),
      answer(LONG.slice(0, 400)),
    ]);
    const events = storedEvents(16_384, [
      user(facts),
      answer("Noted."),
      ...filler.flat(),
      { type: "turn_ended", reason: "done" },
    ]);
    const model = new ScriptedModel([SUMMARY, { text: "48213" }]);
    const { session, idle } = startSession(model, { events, settings: { numCtx: 16_384 } });
    assert.deepEqual(await session.compactNow(), { ok: true });
    session.send("m1", "Which port, which table, which folder?");
    await idle();
    const slot = contents(model.requests.at(-1))[1] ?? "";
    assert.ok(slot.includes(`- ${facts}`), slot);
  });
});

describe("around a compaction", () => {
  test("C06: a stop halfway leaves the first message, also after an earlier compaction that worked", async () => {
    const halfway: Step = (_request, onDelta, signal) => {
      onDelta({ text: "- half of the", thinking: "" });
      return untilStopped(signal, "- half of the");
    };
    const first = "The port is 48213.";
    const model = new ScriptedModel([{ text: LONG }, { text: "Yes." }, halfway, { text: "48213" }]);
    model.then(SUMMARY, { text: LONG }, { text: "Yes." }, halfway, { text: "48213" });
    const { session, idle, stored } = startSession(model, { settings: { keepMessages: 1, numCtx: 16_384 } });
    const say = async (text: string) => {
      session.send(text, text);
      await idle();
    };
    const stopHalfway = async () => {
      const [events, meter] = [[...stored], session.view.meter];
      const asked = model.requests.length;
      const running = session.compactNow();
      while (model.requests.length === asked) await new Promise((resolve) => setImmediate(resolve));
      session.stop();
      assert.equal((await running).ok, false);
      assert.deepEqual([stored, session.view.meter], [events, meter]);
    };
    await say(first);
    await say("and?");
    await stopHalfway();
    await say("Which port did I name?");
    assert.ok(contents(model.requests.at(-1)).includes(first));
    assert.deepEqual(await session.compactNow(), { ok: true });
    await say("more");
    await say("and more?");
    const summary = session.latestSummary();
    await stopHalfway();
    assert.equal(session.latestSummary(), summary);
    await say("Which port did I name?");
    assert.ok(contents(model.requests.at(-1))[1]?.includes(first));
  });

  test("M01: right after a compaction meter, percentage and breakdown agree, marked as an estimate and clearly lower", async () => {
    const model = new ScriptedModel([...Array.from({ length: 6 }, (): Step => ({ text: LONG })), SUMMARY]);
    const { session, idle } = startSession(model, { settings: { automaticCompaction: false } });
    for (let n = 0; n < 6; n++) {
      session.send(`m${n}`, "Go on.");
      await idle();
    }
    const before = session.view.meter;
    assert.ok(before && !before.used.estimated && before.used.tokens > 4096 * 0.75, JSON.stringify(before));
    assert.deepEqual(await session.compactNow(), { ok: true });
    const after = session.view.meter;
    const breakdown = await session.breakdown();
    assert.ok(after?.used.estimated && after.used.tokens < before.used.tokens / 2);
    assert.deepEqual(breakdown.used, after.used);
    assert.equal(breakdown.window, after.window);
    const filled = breakdown.parts.filter(({ name }) => name !== "free" && name !== "reply_room");
    assert.equal(
      filled.reduce((sum, { tokens }) => sum + tokens, 0),
      after.used.tokens,
    );
  });

  test("a model that thinks at length is not taken for a server that cuts when its thinking is left out", async () => {
    const thinking = "Let me think about this once more. ".repeat(200);
    const model = new StrippingModel(thinking);
    const { session, idle } = startSession(model, { settings: { numCtx: 4096 } });
    for (const text of ["Why?", "And now?", "Then what?"]) {
      session.send(text, text);
      await idle();
    }
    assert.deepEqual(
      session.events.filter(
        ({ type }) => type === "notice" || type === "compacted" || type === "compaction_failed",
      ),
      [],
    );
  });
});

/** Thinks before every answer, and counts prompts as servers do: without the thinking of earlier turns. */
class StrippingModel extends LoadedModel {
  constructor(private readonly thinking: string) {
    super();
  }

  chat(request: ChatRequest): Promise<ChatOutcome> {
    const messages = request.messages.map((message) =>
      message.role === "assistant" ? { ...message, thinking: "" } : message,
    );
    const promptTokens = countCharacters({ ...request, messages });
    const usage = { promptTokens, replyTokens: Math.ceil(this.thinking.length / 4) };
    const reply = replyOf({ text: "Because.", thinking: this.thinking, usage }, promptTokens);
    return Promise.resolve({ type: "reply", reply });
  }
}
