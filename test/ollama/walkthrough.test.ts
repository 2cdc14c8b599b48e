import assert from "node:assert/strict";
import { cp, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { ChatModel, ChatOutcome, ChatRequest, ReplyDelta } from "../../src/core/ports";
import { SUMMARY_SENTENCE } from "../../src/core/summaryMessage";
import { createTools } from "../../src/core/tools";
import { createShell } from "../../src/node/shell";
import { createWorkspace } from "../../src/node/workspace";
import { parseAddress } from "../../src/ollama/address";
import { OllamaModel } from "../../src/ollama/ollamaModel";
import type { LogEvent } from "../../src/shared/events";
import { startSession } from "../support/sessionFixture";

const MODEL = "smollm2-tools";
const PASSWORD = "periwinkle-7";

/** A request that went to the real server with what came back. */
interface Exchange {
  readonly request: ChatRequest;
  readonly outcome: ChatOutcome;
}

/**
 * The real model, whose first reply to each message is given the call that a larger model would have made: the small one cannot
 * call tools sensibly, and what is shown here is what the server counts and keeps.
 */
class ModelThatReads implements ChatModel {
  readonly exchanges: Exchange[] = [];
  nextFile: string | undefined;

  constructor(private readonly model: ChatModel) {}

  async chat(
    request: ChatRequest,
    onDelta: (delta: ReplyDelta) => void,
    signal: AbortSignal,
  ): Promise<ChatOutcome> {
    // Short replies: the model would fill its room with repetitions.
    const short = { ...request, maxReplyTokens: Math.min(request.maxReplyTokens, 24) };
    const outcome = await this.model.chat(request.tools.length === 0 ? request : short, onDelta, signal);
    this.exchanges.push({ request, outcome });
    const path = this.nextFile;
    if (outcome.type !== "reply" || request.tools.length === 0) return outcome;
    this.nextFile = undefined;
    const toolCalls = path === undefined ? [] : [{ id: "", name: "read_file", arguments: { path } }];
    const text = outcome.reply.text.trim() === "" ? "Well." : outcome.reply.text;
    return { type: "reply", reply: { ...outcome.reply, text, toolCalls, doneReason: "stop" } };
  }

  allocatedNumCtx(model: string, signal: AbortSignal): Promise<number | undefined> {
    return this.model.allocatedNumCtx(model, signal);
  }
}

describe("the walkthrough on a real Ollama", { timeout: 280_000 }, () => {
  let folder = "";
  let address: ReturnType<typeof parseAddress>;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "loom-ollama-"));
    await cp(join("scripts", "sample"), folder, { recursive: true });
    address = parseAddress(process.env["LOOM_TEST_OLLAMA"] ?? "", "LOOM_TEST_OLLAMA");
  });
  after(() => rm(folder, { recursive: true, force: true }));

  for (const numCtx of [4096, 2048]) {
    test(`at num_ctx ${numCtx} every request fits, compaction fires, and the password is in the request after it`, async () => {
      assert.ok(!("error" in address));
      const model = new ModelThatReads(new OllamaModel({ address }));
      const tools = createTools({
        workspace: createWorkspace(() => [{ name: "sample", path: folder }]),
        shell: createShell(() => folder),
        limits: { commandTimeLimitSeconds: 10 },
      });
      const { session, idle } = startSession(model, { tools, settings: { model: MODEL, numCtx } });
      session.send("m0", `The deploy password is ${PASSWORD}. Remember it.`);
      await idle();
      const files = (await readdir(join(folder, "src"))).map((name) => `src/${name}`);
      for (const [index, file] of [...files, ...files].entries()) {
        if (session.events.some(({ type }) => type === "compacted")) break;
        model.nextFile = file;
        session.send(`f${index}`, `Read ${file} and tell me what it is for.`);
        await idle();
      }
      session.send("last", "What is the deploy password?");
      await idle();
      const compaction = session.events.find((event) => event.type === "compacted");
      assert.ok(compaction, JSON.stringify(session.events.slice(-4)));
      for (const { request, outcome } of model.exchanges) {
        assert.equal(request.numCtx, numCtx);
        assert.equal(outcome.type, "reply", JSON.stringify(outcome));
        if (outcome.type !== "reply") continue;
        const { promptTokens = 0, replyTokens = 0 } = outcome.reply.usage;
        assert.ok(
          promptTokens > 0 && promptTokens + replyTokens <= numCtx,
          `${promptTokens} + ${replyTokens}`,
        );
      }
      const last = model.exchanges.at(-1)?.request.messages ?? [];
      assert.equal(last[0]?.role, "system");
      assert.ok(last[1]?.content.startsWith(SUMMARY_SENTENCE));
      assert.ok(last.some(({ content }) => content.includes(PASSWORD)));
      assert.equal(last.at(-1)?.content, "What is the deploy password?");
      const { meter } = session.view;
      const measured = session.events.findLast((event) => event.type === "assistant_message");
      assert.equal(meter?.window, numCtx);
      if (measured?.type === "assistant_message" && !meter.used.estimated) {
        const { promptTokens = 0, replyTokens = 0 } = measured.usage;
        assert.equal(meter.used.tokens, promptTokens + replyTokens);
      }
      report(model, session.events);
    });
  }
});

function report(model: ModelThatReads, events: readonly LogEvent[]): void {
  const estimates = events.flatMap((event) =>
    event.type === "assistant_message"
      ? [`${event.estimatedPromptTokens}/${event.usage.promptTokens ?? "?"}`]
      : [],
  );
  console.log(`${model.exchanges.length} requests; prompts estimated/counted: ${estimates.join(" ")}`);
}
