import assert from "node:assert/strict";
import type { ChatModel, ChatOutcome, ChatReply, ChatRequest, ReplyDelta } from "../../../src/core/ports";
import type { ContextMessage } from "../../../src/core/window/messages";
import { parseAddress } from "../../../src/ollama/address";
import { OllamaModel } from "../../../src/ollama/ollamaModel";
import type { JsonValue, LogEvent } from "../../../src/shared/events";
import { asksForSummary } from "../../support/asksForSummary";

/** The small model of the server under test that can be given tools. */
export const MODEL = "smollm2-tools";

/** A request that went to the real server with what came back. */
export interface Exchange {
  readonly request: ChatRequest;
  readonly outcome: ChatOutcome;
}

type ReadCall = Readonly<Record<string, JsonValue>>;

/** The server under test, as Loom talks to it. */
export function serverUnderTest(): OllamaModel {
  const address = parseAddress(process.env["LOOM_TEST_OLLAMA"] ?? "", "LOOM_TEST_OLLAMA");
  assert.ok(!("error" in address));
  return new OllamaModel({ address });
}

/**
 * The real model, whose replies are given what a larger model would have said: a call of read_file while `nextCall` has one, and
 * notes where a summary is asked for. The small one can do neither; what is shown is what the server counts and keeps.
 */
export class ReadingModel implements ChatModel {
  readonly exchanges: Exchange[] = [];
  nextCall: () => ReadCall | undefined = () => undefined;
  #callTokens = 0;

  constructor(private readonly model: ChatModel) {}

  /** Has the server count what a call like this adds to a reply, which has to be in the reply's own count. */
  async measureCall(call: ReadCall, numCtx: number): Promise<void> {
    const [without, withCall] = [await this.#count([], numCtx), await this.#count([call], numCtx)];
    this.#callTokens = withCall - without;
  }

  async chat(
    request: ChatRequest,
    onDelta: (delta: ReplyDelta) => void,
    signal: AbortSignal,
  ): Promise<ChatOutcome> {
    // Short replies: the model would fill its room with repetitions.
    const maxReplyTokens = Math.min(request.maxReplyTokens, SHORT_REPLY);
    const outcome = await this.model.chat({ ...request, maxReplyTokens }, onDelta, signal);
    this.exchanges.push({ request, outcome });
    if (outcome.type !== "reply") return outcome;
    return {
      type: "reply",
      reply:
        asksForSummary(request) || request.tools.length === 0
          ? asNotes(outcome.reply)
          : this.#asReading(outcome.reply),
    };
  }

  allocatedNumCtx(model: string, signal: AbortSignal): Promise<number | undefined> {
    return this.model.allocatedNumCtx(model, signal);
  }

  preload(model: string, numCtx: number, signal: AbortSignal): Promise<boolean> {
    return this.model.preload(model, numCtx, signal);
  }

  isLoaded(model: string, numCtx: number, signal: AbortSignal): Promise<boolean | undefined> {
    return this.model.isLoaded(model, numCtx, signal);
  }

  #asReading(reply: ChatReply): ChatReply {
    const call = this.nextCall();
    const text = reply.text.trim() === "" ? "Well." : reply.text;
    if (call === undefined) return { ...reply, text, toolCalls: [], doneReason: "stop" };
    const { replyTokens } = reply.usage;
    const usage =
      replyTokens === undefined
        ? reply.usage
        : { ...reply.usage, replyTokens: replyTokens + this.#callTokens };
    const toolCalls = [{ id: "", name: "read_file", arguments: call }];
    return { ...reply, text, toolCalls, usage, doneReason: "stop" };
  }

  async #count(calls: readonly ReadCall[], numCtx: number): Promise<number> {
    const toolCalls = calls.map((call) => ({ id: "c", name: "read_file", arguments: call }));
    const messages: ContextMessage[] = [
      { role: "user", source: "", content: "Read." },
      { role: "assistant", source: "", content: "Well.", thinking: "", toolCalls },
    ];
    const request = {
      model: MODEL,
      numCtx,
      messages,
      tools: [],
      maxReplyTokens: 1,
      thinking: "default" as const,
    };
    const outcome = await this.model.chat(request, () => undefined, new AbortController().signal);
    assert.ok(outcome.type === "reply", JSON.stringify(outcome));
    return outcome.reply.usage.promptTokens ?? 0;
  }
}

/** Tokens (num_predict) of every reply. */
const SHORT_REPLY = 8;

function asNotes(reply: ChatReply): ChatReply {
  const text = "- The user has files read one after the other and asks about them.";
  return { ...reply, text, toolCalls: [], doneReason: "stop" };
}

/** Every request was answered, with counts by the server that fit the window and do not say that it cut the prompt. */
export function assertAllWithin(
  { exchanges }: ReadingModel,
  events: readonly LogEvent[],
  numCtx: number,
): void {
  for (const { request, outcome } of exchanges) {
    assert.equal(request.numCtx, numCtx);
    assert.equal(outcome.type, "reply", JSON.stringify(outcome));
    if (outcome.type !== "reply") continue;
    const { promptTokens = 0, replyTokens = 0 } = outcome.reply.usage;
    assert.ok(promptTokens > 0 && promptTokens + replyTokens <= numCtx, `${promptTokens} + ${replyTokens}`);
  }
  const cut = events.filter((event) => event.type === "assistant_message" && event.isPromptCut === true);
  assert.deepEqual(cut, []);
}

/** One line on how much work it was: requests, and the tokens that the server read for them, cached ones left out. */
export function workLine({ exchanges }: ReadingModel): string {
  const read = exchanges.reduce((sum, { outcome }) => {
    if (outcome.type !== "reply") return sum;
    const { promptTokens = 0, cachedTokens = 0 } = outcome.reply.usage;
    return sum + promptTokens - cachedTokens;
  }, 0);
  return `${exchanges.length} requests, ${read} tokens read`;
}

/** One line on how well prompts were estimated: the median error, and the worst to either side, in percent of the count. */
export function estimatorLine(events: readonly LogEvent[]): string {
  const errors = events.flatMap((event) => {
    if (event.type !== "assistant_message" || event.usage.promptTokens === undefined) return [];
    return [(100 * (event.estimatedPromptTokens - event.usage.promptTokens)) / event.usage.promptTokens];
  });
  const median = (values: readonly number[]) =>
    values.map(Math.abs).sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
  const percent = (value: number) => `${value.toFixed(1)} %`;
  return [
    `${errors.length} prompts estimated`,
    `median error ${percent(median(errors))}, after ten replies ${percent(median(errors.slice(10)))}`,
    `at most ${percent(Math.max(...errors))} too high and ${percent(Math.max(0, -Math.min(...errors)))} too low`,
  ].join("; ");
}
