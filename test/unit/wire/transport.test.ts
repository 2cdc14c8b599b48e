import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { test, type TestContext } from "node:test";
import { setImmediate } from "node:timers/promises";
import { OllamaModel } from "../../../src/ollama/ollamaModel";
import { OllamaServer } from "../../../src/ollama/server";
import { createFetch } from "../../../src/ollama/wire/transport";
import { ConnectionError } from "../../../src/ollama/wire/wireErrors";
import { addressOf, NEVER, reply } from "./fixture";

async function serve(context: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const LAST_CHUNK = '{"message":{"role":"assistant","content":"hi"},"done":true,"done_reason":"stop"}\n';

test("the connection is closed after the last chunk, also when the server leaves it open", async (context) => {
  let closed: Promise<unknown> | undefined;
  const address = await serve(context, (request, response) => {
    if (request.url !== "/api/chat") return response.end("{}");
    closed = once(response, "close");
    return response.write(LAST_CHUNK);
  });
  const model = new OllamaModel({ address: addressOf(address) });
  assert.equal((await reply({ model })).text, "hi");
  await closed;
});

test("what came before a reset is read before the reset is told, however late it is read", async (context) => {
  const address = await serve(context, (request, response) => {
    response.write("first ");
    response.write("second", () => request.socket.resetAndDestroy());
  });
  const fetch = createFetch({ signal: NEVER, token: undefined, isStream: false });
  const { body } = await fetch(`http://${address}/`);
  while (process.getActiveResourcesInfo().includes("TCPSocketWrap")) await setImmediate();
  const decoder = new TextDecoder();
  let text = "";
  await assert.rejects(
    async () => {
      for await (const bytes of body ?? []) text += decoder.decode(bytes);
    },
    (error) => error instanceof ConnectionError && error.phase === "receive" && error.code === "ECONNRESET",
  );
  assert.equal(text, "first second");
});

test("a reader that is late holds the server up, and gets everything", async (context) => {
  const block = Buffer.alloc(1_048_576, "x");
  let isFinished = false;
  const address = await serve(context, (_, response) => {
    response.on("finish", () => (isFinished = true));
    for (let count = 0; count < 32; count++) response.write(block);
    response.end();
  });
  const { mock } = context.mock.method(Readable.prototype, "pause");
  const isHeldUp = (): boolean =>
    mock.calls.some(({ this: stream }) => stream instanceof IncomingMessage && stream.statusCode === 200);
  const fetch = createFetch({ signal: NEVER, token: undefined, isStream: false });
  const response = await fetch(`http://${address}/`);
  while (!isHeldUp() && !isFinished) await setImmediate();
  assert.ok(isHeldUp());
  assert.equal((await response.arrayBuffer()).byteLength, 32 * block.byteLength);
});

test("S04: localhost reaches a server that listens on ::1 only", async (context) => {
  const server = createServer((_, response) => response.end('{"models":[{"name":"m"}]}'));
  server.listen(0, "::1");
  const [listening] = (await Promise.race([
    once(server, "listening").then(() => [true]),
    once(server, "error").then(() => [false]),
  ])) as [boolean];
  if (!listening) return context.skip("no IPv6 on this machine");
  context.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const models = await new OllamaServer({ address: addressOf(`localhost:${port}`) }).listModels(NEVER);
  assert.ok(!("failure" in models), JSON.stringify(models));
  assert.equal(models[0]?.name, "m");
});
