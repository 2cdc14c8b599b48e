import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ChatOutcome, ChatRequest } from "../../../src/core/ports";
import type { SessionSettings } from "../../../src/core/session";
import type { LogEvent } from "../../../src/shared/events";
import { LoadedModel } from "../../support/loadedModel";
import { countCharacters, replyOf, ScriptedModel, type Step } from "../../support/scriptedModel";
import { echoTool, SETTINGS, startSession } from "../../support/sessionFixture";

const LONG = "and then it goes on with the next line of it ".repeat(45);

/** Answers at length; its summaries are what the test says. */
class TalkingModel extends LoadedModel {
  readonly summaries: ChatRequest[] = [];
  summary = "";
  answer = LONG;

  chat(request: ChatRequest): Promise<ChatOutcome> {
    const isSummary = request.tools.length === 0;
    if (isSummary) this.summaries.push(request);
    const reply = replyOf({ text: isSummary ? this.summary : this.answer }, countCharacters(request));
    return Promise.resolve({ type: "reply", reply });
  }
}

function start(settings: Partial<SessionSettings> = {}, events: readonly LogEvent[] = []) {
  const model = new TalkingModel();
  let current = { ...SETTINGS, keepMessages: 2, ...settings };
  const fixture = startSession(model, { settingsNow: () => current, events });
  let sent = 0;
  return {
    ...fixture,
    model,
    async say(text = "And now?") {
      fixture.session.send(`m${++sent}`, text);
      await fixture.idle();
    },
    set(changed: Partial<SessionSettings>) {
      current = { ...current, ...changed };
      fixture.session.settingsChanged();
    },
  };
}

type Played = ReturnType<typeof start>;

function failures({ session }: Played) {
  return session.events.flatMap((event) => (event.type === "compaction_failed" ? [event] : []));
}

function pauses({ session }: Played): string[] {
  return session.events.flatMap((event) =>
    event.type === "notice" && event.text.includes("pauses") ? [event.text] : [],
  );
}

/** Talks until the automatic compaction has failed twice. */
async function paused(settings: Partial<SessionSettings> = {}): Promise<Played> {
  const played = start(settings);
  for (let n = 0; n < 12 && pauses(played).length === 0; n++) await played.say();
  assert.equal(failures(played).length, 2);
  played.model.answer = "Yes.";
  return played;
}

describe("the breaker of the automatic compaction", () => {
  test("pauses after two failures in a row, says once that the summary is the cause and what helps, and asks no more", async () => {
    const played = await paused();
    assert.deepEqual(
      failures(played).map(({ trigger, fault }) => [trigger, fault]),
      [
        ["automatic", "summary"],
        ["automatic", "summary"],
      ],
    );
    assert.deepEqual(pauses(played), [
      "Automatic compaction pauses after two failures in a row. The model's summary could not be used: it was empty. Try another model (Loom: Select Model).",
    ]);
    const asked = played.model.summaries.length;
    await played.say();
    await played.say();
    assert.equal(played.model.summaries.length, asked);
    assert.equal(pauses(played).length, 1);
  });

  test("stays paused after a restart", async () => {
    const { stored } = await paused();
    const again = start({}, stored);
    again.model.answer = "Yes.";
    await again.say();
    assert.equal(again.model.summaries.length, 0);
  });

  for (const [what, changed] of [
    ["the model", { model: "another-model" }],
    ["the window", { numCtx: 4090 }],
    ["the threshold", { compactionThreshold: 0.7 }],
    ["the number of kept messages", { keepMessages: 1 }],
  ] as const) {
    test(`resumes by itself after a change of ${what}`, async () => {
      const played = await paused();
      const asked = played.model.summaries.length;
      played.model.summary = "- what was said so far";
      played.set(changed);
      await played.say();
      assert.ok(played.model.summaries.length > asked);
      assert.ok(played.session.events.some(({ type }) => type === "compacted"));
    });
  }

  test("resumes by itself after a success by hand", async () => {
    const played = await paused();
    played.model.summary = "- what was said so far";
    assert.deepEqual(await played.session.compactNow(), { ok: true });
    played.model.answer = LONG;
    const compactions = () => played.session.events.filter(({ type }) => type === "compacted").length;
    for (let n = 0; n < 8 && compactions() < 2; n++) await played.say();
    assert.equal(compactions(), 2);
  });

  test("while it pauses, a full window is met with a summary made by code, without asking the model", async () => {
    const played = await paused();
    const asked = played.model.summaries.length;
    played.model.answer = LONG;
    const made = () => played.session.events.find((event) => event.type === "compacted");
    for (let n = 0; n < 8 && made() === undefined; n++) await played.say();
    const event = made();
    assert.ok(event?.type === "compacted" && event.form === "by_code" && event.trigger === "window_full");
    assert.equal(played.model.summaries.length, asked);
  });

  test("does not give way to a summary made by code while the server is away: the turn says so, and Retry compacts as ever", async () => {
    const down: Step = {
      type: "failed",
      partial: { text: "", thinking: "" },
      failure: { kind: "not_running", message: "Nothing answers." },
    };
    const settings = { keepMessages: 4, automaticCompaction: false };
    const model = new ScriptedModel(
      Array.from({ length: 3 }, (): Step => ({ text: LONG })),
      (request) => Math.ceil(countCharacters(request) * 1.9),
    );
    const { session, idle } = startSession(model, { settings });
    for (const text of ["one", "two", "three"]) {
      session.send(text, text);
      await idle();
    }
    model.then(down);
    session.send("four", LONG + LONG.slice(0, 900));
    await idle();
    const types = () => session.events.map(({ type }) => type);
    const end = session.events.at(-1);
    assert.ok(end?.type === "turn_ended" && end.failure?.kind === "not_running");
    for (let n = 0; n < 2; n++) {
      model.then(down);
      session.resume("retry");
      await idle();
    }
    assert.ok(!types().includes("compacted") && !types().includes("compaction_failed"));
    model.then({ text: "- what was said so far" }, { text: "Four." });
    session.resume("retry");
    await idle();
    const event = session.events.find(({ type }) => type === "compacted");
    assert.ok(event?.type === "compacted" && event.form === "isolated" && event.trigger === "window_full");
    assert.equal(model.requests.at(-1)?.messages.at(-1)?.content, LONG + LONG.slice(0, 900));
  });

  test("does not pause for a server that is away", async () => {
    const down: Step = {
      type: "failed",
      partial: { text: "", thinking: "" },
      failure: { kind: "not_running", message: "Nothing answers." },
    };
    const model = new ScriptedModel([{ text: LONG }, { text: LONG }, down, down, down]);
    const { session, idle } = startSession(model, { settings: { numCtx: 16_384, keepMessages: 1 } });
    for (const text of ["one", "two"]) {
      session.send(text, text);
      await idle();
    }
    for (let n = 0; n < 3; n++)
      assert.deepEqual(await session.compactNow(), { ok: false, message: "Nothing answers." });
    assert.ok(!session.events.some(({ type }) => type === "notice"));
  });

  test("names the fixed part when system prompt and tools alone fill the window, and asks for no summary", async () => {
    const heavy = {
      ...echoTool.schema,
      description: "It does many things, and each of them well. ".repeat(55),
    };
    const model = new ScriptedModel(Array.from({ length: 3 }, (): Step => ({ text: LONG.slice(0, 900) })));
    const { session, idle } = startSession(model, {
      tools: [{ ...echoTool, schema: heavy }],
      settings: { numCtx: 2048, keepMessages: 1, compactionThreshold: 0.5 },
    });
    for (let n = 0; n < 3; n++) {
      session.send(`m${n}`, "Go on.");
      await idle();
    }
    const failed = session.events.flatMap((event) => (event.type === "compaction_failed" ? [event] : []));
    assert.deepEqual(
      failed.map(({ fault }) => fault),
      ["fixed_part", "fixed_part"],
    );
    const notice = session.events.find((event) => event.type === "notice");
    assert.ok(notice?.type === "notice");
    assert.match(
      notice.text,
      /^Automatic compaction pauses .*The system prompt and the tools alone take about \d+ of the 2048 tokens .*Raise num_ctx \(setting loom\.numCtx\) or choose a model with a larger context window\.$/,
    );
    assert.equal(model.requests.length, 3, "no summary was asked for");
  });

  test("a message for which the fixed part leaves no room is refused with that cause before anything is sent", () => {
    const heavy = {
      ...echoTool.schema,
      description: "It does many things, and each of them well. ".repeat(150),
    };
    const model = new ScriptedModel();
    const { session } = startSession(model, {
      tools: [{ ...echoTool, schema: heavy }],
      settings: { numCtx: 2048 },
    });
    const outcome = session.send("m1", "Hello.");
    assert.ok(!outcome.accepted);
    assert.match(
      outcome.message,
      /system prompt and the tools alone take .* of the 2048 tokens.*Raise num_ctx/,
    );
    assert.equal(session.view.entries.length, 0);
  });

  test("names the one giant message when the newest request does not fit a window that became smaller", async () => {
    const failure = { kind: "server_error", message: "It broke." } as const;
    const model = new ScriptedModel([{ type: "failed", partial: { text: "", thinking: "" }, failure }]);
    let numCtx = 8192;
    const { session, idle } = startSession(model, { settingsNow: () => ({ ...SETTINGS, numCtx }) });
    session.send("m1", `Look at this: ${LONG.repeat(6)}`);
    await idle();
    numCtx = 2048;
    session.settingsChanged();
    for (let n = 0; n < 3; n++) {
      session.resume("retry");
      await idle();
    }
    assert.equal(model.requests.length, 1, "nothing is sent that cannot fit");
    const end = session.events.findLast((event) => event.type === "turn_ended");
    assert.ok(end?.type === "turn_ended");
    assert.match(
      end.failure?.message ?? "",
      /needs about \d+ tokens.*One message that has to stay takes about \d+/,
    );
    const notices = session.events.filter((event) => event.type === "notice");
    assert.equal(notices.length, 1);
    assert.ok(notices[0]?.type === "notice" && /pauses.*Start a new session/.test(notices[0].text));
  });
});

describe("two compactions", () => {
  test("never run with nothing new between them, also by hand", async () => {
    const played = start({ keepMessages: 1 });
    played.model.summary = "- what was said so far";
    await played.say();
    await played.say();
    assert.deepEqual(await played.session.compactNow(), { ok: true });
    const asked = played.model.summaries.length;
    const events = played.session.events.length;
    assert.deepEqual(await played.session.compactNow("the ports"), {
      ok: false,
      message: "Nothing is new since the last compaction.",
    });
    assert.equal(played.model.summaries.length, asked);
    assert.equal(played.session.events.length, events);
  });
});
