import type {
  ChatModel,
  ChatOutcome,
  ChatReply,
  ChatRequest,
  RequestBody,
  ReplyDelta,
  Wait,
} from "../core/ports";
import type { Failure } from "../shared/events";
import type { FailureContext } from "./failures/advice";
import { diagnose, noTools, refusedCloud } from "./failures/failures";
import { Catalog, type ModelFacts } from "./models/capabilities";
import { Loader } from "./models/loader";
import { canonicalName } from "./models/modelName";
import type { ChatPreferences } from "./preferences";
import { toWireMessage, toWireTool } from "./reply/messages";
import { ReplyDecoder } from "./reply/stream";
import { requestFields, type RequestFields } from "./requestOptions";
import { Connection, isEndOfStream, type ConnectionOptions } from "./wire/connection";
import { RequestQueue } from "./wire/requestQueue";
import { Silence, SilenceWatch } from "./wire/silence";

export interface OllamaModelOptions extends ConnectionOptions {
  readonly preferences?: (() => ChatPreferences) | undefined;
  /** The machine that Loom runs on when it is not the person's own, in words. */
  readonly machine?: string | undefined;
}

/** Who is told of what while a chat runs, and what ends it. */
interface Ears {
  readonly onDelta: (delta: ReplyDelta) => void;
  readonly onWait: (wait: Wait) => void;
  /** Told of everything that comes. */
  readonly onHeard: () => void;
  readonly signal: AbortSignal;
}

type Send = (facts: ModelFacts) => Promise<ChatOutcome>;

/** The models of one Ollama server. Requests to one model never overlap: they would only wait in the server, where nobody sees why. */
export class OllamaModel implements ChatModel {
  readonly #options: OllamaModelOptions;
  readonly #connection: Connection;
  readonly #catalog: Catalog;
  readonly #queue = new RequestQueue();
  readonly #loader: Loader;
  /** Models that refused to think although they say that they can. */
  readonly #cannotThink = new Set<string>();

  /** `catalog` is what others of the same server know of it, too. */
  constructor(options: OllamaModelOptions, catalog?: Catalog) {
    this.#options = options;
    this.#connection = new Connection(options);
    this.#catalog = catalog ?? new Catalog(this.#connection);
    this.#loader = new Loader(this.#connection);
  }

  async chat(
    request: ChatRequest,
    onDelta: (delta: ReplyDelta) => void,
    signal: AbortSignal,
    onWait: (wait: Wait) => void = () => undefined,
  ): Promise<ChatOutcome> {
    const watch = new SilenceWatch(this.#preferences.silenceMinutes ?? 0, signal);
    const ears = { onDelta, onWait, onHeard: () => watch.heard(), signal: watch.signal };
    try {
      return await this.#inTurn(request, ears);
    } catch (error) {
      return this.#end(error, request, { partial: NOTHING, signal: watch.signal });
    } finally {
      watch.end();
    }
  }

  async preload(model: string, numCtx: number, signal: AbortSignal): Promise<boolean> {
    try {
      return await this.#queue.run({ key: canonicalName(model), kind: "preload" }, signal, async () => {
        const facts = await this.#catalog.facts(model, signal);
        // There is nothing to load here, and nobody has agreed yet to tell that server anything.
        if (facts.isCloud) return false;
        const fields = await this.#fields(
          { numCtx, maxReplyTokens: 1, thinking: "default", model },
          facts,
          signal,
        );
        await this.#loader.load({ model, numCtx, fields }, signal);
        return true;
      });
    } catch {
      return false; // It is in the log, and the chat that follows tells the person.
    }
  }

  async requestBody(request: ChatRequest, signal: AbortSignal): Promise<RequestBody> {
    try {
      const facts = await this.#catalog.facts(request.model, signal);
      return { body: (await this.#wireOf(request, facts, signal)).wire };
    } catch (error) {
      return diagnose(error, this.#failureContext(request));
    }
  }

  async allocatedNumCtx(model: string, signal: AbortSignal): Promise<number | undefined> {
    return (await this.#loader.loaded(signal))?.get(canonicalName(model))?.numCtx;
  }

  isLoaded(model: string, numCtx: number, signal: AbortSignal): Promise<boolean | undefined> {
    return this.#loader.isLoaded(model, numCtx, signal);
  }

  get #preferences(): ChatPreferences {
    return this.#options.preferences?.() ?? {};
  }

  async #inTurn(request: ChatRequest, ears: Ears): Promise<ChatOutcome> {
    const { signal, onWait, onHeard } = ears;
    const onQueue = (before: "chat" | "preload") =>
      onWait(before === "preload" ? { for: "loading" } : { for: "turn" });
    const place = { key: canonicalName(request.model), kind: "chat" as const, onWait: onQueue };
    return this.#queue.run(place, signal, async () => {
      onHeard();
      const facts = await this.#catalog.facts(request.model, signal);
      const refusal = this.#refusalOf(request, facts);
      if (refusal !== undefined) return { type: "failed", partial: NOTHING, failure: refusal };
      if (!facts.isCloud) {
        const { model, numCtx } = request;
        const fields = await this.#fields(request, facts, signal);
        await this.#loader.prepare({ model, numCtx, fields }, signal, onWait);
      }
      onHeard();
      onWait({ for: "reading" });
      return await this.#withOneRetry(request, facts, (known) => this.#send(request, known, ears));
    });
  }

  #refusalOf({ model, tools }: ChatRequest, facts: ModelFacts): Failure | undefined {
    if (tools.length > 0 && facts.canCallTools === false) return noTools(model);
    const mayLeave = this.#preferences.mayLeaveMachine?.(model) ?? true;
    return facts.isCloud && !mayLeave ? refusedCloud(model) : undefined;
  }

  /** The fields of a request that decide what the model is loaded with, and whether it thinks. */
  async #fields(
    request: Pick<ChatRequest, "model" | "numCtx" | "maxReplyTokens" | "thinking">,
    facts: ModelFacts,
    signal: AbortSignal,
  ): Promise<RequestFields> {
    const quirks = await this.#catalog.quirks(signal);
    const thinking = this.#cannotThink.has(request.model) ? "none" : facts.thinking;
    return requestFields(request, { quirks, thinking, effort: this.#preferences.thinking ?? "on" });
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
    { onDelta, onHeard, signal }: Ears,
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
        await readToEnd(chunks, decoder, onHeard);
        return decoder.reply();
      });
      this.#loader.noteUse(request.model, request.numCtx);
      return { type: "reply", reply };
    } catch (error) {
      return this.#end(error, request, { partial: decoder.partial(), signal });
    }
  }

  async #wireOf(request: ChatRequest, facts: ModelFacts, signal: AbortSignal) {
    const quirks = await this.#catalog.quirks(signal);
    // What grows stands last but for the options, so that a request begins with the bytes of the one before it.
    const { options, ...fields } = await this.#fields(request, facts, signal);
    const wire = {
      model: request.model,
      stream: true as const,
      ...fields,
      ...(request.tools.length === 0 ? {} : { tools: request.tools.map(toWireTool) }),
      // What another model thought before this one took over is nothing to a model that does not think.
      messages: request.messages.map((message) => toWireMessage(message, fields.think !== undefined)),
      options,
    };
    return { wire, quirks };
  }

  #end(
    error: unknown,
    request: ChatRequest,
    { partial, signal }: { partial: ReplyDelta; signal: AbortSignal },
  ): ChatOutcome {
    const reason: unknown = signal.aborted ? signal.reason : error;
    if (signal.aborted && !(reason instanceof Silence)) return { type: "stopped", partial };
    const diagnosis = diagnose(reason, this.#failureContext(request));
    // The server may be started anew in another version, and a model be replaced.
    if (/^(not_running|model_missing|no_tools)$/.test(diagnosis.failure.kind)) this.#catalog.forget();
    return { type: "failed", partial, ...diagnosis };
  }

  #failureContext({ model, numCtx }: ChatRequest): FailureContext {
    const { machine } = this.#options;
    return { address: this.#connection.address, model, numCtx, platform: process.platform, machine };
  }
}

const NOTHING: ReplyDelta = { text: "", thinking: "" };

async function readToEnd(
  chunks: AsyncIterable<unknown>,
  decoder: ReplyDecoder,
  onHeard: () => void,
): Promise<void> {
  try {
    for await (const chunk of chunks) {
      onHeard();
      decoder.push(chunk);
    }
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
