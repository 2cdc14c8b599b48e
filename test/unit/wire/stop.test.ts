import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import { OllamaModel } from "../../../src/ollama/ollamaModel";
import { createGate } from "../../support/scriptedServer";
import { addressOf, chat, reply, requestFor, startWire, user } from "./fixture";

for (const path of ["/api/show", "/api/version", "/api/chat"])
  test(`A08: Stop while ${path} withholds its headers closes the connection, and the chat is stopped`, async (context) => {
    const wire = await startWire(context);
    wire.server.playFault(path, { kind: "hang", afterChunks: 0 });
    const stop = new AbortController();
    const chatting = chat(wire, {}, stop.signal);
    await (path === "/api/chat" ? wire.server.waitForChat() : wire.server.waitForRequest(path));
    stop.abort();
    assert.deepEqual((await chatting).outcome, { type: "stopped", partial: { text: "", thinking: "" } });
    assert.equal((await wire.server.waitForAbort()).path, path);
    assert.equal((await reply(wire)).text, "OK.");
  });

test("Stop in mid-answer keeps what came, and the server sees the connection close", async (context) => {
  const wire = await startWire(context, { brain: () => ({ content: "one two three", chunkSize: 4 }) });
  wire.server.playFault("/api/chat", { kind: "hang", afterChunks: 2 });
  const stop = new AbortController();
  let text = "";
  const onDelta = (delta: { text: string }): void => {
    text += delta.text;
    if (text === "one two ") stop.abort();
  };
  const outcome = await wire.model.chat(requestFor(), onDelta, stop.signal);
  assert.deepEqual(outcome, { type: "stopped", partial: { text: "one two ", thinking: "" } });
  await wire.server.waitForAbort();
  assert.equal((await reply(wire)).text, "one two three");
});

test("Stop keeps characters that were held back for a tag", async (context) => {
  const wire = await startWire(context, {
    brain: () => ({ deltas: [{ content: "a </th" }, { content: "b" }] }),
  });
  wire.server.playFault("/api/chat", { kind: "hang", afterChunks: 1 });
  const stop = new AbortController();
  const outcome = await wire.model.chat(requestFor(), () => stop.abort(), stop.signal);
  assert.deepEqual(outcome, { type: "stopped", partial: { text: "a </th", thinking: "" } });
});

test("Stop while waiting behind another chat sends nothing and leaves the other alone", async (context) => {
  const gate = createGate();
  const wire = await startWire(context, { brain: () => ({ content: "done", before: () => gate.opened }) });
  const first = chat(wire);
  await wire.server.waitForChat();
  const stop = new AbortController();
  const second = chat(wire, { messages: [user("second")] }, stop.signal);
  const third = chat(wire, { messages: [user("third")] });
  stop.abort();
  assert.equal((await second).outcome.type, "stopped");
  gate.open();
  assert.equal((await first).outcome.type, "reply");
  assert.equal((await third).outcome.type, "reply");
  assert.deepEqual(
    wire.server.chats().map(({ request }) => request.messages?.at(-1)?.content),
    ["hello", "third"],
  );
});

test("a signal that has fired already sends nothing", async (context) => {
  const wire = await startWire(context);
  assert.equal((await chat(wire, {}, AbortSignal.abort())).outcome.type, "stopped");
  assert.equal(wire.server.requests.length, 0);
});

test("A08: headers and body may take hours: no timer ends the request, and the global fetch is not used", async (context) => {
  const headers = createGate();
  const middle = createGate();
  const wire = await startWire(context, {
    brain: () => ({
      content: "at last",
      chunkSize: 3,
      before: (piece) => [headers.opened, middle.opened][piece],
    }),
  });
  const fetched = context.mock.method(globalThis, "fetch", () => Promise.reject(new Error("not to be used")));
  context.mock.timers.enable({ apis: ["setTimeout", "setInterval", "Date"] });
  const chatting = chat(wire);
  await wire.server.waitForChat();
  context.mock.timers.tick(6 * 3_600_000);
  headers.open();
  context.mock.timers.tick(6 * 3_600_000);
  middle.open();
  assert.equal((await chatting).text, "at last");
  assert.equal(fetched.mock.callCount(), 0);
});

test("stopped, failed and finished chats leave no connection and no listener", async (context) => {
  const wire = await startWire(context);
  const { signal } = new AbortController();
  for (const kind of ["reset", "eof", "garbage"] as const) {
    wire.server.playFault("/api/chat", { kind, afterChunks: 1 });
    assert.equal((await chat(wire, {}, signal)).outcome.type, "failed");
    assert.equal((await chat(wire, {}, signal)).outcome.type, "reply");
  }
  await wire.model.allocatedNumCtx("scripted", signal);
  assert.equal(getEventListeners(signal, "abort").length, 0);
  wire.server.playFault("/api/chat", { kind: "hang", afterChunks: 0 }, 50);
  for (let count = 1; count <= 50; count++) {
    const stop = new AbortController();
    const chatting = chat(wire, {}, stop.signal);
    await wire.server.waitForChat(6 + count);
    stop.abort();
    assert.equal((await chatting).outcome.type, "stopped");
    assert.equal(getEventListeners(stop.signal, "abort").length, 0);
  }
  await wire.server.waitForNoConnections();
});

test("S04: localhost reaches a server that listens on 127.0.0.1 only", async (context) => {
  const wire = await startWire(context);
  const model = new OllamaModel({ address: addressOf(`localhost:${wire.server.port}`) });
  await reply({ model });
});
