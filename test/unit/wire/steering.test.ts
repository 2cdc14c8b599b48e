import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { SeenChat } from "../../support/scriptedServer";
import { startWireSession } from "../../support/wireSession";

const bodyOf = (chat: SeenChat | undefined) => JSON.stringify(chat?.body);

/** Long answers to questions, a short one for the summary. */
const answer = ({ index }: { readonly index: number }) => ({
  content: index === 2 ? "- a summary" : `Answer ${index}. ${"And so it goes on. ".repeat(40)}`,
});

/** A request up to where its messages end. */
function untilLastMessage(chat: SeenChat | undefined): string {
  const text = bodyOf(chat);
  return text.slice(0, text.lastIndexOf('],"options"'));
}

describe("over the wire", () => {
  test("the request after an undo begins with the bytes of the last one before the compaction", async (context) => {
    const { server, say, session } = await startWireSession(context, {
      brain: answer,
      settings: { numCtx: 8192, keepMessages: 1, automaticCompaction: false },
    });
    await say("My port is 48213.");
    await say("And the second question?");
    const before = server.chats().at(-1);
    assert.deepEqual(await session.compactNow(), { ok: true });
    assert.deepEqual(session.steering.undo(), { ok: true });
    await say("Third.");
    assert.ok(bodyOf(server.chats().at(-1)).startsWith(untilLastMessage(before)));
  });

  test("the request that is shown is the one that is sent, but for the next message", async (context) => {
    const { server, say, session } = await startWireSession(context, {
      brain: answer,
      settings: { numCtx: 8192, keepMessages: 1 },
    });
    await say("My port is 48213.");
    await say("And the second question?");
    assert.deepEqual(await session.compactNow("the port"), { ok: true });
    const request = await session.steering.nextRequest(AbortSignal.timeout(5_000));
    assert.ok(request.ok);
    const shown = JSON.stringify(request.body);
    await say("Third.");
    const { body } = server.chats().at(-1) ?? {};
    assert.ok(
      typeof body === "object" && body !== null && "messages" in body && Array.isArray(body.messages),
    );
    const without = { ...body, messages: body.messages.slice(0, -1) };
    // The room for the reply is what the next message leaves of it.
    const steady = (text: string) => text.replace(/"num_predict":\d+/, "");
    assert.equal(steady(shown), steady(JSON.stringify(without)));
  });

  test("a request that cannot be shown says why and what to do", async (context) => {
    const { server, session } = await startWireSession(context);
    server.refuseConnections();
    const request = await session.steering.nextRequest(AbortSignal.timeout(5_000));
    assert.ok(!request.ok);
    assert.match(request.message, /Ollama/);
  });
});
