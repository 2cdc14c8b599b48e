import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createTools } from "../../../src/core/tools";
import { MemoryWorkspace } from "../../support/memoryWorkspace";
import { createGate, type Reply, type SeenChat } from "../../support/scriptedServer";
import { FakeShell } from "../../support/toolCalls";
import { startWireSession } from "../../support/wireSession";

const files = Object.fromEntries(
  Array.from({ length: 20 }, (_, n) => [
    `src/part${n}.ts`,
    `export const part${n} = "${n} 👩‍👩‍👧‍👦 部分";\n`.repeat(1 + (n % 4)),
  ]),
);

/** A request without its options, as it went over the wire: these bytes come before them. */
function beforeOptions({ body }: SeenChat): string {
  assert.ok(typeof body === "object" && body !== null);
  assert.equal(Object.keys(body).at(-1), "options", "options come last");
  return JSON.stringify({ ...body, options: undefined });
}

function steadyOptions({ request }: SeenChat): string {
  assert.equal(Object.keys(request.options ?? {}).at(-1), "num_predict");
  // A sampling option: it does not reach the prompt and reloads nothing.
  return JSON.stringify({ ...request.options, num_predict: undefined });
}

describe("the prompt cache", () => {
  test("finds every request of a session of 40 rounds to begin with the bytes of the one before", async (context) => {
    const gate = createGate();
    const interrupted: Reply = {
      thinking: "This will be long.",
      content: "First of all, ".repeat(40),
      before: (piece) => (piece === 6 ? gate.opened : undefined),
    };
    const { server, say, session } = await startWireSession(context, {
      models: [{ name: "scripted", capabilities: ["completion", "tools", "thinking"] }],
      brain: ({ index }) => {
        if (index === 19) return interrupted;
        if (index === 18 || index === 22 || index === 40)
          return { thinking: "Enough.", content: "That is it." };
        if (index === 20) {
          const edit = { path: "src/part1.ts", old_text: "part1", new_text: "partOne", replace_all: true };
          return { thinking: "I change it.", toolCalls: [{ name: "edit_file", arguments: edit }] };
        }
        const read = (n: number) => ({ name: "read_file", arguments: { path: `src/part${n % 20}.ts` } });
        const list = { name: "list_files", arguments: { path: "src" } };
        return {
          thinking: `Step ${index}: what is in there?`,
          content: index % 3 === 0 ? "I look further." : "",
          toolCalls: index % 5 === 0 ? [read(index), read(index + 1), list] : [read(index)],
        };
      },
      settings: { numCtx: 32_768, roundLimit: 50 },
      tools: createTools({
        workspace: new MemoryWorkspace({ files }),
        shell: new FakeShell(),
        limits: { commandTimeLimitSeconds: 20 },
      }),
    });
    const stopListening = session.onEvent((event) => {
      if (event.type === "reply_delta" && event.text !== "" && server.chats().length === 20) session.stop();
      if (event.type === "approval_asked")
        session.decide(event.callId, { answer: "deny", reason: "Not now." });
    });
    await say("Read all of it.");
    await say("Now tell me everything.");
    gate.open();
    await say("Rename part1.");
    await say("Read it once more.");
    stopListening();

    const chats = server.chats();
    assert.equal(chats.length, 41);
    const { events } = session;
    assert.ok(
      events.some(
        (event) => event.type === "assistant_message" && event.end === "stopped" && event.text !== "",
      ),
    );
    assert.ok(events.some((event) => event.type === "tool_result" && event.outcome === "denied"));
    assert.ok(!events.some(({ type }) => type === "compacted"));
    for (const [index, chat] of chats.entries()) {
      const before = chats[index - 1];
      if (before === undefined) continue;
      const beginning = beforeOptions(before).slice(0, -"]}".length);
      assert.ok(beforeOptions(chat).startsWith(beginning), `request ${index} changes what came before`);
      assert.equal(steadyOptions(chat), steadyOptions(before));
    }
    assert.equal(server.reloads, 0);
    // Within a turn the server re-reads nothing of the prompt before; a new message takes old thinking out of it.
    const inTurn = chats.filter((chat, index) => index > 0 && chat.request.messages?.at(-1)?.role === "tool");
    assert.ok(inTurn.length > 30);
    for (const chat of inTurn) {
      assert.ok(
        chat.cachedTokens >= (chats[chat.index - 1]?.windowTokens ?? Infinity),
        `request ${chat.index}`,
      );
    }
  });
});
