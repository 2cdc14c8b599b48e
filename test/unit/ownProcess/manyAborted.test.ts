import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { test } from "node:test";
import { addressOf, chat, reply, startWire } from "../wire/fixture";
import { OllamaModel } from "../../../src/ollama/ollamaModel";

const REQUESTS = 1_000;
/** Bytes of heap that may be left over: what the engine itself keeps for code and caches. */
const GROWTH = 10 * 1024 * 1024;

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

function heapUsed(): number {
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}

const count = (kind: string): number =>
  process.getActiveResourcesInfo().filter((name) => name === kind).length;

test(`${REQUESTS} aborted requests leave no socket, no timer, no listener, and no memory`, async (context) => {
  // What the server has recorded is forgotten before each look, or that would be what is measured.
  const wire = await startWire(context, { client: { preferences: () => ({ silenceMinutes: 5 }) } });
  await reply(wire);
  const phases = ["before the headers", "in mid-stream"] as const;
  const { server } = wire;
  const abortOne = async (which: (typeof phases)[number]): Promise<void> => {
    const afterChunks = which === "in mid-stream" ? 1 : 0;
    server.setBrain(() => ({ content: "one two three", chunkSize: 4, fault: { kind: "hang", afterChunks } }));
    const stop = new AbortController();
    const chats = server.chats().length;
    const heard = new Promise<void>((resolve) => {
      if (afterChunks === 0) void server.waitForChat(chats + 1).then(() => resolve());
      else
        void server.waitForChat(chats + 1).then(async (seen) => {
          while (seen.status === undefined) await new Promise((next) => setImmediate(next));
          resolve();
        });
    });
    const chatting = chat(wire, {}, stop.signal);
    await heard;
    stop.abort();
    assert.equal((await chatting).outcome.type, "stopped");
    assert.equal(getEventListeners(stop.signal, "abort").length, 0);
  };
  for (let n = 0; n < 50; n++) await abortOne(phases[n % 2] ?? phases[0]);
  await server.waitForNoConnections();
  server.forget();
  const before = { heap: heapUsed(), sockets: count("TCPSocketWrap"), timers: count("Timeout") };
  for (let n = 0; n < REQUESTS; n++) await abortOne(phases[n % 2] ?? phases[0]);
  await server.waitForNoConnections();
  server.forget();
  const after = { heap: heapUsed(), sockets: count("TCPSocketWrap"), timers: count("Timeout") };
  assert.equal(after.sockets, before.sockets);
  assert.equal(after.timers, before.timers);
  const grown = after.heap - before.heap;
  context.diagnostic(
    `${REQUESTS} aborted requests: ${(grown / 1024).toFixed(0)} kB more on the heap, ${after.sockets} sockets, ${after.timers} timers`,
  );
  assert.ok(grown < GROWTH, `${grown} bytes`);
  server.setBrain(() => ({ content: "OK." }));
  await reply({ model: new OllamaModel({ address: addressOf(server.url) }) });
});
