import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createTools } from "../../../src/core/tools";
import type { ToolResult } from "../../../src/shared/events";
import { MemoryWorkspace } from "../../support/memoryWorkspace";
import { scriptReplies } from "../../support/scriptedServer";
import { storedTurns } from "../../support/storedTurns";
import { FakeShell } from "../../support/toolCalls";
import { startWireSession, type WireSession } from "../../support/wireSession";

const toolsOn = (workspace: MemoryWorkspace) =>
  createTools({ workspace, shell: new FakeShell(), limits: { commandTimeLimitSeconds: 20 } });
const resultsOf = ({ session }: WireSession): ToolResult[] =>
  session.events.flatMap((event) => (event.type === "tool_result" ? [event] : []));

describe("a session over the wire", () => {
  test("A01: arguments in a string are run; those that cannot be read give an error; every later request has objects", async (context) => {
    const workspace = new MemoryWorkspace({ files: { "a.txt": "alpha\n" } });
    const played = await startWireSession(context, {
      brain: scriptReplies([
        { toolCalls: [{ name: "read_file", arguments: '{"path":"a.txt"}' }] },
        { toolCalls: [{ name: "read_file", arguments: "{path: a.txt" }] },
        { content: "It says alpha." },
        { content: "Yes." },
      ]),
      tools: toolsOn(workspace),
    });
    await played.say("What does a.txt say?");
    const [first, second] = resultsOf(played);
    assert.equal(first?.outcome, "ok");
    assert.match(first.content, /alpha/);
    assert.equal(second?.outcome, "error");
    assert.match(second.content, /not a JSON object.*path/);
    await played.say("Sure?");
    const { server } = played;
    assert.deepEqual(
      server.chats().map(({ status }) => status),
      [200, 200, 200, 200],
    );
    const calls = server
      .chats()
      .flatMap(({ request }) => request.messages ?? [])
      .flatMap((message) => message.tool_calls ?? []);
    assert.ok(calls.length >= 5 && calls.every((call) => typeof call.function.arguments === "object"));
  });

  test("R01: whatever is read, the next request fits the window whole and leaves room to answer", async (context) => {
    const workspace = new MemoryWorkspace({
      files: {
        "one-line.js": "x=1;".repeat(150_000),
        "dense.txt": "日本語の文章🧵".repeat(30_000),
        "many.txt": "a line\n".repeat(40_000),
      },
    });
    const read = (path: string) => ({ name: "read_file", arguments: { path } });
    const names = ["one-line.js", "dense.txt", "many.txt"];
    const played = await startWireSession(context, {
      brain: scriptReplies([
        { toolCalls: [read("one-line.js")] },
        { toolCalls: names.map(read) },
        { content: "They are long." },
      ]),
      settings: { numCtx: 8192, automaticCompaction: false },
      tools: toolsOn(workspace),
    });
    await played.say("What is in them?");
    const [first, ...others] = resultsOf(played);
    assert.match(first?.content ?? "", /one line of 600,000 characters/);
    assert.equal(others.length, 3);
    for (const { status, promptTokens, windowTokens } of played.server.chats()) {
      assert.deepEqual([status, windowTokens], [200, promptTokens]);
      assert.ok(promptTokens <= 8192 - 512, `${promptTokens} tokens`);
    }
  });

  test("A05: an edit in a reply that hits the length limit is not run: the file is as it was, and the model is told", async (context) => {
    const workspace = new MemoryWorkspace({ files: { "a.txt": "alpha\n" } });
    const edit = { path: "a.txt", old_text: "alpha", new_text: "be" };
    const played = await startWireSession(context, {
      brain: scriptReplies([
        { toolCalls: [{ name: "edit_file", arguments: edit }], doneReason: "length" },
        { content: "I will do it in smaller steps." },
      ]),
      settings: { approvalMode: "allowEdits" },
      tools: toolsOn(workspace),
    });
    await played.say("Make it beta.");
    assert.equal(workspace.textOf("a.txt"), "alpha\n");
    assert.deepEqual(resultsOf(played), []);
    assert.match(played.server.chats()[1]?.request.messages?.at(-1)?.content ?? "", /smaller steps/);
  });

  for (const [times, asked, reason] of [
    [1, 2, "done"],
    [2, 3, "done"],
    [9, 4, "failed"],
  ] as const)
    test(`a tool call that Ollama cannot read ${times} times: tried once more, then asked for in smaller steps, then given up`, async (context) => {
      const { server, session, say } = await startWireSession(context);
      const error = 'error parsing tool call: raw=\'{"path": "a\', err=unexpected end of JSON input';
      server.playFault("/api/chat", { kind: "status", status: 500, body: { error } }, times);
      await say("Write the file.");
      const end = session.events.at(-1);
      assert.ok(end?.type === "turn_ended" && end.reason === reason, JSON.stringify(end));
      if (reason === "failed") assert.equal(end.failure?.kind, "tool_parse");
      assert.equal(server.chats().length, asked);
      const notes = server
        .chats()
        .at(-1)
        ?.request.messages?.filter(({ content }) => content?.includes("smaller step"));
      assert.equal(notes?.length, times > 1 ? 1 : 0);
    });

  test("A10: thinking before a lone closing tag is shown as thinking, and later requests hold only the answer", async (context) => {
    const { server, session, say } = await startWireSession(context, {
      brain: () => ({ deltas: [{ content: "first I look</th" }, { content: "ink>Answer" }] }),
    });
    await say("Well?");
    const shown = session.view.entries.find(({ kind }) => kind === "assistant");
    assert.ok(shown?.kind === "assistant");
    assert.deepEqual([shown.thinking, shown.text], ["first I look", "Answer"]);
    await say("Sure?");
    assert.deepEqual(server.chats()[1]?.request.messages?.slice(2, 3), [
      { role: "assistant", content: "Answer" },
    ]);
  });

  test("C01: a stored history of 12,000 tokens can be compacted in a window of 4,096, and the session goes on", async (context) => {
    const { server, session, say } = await startWireSession(context, {
      brain: ({ tools }) => ({
        content: tools.length === 0 ? "- they went through the steps" : "Step 54 is next.",
      }),
      events: storedTurns(54, 4096),
    });
    assert.deepEqual(await session.compactNow(), { ok: true });
    const chats = server.chats();
    assert.ok(chats.reduce((sum, { promptTokens }) => sum + promptTokens, 0) >= 12_000);
    assert.ok(chats.length >= 3);
    for (const { status, promptTokens, request } of chats) {
      assert.equal(status, 200);
      assert.ok(promptTokens < 4096 && request.options?.["num_ctx"] === 4096);
    }
    assert.ok((session.view.meter?.used.tokens ?? Infinity) < Math.floor((4096 * 8) / 10));
    const events = await say("What is next?");
    const end = events.at(-1);
    assert.ok(end?.type === "turn_ended" && end.reason === "done");
  });

  test("C08: the system prompt comes first and the tools are offered in the request after two compactions", async (context) => {
    const { server, session, say } = await startWireSession(context, {
      brain: ({ tools }) => ({
        content: tools.length === 0 ? "- what was said so far" : "it goes on. ".repeat(60),
      }),
      settings: { keepMessages: 1, numCtx: 8192 },
    });
    for (const n of [1, 2]) {
      await say(`Go on with ${n}.`);
      await say(`And more of ${n}.`);
      assert.deepEqual(await session.compactNow(), { ok: true });
    }
    await say("Are you there?");
    const asked = server.chats().filter(({ request }) => (request.tools ?? []).length > 0);
    const [first, last] = [asked[0]?.request, asked.at(-1)?.request];
    const prompt = (request: typeof first) => request?.messages?.[0]?.content?.replace(/Date: [\d-]+/, "");
    assert.equal(last?.messages?.[0]?.role, "system");
    assert.equal(prompt(last), prompt(first));
    assert.deepEqual(last.tools, first?.tools);
  });
});
