import type { ChatModel, ChatOutcome, ChatRequest, ReplyDelta, Wait } from "../../src/core/ports";
import { asksForSummary } from "../../test/support/asksForSummary";

/** A request with the counts that came of it. */
export interface SeenExchange {
  readonly isSummary: boolean;
  readonly promptTokens: number;
  readonly cachedTokens: number;
  readonly replyTokens: number;
  /** Milliseconds that the server says it read. */
  readonly promptMs: number;
}

/**
 * A real model whose replies are of a steady length: summaries end after so many tokens, answers after a few. What it says is
 * replaced by what a larger model would say; the time and the counts are the server's.
 */
export class SteadyModel implements ChatModel {
  readonly exchanges: SeenExchange[] = [];
  /** The path that the next answers read one after the other, as calls of read_file. */
  readonly toRead: string[] = [];

  constructor(
    private readonly model: ChatModel,
    private readonly summaryTokens: number,
  ) {}

  async chat(
    request: ChatRequest,
    onDelta: (delta: ReplyDelta) => void,
    signal: AbortSignal,
    onWait?: (wait: Wait) => void,
  ): Promise<ChatOutcome> {
    const isSummary = asksForSummary(request);
    const most = isSummary ? this.summaryTokens : ANSWER_TOKENS;
    const shorter = { ...request, maxReplyTokens: Math.min(request.maxReplyTokens, most) };
    const outcome = await this.model.chat(shorter, onDelta, signal, onWait);
    if (outcome.type !== "reply") return outcome;
    const { usage, timings } = outcome.reply;
    const { promptTokens = 0, cachedTokens = 0, replyTokens = 0 } = usage;
    this.exchanges.push({
      isSummary,
      promptTokens,
      cachedTokens,
      replyTokens,
      promptMs: timings?.promptMs ?? 0,
    });
    const path = isSummary ? undefined : this.toRead.shift();
    const toolCalls = path === undefined ? [] : [{ id: "", name: "read_file", arguments: { path } }];
    const text = isSummary ? NOTES : "Well.";
    return { type: "reply", reply: { ...outcome.reply, text, thinking: "", toolCalls, doneReason: "stop" } };
  }

  preload(...load: Parameters<ChatModel["preload"]>): Promise<boolean> {
    return this.model.preload(...load);
  }

  allocatedNumCtx(...question: Parameters<ChatModel["allocatedNumCtx"]>): Promise<number | undefined> {
    return this.model.allocatedNumCtx(...question);
  }

  isLoaded(...question: Parameters<ChatModel["isLoaded"]>): Promise<boolean | undefined> {
    return this.model.isLoaded(...question);
  }
}

const ANSWER_TOKENS = 8;

/** About 200 tokens. */
const NOTES = `- The user asked what each step does.\n${"- A step reads the next line and gives back what it found there, exact values kept.\n".repeat(9)}`;
