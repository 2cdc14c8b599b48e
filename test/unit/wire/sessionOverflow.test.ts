import assert from "node:assert/strict";
import { describe, test, type TestContext } from "node:test";
import type { LogEvent } from "../../../src/shared/events";
import { overflowError, type Brain, type ChatRequestSeen } from "../../support/scriptedServer";
import { storedTurns } from "../../support/storedTurns";
import { startWireSession, type WireSession, type WireSessionOptions } from "../../support/wireSession";

const SUMMARY = { content: "- they went through the steps" };
const isSummary = ({ tools }: Pick<ChatRequestSeen, "tools">): boolean => tools.length === 0;

function play(context: TestContext, options: WireSessionOptions): Promise<WireSession> {
  const settings = { numCtx: 4096, keepMessages: 4 };
  return startWireSession(context, { ...options, settings, events: storedTurns(8, 4096) });
}

const count = (events: readonly LogEvent[], type: LogEvent["type"]): number =>
  events.filter((event) => event.type === type).length;

describe("a prompt that the server refuses as too long", () => {
  for (const { what, version, knowsNumbers } of [
    { what: "0.24.0 in a plain sentence", version: "0.24.0", knowsNumbers: false },
    { what: "0.34.2 in a JSON document with numbers", version: "0.34.2", knowsNumbers: true },
  ])
    test(`by ${what}: one compaction, one retry, and the turn goes on`, async (context) => {
      // The server allocates half of what it is asked for, and says so only after the first reply or in its refusal.
      const { server, say, session } = await play(context, {
        version,
        models: [{ name: "scripted", allocated: 2048 }],
        brain: (request) => (isSummary(request) ? SUMMARY : { content: "Step 9 is the last." }),
      });
      const events = await say("And the last one?");
      const chats = server.chats().filter(({ request }) => (request.tools ?? []).length > 0);
      assert.deepEqual(
        chats.map(({ status }) => status),
        [400, 200],
      );
      const compactions = events.flatMap((event) => (event.type === "compacted" ? [event] : []));
      assert.deepEqual(
        compactions.map(({ trigger }) => trigger),
        ["overflow"],
      );
      const end = events.find((event) => event.type === "turn_ended");
      assert.ok(end?.type === "turn_ended" && end.reason === "done");
      const options = chats.map(({ request }) => request.options?.["num_ctx"]);
      assert.deepEqual(options, knowsNumbers ? [4096, 2048] : [4096, 4096]);
      assert.equal(session.view.meter?.window, 2048, "what the server has is adopted");
      const notices = events.flatMap((event) => (event.type === "notice" ? [event.text] : []));
      assert.ok(notices.some((text) => text.includes("2048 tokens instead of the 4096")));
      await say("And before that?");
      assert.equal(server.chats().at(-1)?.request.options?.["num_ctx"], 2048);
      assert.equal(server.chats().filter(({ status }) => status === 400).length, 1);
    });

  for (const [what, error] of [
    ["a plain sentence", "the input length exceeds the context length"],
    ["a JSON document in a string", overflowError(4500, 4096, true)],
    [
      "a sentence with numbers",
      "input length (4500 tokens) exceeds the model's maximum context length (4096 tokens)",
    ],
    [
      "a sentence without numbers",
      "the prompt is longer than the context length currently available to the model; shorten the prompt, reduce history",
    ],
  ] as const)
    test(`twice, in ${what}: one compaction, one retry, then a clear stop`, async (context) => {
      const refuse: Brain = (request) =>
        isSummary(request) ? SUMMARY : { fault: { kind: "status", status: 400, body: { error } } };
      const { server, say, session } = await play(context, { brain: refuse });
      const events = await say("And the last one?");
      assert.equal(server.chats().filter(({ request }) => (request.tools ?? []).length > 0).length, 2);
      assert.equal(count(events, "compacted"), 1);
      const end = events.find((event) => event.type === "turn_ended");
      assert.ok(end?.type === "turn_ended" && end.reason === "failed");
      assert.equal(end.failure?.kind, "window_exceeded");
      assert.match(end.failure.message, /num_ctx|Compact/);
      assert.equal(count(session.events, "user_message"), 9, "the message is there to go on with");
    });

  test("is expected to be larger from then on: the numbers are taken over", async (context) => {
    const asked: number[] = [];
    const { say, session } = await play(context, {
      brain: (request) => {
        if (isSummary(request)) return SUMMARY;
        asked.push(request.promptTokens);
        if (asked.length > 1) return { content: "Yes." };
        const error = overflowError(request.promptTokens * 2, 4096, true);
        return { fault: { kind: "status", status: 400, body: { error } } };
      },
    });
    const before = (await session.breakdown()).used.tokens;
    await say("And the last one?");
    const reply = session.events.findLast((event) => event.type === "assistant_message");
    assert.ok(reply?.type === "assistant_message");
    const factor = reply.estimatedPromptTokens / (asked[1] ?? 1);
    const usual = before / (asked[0] ?? 1);
    assert.ok(factor > usual * 1.2, `${factor.toFixed(2)} after the refusal, ${usual.toFixed(2)} before it`);
  });
});
