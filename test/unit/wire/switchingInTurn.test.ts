import assert from "node:assert/strict";
import { describe, test, type TestContext } from "node:test";
import type { SessionSettings } from "../../../src/core/session";
import type { LogEvent } from "../../../src/shared/events";
import { createGate, type ModelSpec } from "../../support/scriptedServer";
import { isSummary, startSwitching, windowAsked } from "../../support/switching";

const notices = (events: readonly LogEvent[]) =>
  events.flatMap((event) => (event.type === "notice" ? [event.text] : []));

describe("a switch while a turn runs", () => {
  async function switchInATool(
    context: TestContext,
    next: Partial<SessionSettings>,
    models: readonly ModelSpec[],
  ) {
    const gate = createGate();
    let calls = 0;
    const played = await startSwitching(context, {
      models,
      brain: async ({ request, messages }) => {
        if (isSummary(messages)) return { content: "- two questions were asked" };
        if (calls++ > 0) return { content: `${request.model} says so. `.repeat(40) };
        await gate.opened;
        return { toolCalls: [{ name: "echo", arguments: { text: "one" } }] };
      },
    });
    const { session, server, choose, idle } = played;
    session.send("m1", "One?");
    await server.waitForChat();
    choose(next);
    return { ...played, finish: () => (gate.open(), idle()) };
  }

  test("the turn ends with the model that it began with, and that is said; the next message goes to the other one", async (context) => {
    const { asked, session, finish, choose } = await switchInATool(context, { model: "b" }, [
      { name: "a" },
      { name: "b" },
    ]);
    session.settingsChanged();
    assert.deepEqual(notices(session.events), [
      "What runs now goes on with a; from the next message on it is b.",
    ]);
    session.send("m2", "Two?");
    await finish();
    assert.deepEqual(asked().map(windowAsked), [
      ["a", 8192],
      ["a", 8192],
      ["b", 8192],
    ]);
    choose({ model: "a" });
    assert.equal(notices(session.events).length, 1, "between turns there is nothing to say");
  });

  test("and back again: it is said that it stays; a new num_ctx is shown as soon as the turn has ended", async (context) => {
    const { choose, session, finish, server } = await switchInATool(context, { numCtx: 4096 }, [
      { name: "a" },
    ]);
    choose({ numCtx: 8192 });
    choose({ numCtx: 4096 });
    assert.deepEqual(notices(session.events), [
      "What runs now goes on with num_ctx 8192; from the next message on it is num_ctx 4096.",
      "It stays with num_ctx 8192.",
      "What runs now goes on with num_ctx 8192; from the next message on it is num_ctx 4096.",
    ]);
    assert.equal(session.view.meter?.window, 8192);
    await finish();
    assert.equal(session.view.meter?.window, 4096);
    assert.equal(server.reloads, 0);
  });

  test("to a window that the waiting message does not fit: it fails with the way out, and works again in the larger one", async (context) => {
    const { choose, session, finish, server, idle } = await switchInATool(
      context,
      { model: "b", numCtx: 512 },
      [{ name: "a" }, { name: "b", contextLength: 512 }],
    );
    session.send("m2", `Two? ${"And this as well. ".repeat(200)}`);
    await finish();
    const end = session.events.at(-1);
    assert.ok(end?.type === "turn_ended" && end.failure?.kind === "window_exceeded", JSON.stringify(end));
    assert.match(end.failure.message, /of the 512 tokens|has 512/);
    assert.match(end.failure.message, /choose a model with a larger context window/);
    const ofB = server.chats().filter(({ request }) => request.model === "b");
    assert.ok(ofB.every(({ request, status }) => isSummary(request.messages ?? []) && status === 200));
    choose({ model: "a", numCtx: 8192 });
    session.resume("retry");
    await idle();
    const last = session.events.at(-1);
    assert.ok(last?.type === "turn_ended" && last.reason === "done");
    const users =
      server
        .chats()
        .at(-1)
        ?.request.messages?.filter(({ role }) => role === "user") ?? [];
    assert.equal(users.length, 2);
  });
});
