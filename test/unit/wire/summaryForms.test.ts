import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { SummaryRequestSetting } from "../../../src/core/compaction/summaryForm";
import { asksForSummary } from "../../support/asksForSummary";
import type { SeenChat } from "../../support/scriptedServer";
import { storedTurns } from "../../support/storedTurns";
import { startWireSession } from "../../support/wireSession";

const brain = ({ messages }: { messages: SeenChat["windowedMessages"] }) => ({
  content: asksForSummary({ messages })
    ? "- they went through the steps, one after the other"
    : "Step 9 is next.",
});

const isSummary = ({ request }: SeenChat) => asksForSummary({ messages: request.messages ?? [] });

/** A request without its options, as it went over the wire. */
const beginning = ({ body }: SeenChat) => JSON.stringify({ ...(body as object), options: undefined });

describe("a summary over the wire", () => {
  for (const { form, thinks, version } of [
    { form: "inPlace", thinks: false, version: "0.34.2" },
    { form: "inPlace", thinks: true, version: "0.34.2" },
    { form: "inPlace", thinks: false, version: "0.24.0" },
    { form: "auto", thinks: false, version: "0.34.2" },
    { form: "isolated", thinks: true, version: "0.34.2" },
  ] as const satisfies readonly { form: SummaryRequestSetting; thinks: boolean; version: string }[])
    test(`${form}, ${thinks ? "a thinking model" : "a plain model"}, ${version}: no request reloads the model, and the cached prefix is what it can be`, async (context) => {
      const { server, session, say } = await startWireSession(context, {
        version,
        models: [
          { name: "scripted", capabilities: ["completion", "tools", ...(thinks ? ["thinking"] : [])] },
        ],
        brain,
        settings: { numCtx: 8192, keepMessages: 2, summaryRequest: form },
        date: "2026-03-01",
      });
      for (let n = 0; n < 6; n++) await say(`And in step ${n}? ${"Look at it closely. ".repeat(40)}`);
      assert.deepEqual(await session.compactNow(), { ok: true });
      await say("And after that?");
      const chats = server.chats();
      const at = chats.findIndex(isSummary);
      const [before, summary, after] = [chats[at - 1], chats[at], chats[at + 1]];
      assert.ok(before && summary && after);
      assert.equal(server.reloads, 0);
      const steady = ({ request: { options, think, truncate, shift } }: SeenChat) => ({
        num_ctx: options?.["num_ctx"],
        think,
        truncate,
        shift,
      });
      for (const chat of chats) assert.deepEqual(steady(chat), steady(before));
      for (const { request, promptTokens } of chats)
        assert.ok(promptTokens + Number(request.options?.["num_predict"]) <= 8192);
      const isInPlace = form !== "isolated";
      assert.equal(beginning(summary).startsWith(beginning(before).slice(0, -"]}".length)), isInPlace);
      if (isInPlace) assert.ok(summary.cachedTokens >= before.windowTokens, `${summary.cachedTokens}`);
      else assert.ok(summary.cachedTokens < 16);
      // An old server has room for one prompt: after the isolated form it reads the system prompt and the tools again too.
      const head = version === "0.24.0" && !isInPlace ? 0 : 200;
      assert.ok(after.cachedTokens >= head, `${after.cachedTokens} of the system prompt and the tools`);
    });

  for (const form of ["isolated", "inPlace"] as const)
    test(`${form}: thinking that the template leaves out is not taken for a beginning that the server cut`, async (context) => {
      const { session, say } = await startWireSession(context, {
        models: [{ name: "scripted", capabilities: ["completion", "tools", "thinking"] }],
        brain: ({ messages }) => ({
          thinking: "I look at it once more, and weigh what there is. ".repeat(80),
          content: brain({ messages }).content,
        }),
        settings: { numCtx: 8192, keepMessages: 2, summaryRequest: form },
      });
      for (let n = 0; n < 10; n++) await say(`And in step ${n}?`);
      assert.deepEqual(await session.compactNow(), { ok: true });
      const compaction = session.events.findLast((event) => event.type === "compacted");
      assert.equal(
        compaction?.type === "compacted" && compaction.form,
        form === "isolated" ? form : "in_place",
      );
    });

  test("auto, and the model was unloaded since the last reply: the isolated form, in the same num_ctx", async (context) => {
    const { server, session, say } = await startWireSession(context, {
      brain,
      settings: { numCtx: 8192, keepMessages: 2, summaryRequest: "auto" },
      events: storedTurns(12, 8192),
    });
    await say("And then?");
    server.unload("scripted");
    assert.deepEqual(await session.compactNow(), { ok: true });
    const summary = server.chats().find(isSummary);
    assert.deepEqual(summary?.request.tools ?? [], []);
    assert.equal(summary?.request.options?.["num_ctx"], 8192);
  });
});
