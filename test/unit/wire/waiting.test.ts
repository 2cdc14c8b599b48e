import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Wait } from "../../../src/core/ports";
import type { Session } from "../../../src/core/session";
import type { WaitingPhase } from "../../../src/shared/live";
import { createGate } from "../../support/scriptedServer";
import { startWireSession } from "../../support/wireSession";
import { chat, NEVER, reply, requestFor, startWire, user, type Wire } from "./fixture";

/** A chat with what it waited for. */
async function waitsOf({ model }: Pick<Wire, "model">, fields: Parameters<typeof requestFor>[0] = {}) {
  const waits: Wait[] = [];
  const outcome = await model.chat(
    requestFor(fields),
    () => undefined,
    NEVER,
    (wait) => waits.push(wait),
  );
  assert.equal(outcome.type, "reply", JSON.stringify(outcome));
  return waits;
}

const steady = ({ body }: { readonly body: unknown }) => {
  const { options, shift, truncate, model } = body as Record<string, Record<string, unknown>>;
  return { model, num_ctx: options?.["num_ctx"], shift, truncate };
};

describe("what a chat waits for", () => {
  test("a model that is not in memory is loaded by a request of its own, with its size told; then the prompt is read", async (context) => {
    const wire = await startWire(context, { models: [{ name: "scripted", size: 4_700_000_000 }] });
    assert.deepEqual(await waitsOf(wire), [{ for: "loading", bytes: 4_700_000_000 }, { for: "reading" }]);
    const [preload] = wire.server.preloads();
    const [asked] = wire.server.chats();
    assert.ok(preload && asked);
    assert.deepEqual(steady(preload), steady(asked));
    assert.ok(preload.loaded && !asked.loaded);
    assert.equal(wire.server.reloads, 0);
  });

  test("a model that is in memory is not loaded again, and one that was just used is not even asked about", async (context) => {
    const wire = await startWire(context);
    await reply(wire);
    const asked = wire.server.requests.length;
    assert.deepEqual(await waitsOf(wire), [{ for: "reading" }]);
    assert.equal(wire.server.requests.length, asked + 1);
    context.mock.timers.enable({ apis: ["Date"], now: Date.now() + 60_000 });
    assert.deepEqual(await waitsOf(wire), [{ for: "reading" }]);
    assert.equal(wire.server.requestsTo("/api/ps").length, 2);
    assert.equal(wire.server.preloads().length, 1);
  });

  test("one that was unloaded meanwhile, or is loaded with another window, is loaded", async (context) => {
    const wire = await startWire(context);
    await reply(wire);
    wire.server.unload("scripted");
    context.mock.timers.enable({ apis: ["Date"], now: Date.now() + 60_000 });
    assert.equal((await waitsOf(wire))[0]?.for, "loading");
    assert.equal((await waitsOf(wire, { numCtx: 8192 }))[0]?.for, "loading");
    assert.deepEqual(
      wire.server.chats().map(({ loaded }) => loaded),
      [false, false, false],
    );
  });

  for (const [what, version, fault] of [
    [
      "a server that does not say what is loaded",
      "0.34.2",
      { kind: "status", status: 404, body: "404 page not found" },
    ],
    ["a broken answer", "0.34.2", { kind: "reset", afterChunks: 0 }],
  ] as const)
    test(`${what} is asked to chat all the same`, async (context) => {
      const wire = await startWire(context, { version });
      wire.server.playFault("/api/ps", fault);
      assert.deepEqual(await waitsOf(wire), [{ for: "reading" }]);
      assert.equal(wire.server.preloads().length, 0);
    });

  test("another request to the same model is before it", async (context) => {
    const gate = createGate();
    const wire = await startWire(context, { brain: () => ({ content: "done", before: () => gate.opened }) });
    const first = chat(wire);
    await wire.server.waitForChat();
    const second = waitsOf(wire, { messages: [user("second")] });
    gate.open();
    await first;
    assert.deepEqual(await second, [{ for: "turn" }, { for: "reading" }]);
  });

  test("a preload is before it: that is loading, and the model is loaded once", async (context) => {
    const gate = createGate();
    const wire = await startWire(context);
    wire.server.playFault("preload", { kind: "hang", afterChunks: 0, until: gate.opened });
    const loading = wire.model.preload("scripted", 4096, NEVER);
    await wire.server.waitForRequest("/api/chat");
    const waits = waitsOf(wire);
    gate.open();
    assert.equal(await loading, true);
    assert.deepEqual(await waits, [{ for: "loading" }, { for: "reading" }]);
    assert.equal(wire.server.preloads().length, 1);
  });

  for (const [what, path, wait] of [
    ["the model is loaded", "preload", "loading"],
    ["the server is asked what is loaded", "/api/ps", undefined],
    ["the prompt is read", "/api/chat", "reading"],
  ] as const)
    test(`A08: Stop while ${what} closes the connection at once`, async (context) => {
      const wire = await startWire(context);
      wire.server.playFault(path, { kind: "hang", afterChunks: 0 });
      const stop = new AbortController();
      const waits: Wait[] = [];
      const chatting = wire.model.chat(
        requestFor(),
        () => undefined,
        stop.signal,
        (one) => waits.push(one),
      );
      await (path === "/api/ps"
        ? wire.server.waitForRequest(path)
        : wire.server.waitForRequest("/api/chat", path === "preload" ? 1 : 2));
      stop.abort();
      assert.equal((await chatting).type, "stopped");
      assert.equal(waits.at(-1)?.for, wait);
      await wire.server.waitForAbort();
      await reply(wire);
    });

  test("a load that fails ends the chat with the reason, and nothing more is sent", async (context) => {
    const wire = await startWire(context);
    const body = { error: "model requires more system memory (5.6 GiB) than is available (3.1 GiB)" };
    wire.server.playFault("preload", { kind: "status", status: 500, body });
    const { outcome } = await chat(wire);
    assert.ok(outcome.type === "failed");
    assert.equal(outcome.failure.kind, "load_failed");
    assert.equal(outcome.failure.model, "scripted");
    assert.equal(wire.server.chats().length, 0);
    await reply(wire);
  });
});

describe("a preload", () => {
  test("has the options of the chats: none of them loads anything again", async (context) => {
    for (const version of ["0.34.2", "0.30.2"]) {
      const wire = await startWire(context, {
        version,
        models: [{ name: "scripted", capabilities: ["completion", "tools", "thinking"] }],
      });
      assert.equal(await wire.model.preload("scripted", 8192, NEVER), true);
      await reply(wire, { numCtx: 8192 });
      await reply(wire, { numCtx: 8192, tools: [], thinking: "off" });
      assert.equal(wire.server.reloads, 0);
      assert.deepEqual(
        [...wire.server.preloads(), ...wire.server.chats()].map(({ loaded }) => loaded),
        [true, false, false],
      );
    }
  });

  test("that fails is no failure of its own: the chat tells", async (context) => {
    const wire = await startWire(context);
    wire.server.playFault("preload", { kind: "status", status: 500, body: { error: "boom" } });
    assert.equal(await wire.model.preload("scripted", 4096, NEVER), false);
    assert.equal(await wire.model.preload("gone", 4096, NEVER), false);
    wire.server.refuseConnections();
    assert.equal(await wire.model.preload("scripted", 4096, NEVER), false);
    await wire.server.acceptConnections();
    await reply(wire);
  });

  test("loads nothing that runs elsewhere", async (context) => {
    const wire = await startWire(context, { models: [{ name: "big:cloud" }] });
    assert.equal(await wire.model.preload("big:cloud", 4096, NEVER), false);
    assert.equal(wire.server.preloads().length, 0);
  });
});

describe("a session that waits", () => {
  const phasesOf = (session: Session) => {
    const phases: WaitingPhase[] = [];
    session.onEvent((event) => {
      if (event.type === "phase_changed" && event.phase.name === "waiting") phases.push(event.phase);
    });
    return phases;
  };

  test("says what it waits for, with the tokens to read and the time that they are likely to take", async (context) => {
    const { session, say } = await startWireSession(context, { settings: { numCtx: 8192 } });
    const phases = phasesOf(session);
    await say(`Hello. ${"Look at it closely. ".repeat(60)}`);
    assert.deepEqual(
      phases.map(({ what }) => what),
      ["request", "loading", "reading"],
    );
    const first = phases[2];
    assert.ok((first?.tokens ?? 0) > 500 && first?.expectedMs === undefined, JSON.stringify(first));
    await say(`And then? ${"Look at it closely. ".repeat(60)}`);
    const second = phases.at(-1);
    // Only what is new is read, at 345 tokens a second.
    assert.ok((second?.tokens ?? 0) < 500, JSON.stringify(second));
    assert.ok(
      Math.abs((second?.expectedMs ?? 0) - ((second?.tokens ?? 0) / 345) * 1000) < 20,
      JSON.stringify(second),
    );
  });

  test("is preloaded with the window that its requests have, also with one that the server made smaller", async (context) => {
    const { server, session, say } = await startWireSession(context, {
      models: [{ name: "scripted", allocated: 3000 }],
      settings: { numCtx: 8192 },
    });
    session.preload("with_context");
    session.preload("with_context");
    await say("Hello.");
    await say("And then?");
    server.unload("scripted");
    session.preload("with_context");
    // The model is loaded again, and the conversation read again.
    await server.waitForRequest("/api/chat", 5);
    assert.deepEqual(
      server.requestsTo("/api/chat").map((request) => steady(request).num_ctx),
      [8192, 8192, 3000, 3000, 3000],
    );
    await server.waitForIdle();
    assert.equal(server.reloads, 0);
    assert.ok(session.events.every(({ type }) => !type.includes("load")));
  });
});

describe("a server that says nothing", () => {
  for (const [what, path, afterChunks] of [
    ["before the headers", "/api/chat", 0],
    ["in the middle of the answer", "/api/chat", 2],
    ["while it loads the model", "preload", 0],
  ] as const)
    test(`${what} is given up after the minutes that are set, and what came is kept`, async (context) => {
      const wire = await startWire(context, {
        brain: () => ({ content: "one two three", chunkSize: 4 }),
        client: { preferences: () => ({ silenceMinutes: 3 }) },
      });
      if (path === "/api/chat") await reply(wire);
      wire.server.playFault(path, { kind: "hang", afterChunks });
      context.mock.timers.enable({ apis: ["setTimeout"] });
      const heard = createGate();
      let text = "";
      const chatting = wire.model.chat(
        requestFor(),
        (delta) => {
          text += delta.text;
          if (text.length >= 8) heard.open();
        },
        NEVER,
      );
      await wire.server.waitForRequest("/api/chat", path === "/api/chat" ? 3 : 1);
      if (afterChunks > 0) await heard.opened;
      context.mock.timers.tick(2.9 * 60_000);
      context.mock.timers.tick(0.2 * 60_000);
      const outcome = await chatting;
      assert.ok(outcome.type === "failed", JSON.stringify(outcome));
      assert.equal(outcome.failure.kind, "silent");
      assert.match(outcome.failure.message, /Nothing came from http.* for 3 minutes.*loom\.silenceLimit/);
      assert.equal(outcome.partial.text, afterChunks > 0 ? "one two " : "");
      await wire.server.waitForAbort();
      await reply(wire);
    });
});
