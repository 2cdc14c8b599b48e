import type { ChatModel, ChatOutcome, ChatReply, ChatRequest, ReplyDelta } from "../../src/core/ports";
import type { ToolCall } from "../../src/shared/events";

/** What a scripted model does for one request: a reply, a failure, or anything that looks at the request and the signal. */
export type Step =
  | Partial<ChatReply>
  | Extract<ChatOutcome, { type: "failed" }>
  | ((
      request: ChatRequest,
      onDelta: (delta: ReplyDelta) => void,
      signal: AbortSignal,
    ) => Promise<ChatOutcome>);

/** A model for tests of the core: plays its steps in order and keeps every request as it was sent. */
export class ScriptedModel implements ChatModel {
  readonly requests: ChatRequest[] = [];
  readonly #steps: Step[] = [];
  allocated: number | undefined = undefined;
  loaded: boolean | undefined = undefined;
  askedWhetherLoaded = 0;
  readonly preloads: { readonly model: string; readonly numCtx: number }[] = [];

  constructor(
    steps: readonly Step[] = [],
    private readonly countPrompt: (request: ChatRequest) => number = countCharacters,
  ) {
    this.#steps.push(...steps);
  }

  then(...steps: readonly Step[]): this {
    this.#steps.push(...steps);
    return this;
  }

  async chat(
    request: ChatRequest,
    onDelta: (delta: ReplyDelta) => void,
    signal: AbortSignal,
  ): Promise<ChatOutcome> {
    this.requests.push(structuredClone(request));
    const step = this.#steps.shift();
    if (step === undefined) throw new Error(`The script has no step for request ${this.requests.length}.`);
    if (signal.aborted) return { type: "stopped", partial: { text: "", thinking: "" } };
    if (typeof step === "function") return step(request, onDelta, signal);
    if ("type" in step) return step;
    const reply = replyOf(step, this.countPrompt(request));
    if (reply.thinking !== "") onDelta({ text: "", thinking: reply.thinking });
    if (reply.text !== "") onDelta({ text: reply.text, thinking: "" });
    return { type: "reply", reply };
  }

  allocatedNumCtx(): Promise<number | undefined> {
    return Promise.resolve(this.allocated);
  }

  preload(model: string, numCtx: number): Promise<boolean> {
    this.preloads.push({ model, numCtx });
    return Promise.resolve(true);
  }

  isLoaded(): Promise<boolean | undefined> {
    this.askedWhetherLoaded++;
    return Promise.resolve(this.loaded);
  }
}

/** A whole reply out of the parts that matter to a test. */
export function replyOf(step: Partial<ChatReply>, promptTokens: number): ChatReply {
  const text = step.text ?? "";
  return {
    text,
    thinking: "",
    toolCalls: [],
    usage: { promptTokens, replyTokens: Math.max(1, Math.ceil(text.length / 4)) },
    doneReason: "stop",
    ...step,
  };
}

/** A call as a model writes it. */
export function callOf(name: string, input: ToolCall["arguments"]): ToolCall {
  return { id: "call_0", name, arguments: input };
}

/** A stand-in for the server's count: a token for four characters of the request. */
export function countCharacters(request: ChatRequest): number {
  return Math.ceil((JSON.stringify(request.messages).length + JSON.stringify(request.tools).length) / 4);
}

/** A reply that never ends by itself: it resolves with what there was of it when it is stopped. */
export function untilStopped(signal: AbortSignal, partial = ""): Promise<ChatOutcome> {
  return new Promise((resolve) => {
    const end = () => resolve({ type: "stopped", partial: { text: partial, thinking: "" } });
    if (signal.aborted) end();
    else signal.addEventListener("abort", end, { once: true });
  });
}
