import assert from "node:assert/strict";
import { cp, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Session } from "../../src/core/session";
import { createTools } from "../../src/core/tools";
import type { ContextMessage } from "../../src/core/window/messages";
import { SUMMARY_SENTENCE } from "../../src/core/window/summaryMessage";
import { createShell } from "../../src/node/commands/shell";
import { createWorkspace } from "../../src/node/files/workspace";
import { startSession } from "../support/sessionFixture";
import {
  assertAllWithin,
  estimatorLine,
  MODEL,
  ReadingModel,
  serverUnderTest,
  workLine,
} from "./support/readingModel";

const PASSWORD = "periwinkle-7";
const NUM_CTX = 4096;

describe("the walkthrough on a real Ollama", { timeout: 600_000 }, () => {
  let folder = "";

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "loom-ollama-"));
    await cp(join("scripts", "sample"), folder, { recursive: true });
  });
  after(() => rm(folder, { recursive: true, force: true }));

  test("every request fits, compaction fires by itself, and the password is in the request after it", async (context) => {
    const model = new ReadingModel(serverUnderTest());
    await model.measureCall({ path: "src/basket.ts" }, NUM_CTX);
    const tools = createTools({
      workspace: createWorkspace(() => [{ name: "sample", path: folder }]),
      shell: createShell(() => folder),
      limits: { commandTimeLimitSeconds: 10 },
    });
    const { session, idle } = startSession(model, {
      tools,
      settings: { model: MODEL, numCtx: NUM_CTX, summaryRequest: "auto" },
    });
    session.send("m0", `The deploy password is ${PASSWORD}. Remember it.`);
    await idle();
    const files = (await readdir(join(folder, "src"))).map((name) => `src/${name}`);
    for (const [index, path] of [...files, ...files].entries()) {
      if (compactionOf(session) !== undefined) break;
      const calls = [{ path }];
      model.nextCall = () => calls.shift();
      session.send(`f${index}`, `Read ${path} and tell me what it is for.`);
      await idle();
    }
    session.send("last", "What is the deploy password?");
    await idle();
    const compaction = compactionOf(session);
    assert.equal(compaction?.trigger, "automatic", JSON.stringify(session.events.slice(-4)));
    assertAllWithin(model, session.events, NUM_CTX);
    assertCompacted(model.exchanges.at(-1)?.request.messages ?? []);
    const meter = assertMeterIsMeasured(session);
    assert.ok(meter < compaction.before.tokens / 2, `${compaction.before.tokens} before, ${meter} after`);
    context.diagnostic(
      `meter ${compaction.before.tokens} → ${meter}; ${workLine(model)}; ${estimatorLine(session.events)}`,
    );
  });
});

function compactionOf({ events }: Session) {
  return events.find((event) => event.type === "compacted");
}

/** The three parts of a compacted context, with the password and the newest message. */
function assertCompacted(messages: readonly ContextMessage[]): void {
  assert.equal(messages[0]?.role, "system");
  assert.equal(messages[1]?.role, "user");
  assert.ok(messages[1].content.startsWith(SUMMARY_SENTENCE));
  assert.ok(messages.some(({ content }) => content.includes(PASSWORD)));
  assert.equal(messages.at(-1)?.content, "What is the deploy password?");
}

/** What the meter shows is what the server counted for the newest reply; returns it. */
function assertMeterIsMeasured({ view, events }: Session): number {
  const measured = events.findLast((event) => event.type === "assistant_message");
  assert.ok(measured && view.meter);
  const { promptTokens = 0, replyTokens = 0 } = measured.usage;
  assert.deepEqual(view.meter.used, { tokens: promptTokens + replyTokens, estimated: false });
  assert.equal(view.meter.window, NUM_CTX);
  return view.meter.used.tokens;
}
