import type { ChatReply, ReplyDelta } from "../../core/ports";
import type { Timings, Usage } from "../../shared/events";
import { countOf, objectOf, textOf, type JsonObject } from "../wire/json";
import { callsInText } from "./callsInText";
import { ThinkSplitter } from "./thinkSplitter";
import { CallCollector } from "./toolCalls";

/** How one reply is to be read. */
export interface DecoderOptions {
  /** The names of the offered tools. */
  readonly toolNames: ReadonlySet<string>;
  readonly onDelta: (delta: ReplyDelta) => void;
  /** The server's prompt count leaves out cached tokens and so says nothing. */
  readonly ignoresPromptCount: boolean;
}

/** Puts one reply together from the chunks of a stream. The work for a chunk does not grow with the reply. */
export class ReplyDecoder {
  readonly #splitter = new ThinkSplitter();
  readonly #calls = new CallCollector();
  readonly #options: DecoderOptions;
  #last: JsonObject = {};

  constructor(options: DecoderOptions) {
    this.#options = options;
  }

  /** True once a chunk has said why the reply ended; some servers (MLX models) leave out `done` in that chunk. */
  get isComplete(): boolean {
    return this.#last["done"] === true || textOf(this.#last["done_reason"]) !== undefined;
  }

  push(chunk: unknown): void {
    const fields = objectOf(chunk);
    const message = objectOf(fields["message"]);
    this.#last = fields;
    this.#calls.push(message["tool_calls"]);
    const thinking = textOf(message["thinking"]);
    if (thinking !== undefined) this.#tell(this.#splitter.pushThinking(thinking));
    const content = textOf(message["content"]);
    if (content !== undefined) this.#tell(this.#splitter.push(content));
  }

  /** What has come so far, for a reply that will not be complete: no calls. */
  partial(): ReplyDelta {
    this.#tell(this.#splitter.end());
    return { text: this.#splitter.text, thinking: this.#splitter.thinking };
  }

  /** The whole reply; to be called once it is complete. */
  reply(): ChatReply {
    const { text, thinking } = this.partial();
    const doneReason = this.#last["done_reason"] === "length" ? "length" : "stop";
    const isText =
      this.#calls.calls.length === 0 && doneReason === "stop" && this.#options.toolNames.size > 0;
    const recovered = isText ? callsInText(text, this.#options.toolNames) : undefined;
    const timings = timingsOf(this.#last);
    return {
      text: recovered?.text ?? text,
      thinking,
      toolCalls: recovered?.calls ?? this.#calls.calls,
      usage: usageOf(this.#last, this.#options.ignoresPromptCount),
      ...(timings === undefined ? {} : { timings }),
      doneReason,
    };
  }

  #tell(delta: ReplyDelta): void {
    if (delta.text !== "" || delta.thinking !== "") this.#options.onDelta(delta);
  }
}

function usageOf(last: JsonObject, ignoresPromptCount: boolean): Usage {
  const promptTokens = ignoresPromptCount ? undefined : countOf(last["prompt_eval_count"]);
  const cached = last["prompt_eval_cached_count"];
  // Zero is said here: nothing was cached.
  const cachedTokens = cached === 0 ? 0 : countOf(cached);
  const replyTokens = countOf(last["eval_count"]);
  return {
    ...(promptTokens === undefined ? {} : { promptTokens }),
    ...(cachedTokens === undefined ? {} : { cachedTokens }),
    ...(replyTokens === undefined ? {} : { replyTokens }),
  };
}

const NANOSECONDS_PER_MILLISECOND = 1e6;

function timingsOf(last: JsonObject): Timings | undefined {
  const [load, prompt, reply] = ["load_duration", "prompt_eval_duration", "eval_duration"].map((name) =>
    countOf(last[name]),
  );
  if (prompt === undefined && reply === undefined) return undefined;
  const milliseconds = (nanoseconds: number | undefined): number =>
    (nanoseconds ?? 0) / NANOSECONDS_PER_MILLISECOND;
  return { loadMs: milliseconds(load), promptMs: milliseconds(prompt), replyMs: milliseconds(reply) };
}
