import assert from "node:assert/strict";
import { describe, test, type TestContext } from "node:test";
import { asksForSummary } from "../../support/asksForSummary";
import { createGate, type SeenChat } from "../../support/scriptedServer";
import { startWireSession, type WireSession } from "../../support/wireSession";

/** A session whose conversation of six turns was compacted by hand; the server knows nothing of what came of it. */
async function startCompacted(
  context: TestContext,
  options: Parameters<typeof startWireSession>[1] = {},
): Promise<WireSession> {
  const wire = await startWireSession(context, {
    models: [{ name: "scripted", capabilities: ["completion", "tools", "thinking"] }],
    brain: ({ messages }) =>
      asksForSummary({ messages })
        ? { content: "- they went through the steps" }
        : { content: "Step 9 is next.", thinking: "What comes after 8?" },
    settings: { numCtx: 8192, keepMessages: 4, summaryRequest: "isolated" },
    date: "2026-03-01",
    ...options,
  });
  for (let n = 0; n < 6; n++) await wire.say(`And in step ${n}? ${"Look at it closely. ".repeat(40)}`);
  assert.deepEqual(await wire.session.compactNow(), { ok: true });
  return wire;
}

/** Asks for a preload until a chat comes of it, and resolves when that has ended. One that has just ended may not know it yet. */
async function readAhead({ server, session }: WireSession): Promise<SeenChat> {
  const before = server.chats().length;
  for (;;) {
    const chat = server.chats()[before];
    if (chat?.ended) return chat;
    session.preload("with_context");
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** The same until it only looks whether there is anything to do. */
async function preloadAgain({ server, session }: WireSession): Promise<void> {
  const looks = server.requestsTo("/api/ps").length;
  while (server.requestsTo("/api/ps").length === looks) {
    session.preload("with_context");
    await new Promise((resolve) => setImmediate(resolve));
  }
  await server.waitForIdle();
}

describe("what a compaction left is read ahead of the next message", () => {
  test("with its options, for one token and without a trace in the session; the message finds it in the cache", async (context) => {
    const wire = await startCompacted(context);
    const { server, session, say } = wire;
    const events = session.events.length;
    const ahead = await readAhead(wire);
    assert.equal(ahead.request.options?.["num_predict"], 1);
    assert.ok(ahead.cachedTokens < ahead.promptTokens / 2, "it was not in the cache");
    await preloadAgain(wire);
    assert.equal(session.events.length, events);
    const waits: number[] = [];
    session.onEvent((event) => {
      if (event.type !== "phase_changed" || event.phase.name !== "waiting") return;
      if (event.phase.what === "reading") waits.push(event.phase.tokens ?? 0);
    });
    const chats = server.chats().length;
    await say("And after that?");
    assert.equal(server.chats().length, chats + 1, "nothing was read ahead a second time");
    const next = server.chats().at(-1);
    assert.ok(next);
    assert.ok(next.cachedTokens > ahead.promptTokens - 8, `${next.cachedTokens} of ${ahead.promptTokens}`);
    assert.ok((waits[0] ?? Infinity) < 100, "and that is what is said to be read");
    assert.equal(server.reloads, 0);
  });

  test("so is a conversation whose model was unloaded, and one whose compaction was undone", async (context) => {
    const wire = await startCompacted(context);
    await wire.say("And after that?");
    wire.server.unload("scripted");
    const unloaded = await readAhead(wire);
    assert.equal(unloaded.request.options?.["num_predict"], 1);
    assert.deepEqual(wire.session.steering.undo(), { ok: true });
    const undone = await readAhead(wire);
    assert.ok((undone.request.messages?.length ?? 0) > (unloaded.request.messages?.length ?? 0));
  });

  test("it gives way to a message at once, which goes out once", async (context) => {
    const wire = await startCompacted(context);
    const { server, session, say } = wire;
    const never = createGate();
    server.playFault("/api/chat", { kind: "hang", afterChunks: 0, until: never.opened });
    const before = server.chats().length;
    session.preload("with_context");
    while (server.chats().length === before) await new Promise((resolve) => setImmediate(resolve));
    await say("And after that?");
    const [ahead, asked, ...more] = server.chats().slice(before);
    assert.equal(ahead?.aborted, true);
    assert.equal(asked?.request.messages?.at(-1)?.content, "And after that?");
    assert.deepEqual(more, []);
    never.open();
  });

  test("not where a server does not say what it had in its cache: its speed would be taken for higher than it is", async (context) => {
    const { server, session } = await startCompacted(context, { version: "0.24.0" });
    const before = server.chats().length;
    const loads = server.preloads().length;
    session.preload("with_context");
    await server.waitForRequest("/api/chat", server.requestsTo("/api/chat").length + 1);
    await server.waitForIdle();
    assert.deepEqual([server.preloads().length, server.chats().length], [loads + 1, before]);
  });

  test("not where only the model is to be loaded", async (context) => {
    const { server, session } = await startCompacted(context);
    const before = server.chats().length;
    const loads = server.preloads().length;
    session.preload("model");
    await server.waitForRequest("/api/chat", server.requestsTo("/api/chat").length + 1);
    await server.waitForIdle();
    assert.deepEqual([server.preloads().length, server.chats().length], [loads + 1, before]);
  });

  test("and nothing is asked for while all of it is in the cache", async (context) => {
    const wire = await startCompacted(context);
    const { server, say } = wire;
    await say("And after that?");
    const before = server.requestsTo("/api/chat").length;
    await preloadAgain(wire);
    assert.equal(server.requestsTo("/api/chat").length, before);
  });
});
