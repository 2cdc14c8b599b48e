import type { ChatModel, ChatOutcome, ChatReply, ChatRequest, ReplyDelta } from "../../src/core/ports";
import type { ContextMessage } from "../../src/core/window/messages";
import type { ToolCall } from "../../src/shared/events";
import { asksForSummary } from "../../test/support/asksForSummary";
import { pairingFault } from "../../test/support/conversations";
import { countTokens } from "../../test/support/scriptedServer";
import type { Needle, Turn } from "./conversation";
import type { Summariser } from "./summarisers";
import type { TokenCounter } from "./tokenCounter";

/** What was seen on the way to the model. */
export interface Seen {
  requests: number;
  tokensSent: number;
  overWindow: number;
  orphans: number;
  /** Requests without the newest message of the user, word for word. */
  withoutRequest: number;
  /** The least that a request left free of the window, in tokens. */
  worstMargin: number;
  /** The text of the newest request that was not a summary's. */
  lastRequest: string;
  /** The needles that were in a request at least once: a result can be cut before the model sees it. */
  shown: Set<string>;
}

/** Plays the model's part of a conversation, with the scripted server's token count and its refusal of what does not fit. */
export class HonestModel implements ChatModel {
  readonly seen: Seen = {
    requests: 0,
    tokensSent: 0,
    overWindow: 0,
    orphans: 0,
    withoutRequest: 0,
    worstMargin: Infinity,
    lastRequest: "",
    shown: new Set(),
  };
  readonly #searched = new WeakSet<ContextMessage>();
  #turn: Turn = { user: "", rounds: [], answer: "" };
  #round = 0;

  constructor(
    private readonly summarise: Summariser,
    private readonly needles: readonly Needle[],
    private readonly counter: TokenCounter,
  ) {}

  /** Begins the next turn; its results are taken with `results`. */
  begin(turn: Turn): void {
    this.#turn = turn;
    this.#round = 0;
  }

  result(round: number, call: number): string {
    return this.#turn.rounds[round]?.results[call] ?? "";
  }

  chat(
    request: ChatRequest,
    _onDelta: (delta: ReplyDelta) => void,
    signal: AbortSignal,
  ): Promise<ChatOutcome> {
    const partial = { text: "", thinking: "" };
    if (signal.aborted) return Promise.resolve({ type: "stopped", partial });
    const promptTokens = this.#look(request);
    if (promptTokens > request.numCtx - 1) {
      this.seen.overWindow++;
      const failure = { kind: "window_exceeded", message: `${promptTokens} tokens do not fit.` } as const;
      const overflow = { promptTokens, numCtx: request.numCtx };
      return Promise.resolve({ type: "failed", partial, failure, overflow });
    }
    const reply = asksForSummary(request) ? this.summarise(request) : this.#next();
    const replyTokens = countTokens(reply.text + JSON.stringify(reply.toolCalls));
    const room = Math.min(request.maxReplyTokens, request.numCtx - promptTokens);
    const usage = { promptTokens, replyTokens: Math.max(1, Math.min(replyTokens, room)) };
    const isCut = replyTokens > room;
    const text = isCut
      ? reply.text.slice(0, Math.floor((reply.text.length * room) / replyTokens))
      : reply.text;
    return Promise.resolve({
      type: "reply",
      reply: { ...reply, text, usage, doneReason: isCut ? "length" : reply.doneReason },
    });
  }

  allocatedNumCtx(): Promise<number | undefined> {
    return Promise.resolve(undefined);
  }

  preload(): Promise<boolean> {
    return Promise.resolve(true);
  }

  isLoaded(): Promise<boolean | undefined> {
    return Promise.resolve(undefined);
  }

  #look(request: ChatRequest): number {
    const { messages, tools, numCtx } = request;
    const { seen } = this;
    for (const message of messages) {
      if (this.#searched.has(message)) continue;
      this.#searched.add(message);
      for (const { value } of this.needles) if (message.content.includes(value)) seen.shown.add(value);
    }
    const count = this.counter.prompt(messages, tools);
    seen.requests++;
    seen.tokensSent += count;
    seen.worstMargin = Math.min(seen.worstMargin, numCtx - count);
    if (pairingFault(messages) !== undefined) seen.orphans++;
    if (!asksForSummary(request)) {
      if (!messages.some(({ role, content }) => role === "user" && content.includes(this.#turn.user))) {
        seen.withoutRequest++;
      }
      seen.lastRequest = messages.map(({ content }) => content).join("\n");
    }
    return count;
  }

  #next(): Omit<ChatReply, "usage"> {
    const round = this.#turn.rounds[this.#round];
    const index = this.#round++;
    const toolCalls = (round?.results ?? []).map((_, call): ToolCall => ({
      id: "",
      name: "read_file",
      arguments: { path: `r${index}c${call}.txt` },
    }));
    const text = round === undefined ? this.#turn.answer : round.text;
    return { text, thinking: "", toolCalls, doneReason: "stop" };
  }
}
