import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { get, post, rawChat } from "../../support/rawClient";
import {
  createGate,
  scriptReplies,
  statusFault,
  type Fault,
  type Reply,
  type ScriptedServer,
} from "../../support/scriptedServer";
import { useServer } from "./fixture";

let server: ScriptedServer;
const start = useServer((started) => (server = started));

const BODY = {
  model: "scripted",
  messages: [{ role: "user", content: "Hello" }],
  options: { num_ctx: 2048 },
};
const reply = (fault: Fault): Reply => ({ content: "abcdef", chunkSize: 2, fault });

/** Reads a body until it ends or breaks; `broke` tells which. */
async function readAll(response: Response): Promise<{ text: string; broke: boolean }> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = "";
  try {
    for (;;) {
      const part = await reader?.read();
      if (!part || part.done) return { text, broke: false };
      text += decoder.decode(part.value, { stream: true });
    }
  } catch {
    return { text, broke: true };
  }
}

describe("faults of a chat", () => {
  test("a reset after two pieces: both arrive, then the connection breaks", async () => {
    await start({ brain: scriptReplies([reply({ kind: "reset", afterChunks: 2 })]) });
    const { text, broke } = await readAll(await post(server, "/api/chat", BODY));
    assert.equal(broke, true);
    assert.equal(text.trim().split("\n").length, 2);
    await server.waitForIdle();
    assert.equal(server.chats()[0]?.aborted, false);
  });

  test("a reset before the headers", async () => {
    await start({ brain: scriptReplies([reply({ kind: "reset", afterChunks: 0 })]) });
    await assert.rejects(post(server, "/api/chat", BODY), /fetch failed/);
    await server.waitForIdle();
    assert.equal(server.chats()[0]?.status, undefined);
  });

  test("a garbage line between two good ones", async () => {
    await start({ brain: scriptReplies([reply({ kind: "garbage", afterChunks: 1 })]) });
    const { text } = await readAll(await post(server, "/api/chat", BODY));
    const lines = text.trim().split("\n");
    assert.equal(lines.length, 5);
    assert.throws(() => JSON.parse(lines[1] ?? "") as unknown);
    assert.match(lines[4] ?? "", /"done":true/);
  });

  test("an error line in mid-stream is the last, with status 200", async () => {
    await start({
      brain: scriptReplies([reply({ kind: "error", afterChunks: 2, message: "runner stopped" })]),
    });
    const response = await post(server, "/api/chat", BODY);
    const { text, broke } = await readAll(response);
    assert.deepEqual([response.status, broke], [200, false]);
    assert.deepEqual(JSON.parse(text.trim().split("\n")[2] ?? ""), { error: "runner stopped" });
    assert.equal(text.trim().split("\n").length, 3);
  });

  test("an end without done", async () => {
    await start({ brain: scriptReplies([reply({ kind: "eof", afterChunks: Infinity })]) });
    const { text, broke } = await readAll(await post(server, "/api/chat", BODY));
    assert.equal(broke, false);
    assert.equal(text.trim().split("\n").length, 3);
    assert.doesNotMatch(text, /"done":true/);
  });

  for (const status of [400, 401, 403, 404, 500, 503] as const)
    test(`status ${status} with Ollama's own text, and the next chat works`, async () => {
      await start({ brain: scriptReplies([{ fault: statusFault(status) }, { content: "fine" }]) });
      const chat = await rawChat(server, BODY);
      assert.equal(chat.status, status);
      assert.equal(typeof chat.final["error"], "string");
      assert.equal((await rawChat(server, BODY)).content, "fine");
    });

  test("a hang before the headers lasts until the client gives up, and the model is free again", async () => {
    await start({ brain: scriptReplies([reply({ kind: "hang", afterChunks: 0 }), { content: "free" }]) });
    const abort = new AbortController();
    const hanging = assert.rejects(post(server, "/api/chat", BODY, { signal: abort.signal }));
    const seen = await server.waitForChat();
    assert.deepEqual([seen.status, seen.ended], [undefined, false]);
    abort.abort();
    await hanging;
    assert.equal(await server.waitForAbort(), seen);
    assert.equal((await rawChat(server, BODY)).content, "free");
    assert.deepEqual(server.problems, []);
  });

  test("a hang in mid-stream goes on when the test lets it", async () => {
    const gate = createGate();
    await start({ brain: scriptReplies([reply({ kind: "hang", afterChunks: 1, until: gate.opened })]) });
    const response = await post(server, "/api/chat", BODY);
    const reader = response.body?.getReader();
    const first = new TextDecoder().decode((await reader?.read())?.value);
    assert.equal(first.trim().split("\n").length, 1);
    assert.equal(server.chats()[0]?.ended, false);
    gate.open();
    while (!(await reader?.read())?.done);
    await server.waitForIdle();
    assert.equal(server.chats()[0]?.aborted, false);
  });

  test("in real time a prompt takes as long to read as the speeds say, and a client that gives up ends it", async () => {
    await start({ speeds: { isRealTime: true, loadSeconds: 0, readTokensPerSecond: 1e-3 } });
    const abort = new AbortController();
    const hanging = assert.rejects(post(server, "/api/chat", BODY, { signal: abort.signal }));
    const seen = await server.waitForChat();
    await get(server, "/api/version");
    assert.equal(seen.status, undefined);
    abort.abort();
    await hanging;
    await server.waitForAbort();
    await server.waitForIdle();
  });

  test("the client's abort in mid-stream is seen", async () => {
    const never = new Promise<void>(() => undefined);
    const before = (piece: number) => (piece === 2 ? never : undefined);
    await start({ brain: scriptReplies([{ content: "abcdef", chunkSize: 2, before }]) });
    const abort = new AbortController();
    const response = await post(server, "/api/chat", BODY, { signal: abort.signal });
    await response.body?.getReader().read();
    abort.abort();
    assert.equal((await server.waitForAbort()).path, "/api/chat");
    await server.waitForNoConnections();
    assert.equal(server.openConnections, 0);
  });

  test("calls in several pieces all with index 0 and no id, arguments as a string, calls in the last chunk", async () => {
    const call = (path: string) => ({ name: "read_file", arguments: { path }, id: null, index: 0 });
    await start({
      brain: scriptReplies([
        { toolCalls: [call("a"), call("b")] },
        { toolCalls: [{ name: "read_file", arguments: '{"path":"a.txt"}' }] },
        { toolCalls: [call("c"), call("d")], callsIn: "done" },
        { toolCalls: [call("e"), call("f")], callsIn: "one" },
      ]),
    });
    const apart = await rawChat(server, BODY);
    assert.deepEqual(
      apart.lines.slice(0, 2).map((line) => line["message"]),
      ["a", "b"].map((path) => ({
        role: "assistant",
        content: "",
        tool_calls: [{ function: { index: 0, name: "read_file", arguments: { path } } }],
      })),
    );
    assert.equal((await rawChat(server, BODY)).toolCalls[0]?.function.arguments, '{"path":"a.txt"}');
    const inDone = await rawChat(server, BODY);
    assert.deepEqual([inDone.lines.length, inDone.toolCalls.length], [1, 2]);
    const inOne = await rawChat(server, BODY);
    assert.deepEqual([inOne.lines.length, inOne.toolCalls.length], [2, 2]);
  });

  test("counts missing, zero, null or beyond the window, and pieces given one by one", async () => {
    await start({
      brain: scriptReplies([
        { content: "a", final: { prompt_eval_count: undefined } },
        { content: "a", final: { prompt_eval_count: 0 } },
        { content: "a", final: { prompt_eval_count: null } },
        { content: "a", final: { prompt_eval_count: 2000, eval_count: 500 } },
        { deltas: [{ content: "first I look</th" }, { content: "ink>Answer" }], doneReason: "length" },
      ]),
    });
    const counts = [];
    for (let index = 0; index < 4; index++)
      counts.push((await rawChat(server, BODY)).final["prompt_eval_count"]);
    assert.deepEqual(counts, [undefined, 0, null, 2000]);
    const split = await rawChat(server, BODY);
    assert.equal(split.lines.length, 3);
    assert.equal(split.content, "first I look</think>Answer");
    assert.equal(split.final["done_reason"], "length");
  });
});

describe("faults of any path", () => {
  const paths = ["/api/version", "/api/tags", "/api/ps", "/api/show", "/api/pull", "/api/chat"];
  const ask = async (path: string): Promise<Response> =>
    /show|pull|chat/.test(path) ? post(server, path, BODY) : fetch(server.url + path);

  for (const path of paths)
    test(`${path} hangs, breaks, ends early, errs and refuses on demand, and answers afterwards`, async () => {
      await start({ pullable: [{ name: "scripted" }] });
      server.playFault(path, statusFault(503));
      assert.equal((await ask(path)).status, 503);
      server.playFault(path, { kind: "reset", afterChunks: 0 });
      await assert.rejects(ask(path));
      server.playFault(path, { kind: "reset", afterChunks: 1 });
      assert.equal((await readAll(await ask(path))).broke, true);
      server.playFault(path, { kind: "eof", afterChunks: 1 });
      const { text, broke } = await readAll(await ask(path));
      assert.ok(!broke && text !== "" && !/"done":true|"success"/.test(text));
      server.playFault(path, { kind: "garbage", afterChunks: 0 });
      const garbage = await readAll(await ask(path));
      assert.throws(() => JSON.parse(garbage.text.split("\n")[0] ?? "") as unknown);
      server.playFault(path, { kind: "error", afterChunks: 0, message: "no" });
      assert.equal((await (await ask(path)).text()).trim(), '{"error":"no"}');
      server.playFault(path, { kind: "hang", afterChunks: 0 });
      const hanging = assert.rejects(ask(path));
      await server.waitForRequest(path, 7);
      await server.close();
      await hanging;
      await server.acceptConnections();
      assert.equal((await ask(path)).status, 200);
      assert.deepEqual(server.problems, []);
    });

  test("connections are refused from the end of an answer on, until they are accepted again on the same port", async () => {
    await start({ brain: scriptReplies([{ content: "last words", thenRefuse: true }, { content: "back" }]) });
    assert.equal((await rawChat(server, BODY)).content, "last words");
    await assert.rejects(get(server, "/api/version"), (error: Error) => {
      assert.equal((error.cause as NodeJS.ErrnoException).code, "ECONNREFUSED");
      return true;
    });
    await server.acceptConnections();
    assert.equal((await rawChat(server, BODY)).content, "back");
  });
});
