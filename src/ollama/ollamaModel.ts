import type { ChatModel, ChatOutcome, ChatReply, ChatRequest, ReplyDelta } from "../core/ports";
import type { FailureContext } from "./advice";
import { Catalog, type ModelFacts } from "./capabilities";
import { Connection, isEndOfStream, type ConnectionOptions } from "./connection";
import { diagnose, noTools } from "./failures";
import { askLoadedModels, type LoadedModels } from "./loadedModels";
import { toWireMessage, toWireTool } from "./messages";
import { canonicalName } from "./modelName";
import { requestFields, type ThinkingEffort } from "./requestOptions";
import { RequestQueue } from "./requestQueue";
import { ReplyDecoder } from "./stream";

export interface OllamaModelOptions extends ConnectionOptions {
  /** `on` by default. */
  readonly thinking?: ThinkingEffort | undefined;
  /** The machine that Loom runs on when it is not the person's own, in words. */
  readonly machine?: string | undefined;
}

type Send = (facts: ModelFacts) => Promise<ChatOutcome>;

/** The models of one Ollama server. Requests to one model never overlap: they would only wait in the server, where nobody sees why. */
export class OllamaModel implements ChatModel {
  readonly #options: OllamaModelOptions;
  readonly #connection: Connection;
  readonly #catalog: Catalog;
  readonly #queue = new RequestQueue();
  /** Models that refused to think although they say that they can. */
  readonly #cannotThink = new Set<string>();

  constructor(options: OllamaModelOptions) {
    this.#options = options;
    this.#connection = new Connection(options);
    this.#catalog = new Catalog(this.#connection);
  }

  async chat(
    request: ChatRequest,
    onDelta: (delta: ReplyDelta) => void,
    signal: AbortSignal,
  ): Promise<ChatOutcome> {
    try {
      return await this.#queue.run(canonicalName(request.model), signal, async () => {
        const facts = await this.#catalog.facts(request.model, signal);
        if (request.tools.length > 0 && facts.canCallTools === false)
          return { type: "failed", partial: NOTHING, failure: noTools(request.model) };
        return await this.#withOneRetry(request, facts, (known) =>
          this.#send(request, known, { onDelta, signal }),
        );
      });
    } catch (error) {
      return this.#end(error, request, { partial: NOTHING, signal });
    }
  }

  async requestBody(request: ChatRequest, signal: AbortSignal): Promise<unknown> {
    const facts = await this.#catalog.facts(request.model, signal);
    return (await this.#wireOf(request, facts, signal)).wire;
  }

  async allocatedNumCtx(model: string, signal: AbortSignal): Promise<number | undefined> {
    const loaded = await this.#loadedModels(signal);
    return loaded?.get(canonicalName(model))?.numCtx;
  }

  async isLoaded(model: string, numCtx: number, signal: AbortSignal): Promise<boolean | undefined> {
    const loaded = await this.#loadedModels(signal);
    if (loaded === undefined) return undefined;
    const found = loaded.get(canonicalName(model));
    return found !== undefined && (found.numCtx ?? numCtx) === numCtx;
  }

  /** What is in the server's memory; undefined when it does not say. The request is in the log then. */
  async #loadedModels(signal: AbortSignal): Promise<LoadedModels | undefined> {
    try {
      return await askLoadedModels(this.#connection, signal);
    } catch {
      return undefined;
    }
  }

  /** A refusal to think and a call that the server could not parse are worth one more try, as long as nothing was shown. */
  async #withOneRetry(request: ChatRequest, facts: ModelFacts, send: Send): Promise<ChatOutcome> {
    const outcome = await send(facts);
    if (outcome.type !== "failed" || outcome.partial.text !== "" || outcome.partial.thinking !== "")
      return outcome;
    switch (outcome.failure.kind) {
      case "no_thinking":
        if (this.#cannotThink.has(request.model)) return outcome;
        this.#cannotThink.add(request.model);
        return send(facts);
      case "tool_parse":
        return send(facts);
      default:
        return outcome;
    }
  }

  async #send(
    request: ChatRequest,
    facts: ModelFacts,
    { onDelta, signal }: { onDelta: (delta: ReplyDelta) => void; signal: AbortSignal },
  ): Promise<ChatOutcome> {
    const { wire, quirks } = await this.#wireOf(request, facts, signal);
    const decoder = new ReplyDecoder({
      toolNames: new Set(request.tools.map(({ name }) => name)),
      onDelta,
      ignoresPromptCount: quirks.countsOnlyUncached,
    });
    const call = { name: describeRequest(request), isStream: true, describe: describeReply };
    try {
      const reply = await this.#connection.exchange(call, signal, async (client) => {
        const chunks = await client.chat(wire);
        await readToEnd(chunks, decoder);
        return decoder.reply();
      });
      return { type: "reply", reply };
    } catch (error) {
      return this.#end(error, request, { partial: decoder.partial(), signal });
    }
  }

  async #wireOf(request: ChatRequest, facts: ModelFacts, signal: AbortSignal) {
    const quirks = await this.#catalog.quirks(signal);
    const thinking = this.#cannotThink.has(request.model) ? "none" : facts.thinking;
    const effort = this.#options.thinking ?? "on";
    // What grows stands last but for the options, so that a request begins with the bytes of the one before it.
    const { options, ...fields } = requestFields(request, { quirks, thinking, effort });
    const wire = {
      model: request.model,
      stream: true as const,
      ...fields,
      ...(request.tools.length === 0 ? {} : { tools: request.tools.map(toWireTool) }),
      messages: request.messages.map(toWireMessage),
      options,
    };
    return { wire, quirks };
  }

  #end(
    error: unknown,
    request: ChatRequest,
    { partial, signal }: { partial: ReplyDelta; signal: AbortSignal },
  ): ChatOutcome {
    if (signal.aborted) return { type: "stopped", partial };
    const context: FailureContext = {
      address: this.#connection.address,
      model: request.model,
      numCtx: request.numCtx,
      platform: process.platform,
      machine: this.#options.machine,
    };
    const diagnosis = diagnose(error, context);
    // The server may be started anew in another version, and a model be replaced.
    if (/^(not_running|model_missing|no_tools)$/.test(diagnosis.failure.kind)) this.#catalog.forget();
    return { type: "failed", partial, ...diagnosis };
  }
}

const NOTHING: ReplyDelta = { text: "", thinking: "" };

async function readToEnd(chunks: AsyncIterable<unknown>, decoder: ReplyDecoder): Promise<void> {
  try {
    for await (const chunk of chunks) decoder.push(chunk);
  } catch (error) {
    if (!isEndOfStream(error) || !decoder.isComplete) throw error;
  }
}

function describeRequest({ model, numCtx, messages, tools }: ChatRequest): string {
  return `POST /api/chat ${model}, num_ctx ${numCtx}, ${messages.length} messages, ${tools.length} tools`;
}

function describeReply({ usage, doneReason, toolCalls, timings }: ChatReply): string {
  const cached = usage.cachedTokens === undefined ? "" : ` (${usage.cachedTokens} cached)`;
  const load = timings === undefined ? "" : `, loaded in ${Math.round(timings.loadMs)} ms`;
  return `${usage.promptTokens ?? "?"}${cached} + ${usage.replyTokens ?? "?"} tokens, ${toolCalls.length} calls, ${doneReason}${load}`;
}
