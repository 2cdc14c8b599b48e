import { answerOf, type Connection } from "../wire/connection";
import { countOf, listOf, objectOf, textOf, type JsonObject } from "../wire/json";
import { StatusError } from "../wire/wireErrors";
import { cacheBytesPerToken } from "./memory";
import { canonicalName } from "./modelName";
import { quirksOf, type VersionQuirks } from "./serverVersion";

/** Whether a model thinks: not at all, on or off, or (gpt-oss) always, at a level. */
export type ThinkingSupport = "none" | "switch" | "levels";

/** What the server knows of a model. */
export interface ModelFacts {
  /** Undefined when the server does not say (before 0.6.4). */
  readonly canCallTools: boolean | undefined;
  readonly thinking: ThinkingSupport;
  readonly canSee: boolean;
  /** What one token of num_ctx costs in memory, in bytes; undefined where the server does not say enough. */
  readonly cacheBytesPerToken: number | undefined;
  /** The context length that the model was trained for, in tokens: the most that num_ctx can be. */
  readonly trainedContext: number | undefined;
  /** num_ctx of the Modelfile, in tokens. */
  readonly modelfileNumCtx: number | undefined;
  readonly family: string | undefined;
  /** As Ollama writes it, e.g. "7.6B". */
  readonly parameterSize: string | undefined;
  /** E.g. "Q4_K_M". */
  readonly quantization: string | undefined;
  /** Ollama passes requests on to a server elsewhere: what is sent leaves the machine. */
  readonly isCloud: boolean;
}

const UNKNOWN: ModelFacts = readFacts("", {});

/** What is asked once and then known: the facts of each model and the server's version. Of a model only answers are kept, never failures. */
export class Catalog {
  readonly #connection: Connection;
  readonly #facts = new Map<string, ModelFacts>();
  #quirks: VersionQuirks | undefined;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Asks POST /api/show; rejects when there is no such model or no server. */
  async facts(model: string, signal: AbortSignal): Promise<ModelFacts> {
    const known = this.#facts.get(canonicalName(model));
    if (known) return known;
    try {
      const call = { name: `POST /api/show ${model}`, isStream: false };
      const answer = await this.#connection.exchange(call, signal, (client) => client.show({ model }));
      const facts = readFacts(model, answerOf(answer));
      // One that cannot call tools is asked for again: it may be replaced by one of the same name that can.
      if (facts.canCallTools !== false) this.#facts.set(canonicalName(model), facts);
      return facts;
    } catch (error) {
      // A server that cannot show a model may still run it; whatever is wrong then shows in the chat request.
      if (error instanceof StatusError && error.status >= 500) return UNKNOWN;
      throw error;
    }
  }

  /** Asks GET /api/version; a server that does not say it counts as a new one. */
  async quirks(signal: AbortSignal): Promise<VersionQuirks> {
    if (this.#quirks) return this.#quirks;
    let answer: unknown;
    try {
      const call = { name: "GET /api/version", isStream: false };
      answer = await this.#connection.exchange(call, signal, (client) => client.version());
    } catch (error) {
      // A refusal is kept too: the options that follow from it must stay the same, or the model is loaded anew.
      if (!(error instanceof StatusError)) throw error;
    }
    this.#quirks = quirksOf(textOf(objectOf(answer)["version"]));
    return this.#quirks;
  }

  /** To be called when a model may have been replaced by another one of its name. */
  forgetModels(): void {
    this.#facts.clear();
  }

  /** To be called when the server may have been replaced, too. */
  forget(): void {
    this.forgetModels();
    this.#quirks = undefined;
  }
}

function readFacts(model: string, show: JsonObject): ModelFacts {
  const details = objectOf(show["details"]);
  const info = objectOf(show["model_info"]);
  const family = textOf(details["family"]) ?? textOf(info["general.architecture"]);
  const capabilities = Array.isArray(show["capabilities"]) ? listOf(show["capabilities"]) : undefined;
  return {
    canCallTools: capabilities?.includes("tools"),
    thinking: thinkingOf(capabilities, family),
    canSee: capabilities?.includes("vision") ?? false,
    cacheBytesPerToken: cacheBytesPerToken(info),
    trainedContext: countOf(info[`${textOf(info["general.architecture"]) ?? family}.context_length`]),
    modelfileNumCtx: modelfileNumCtx(textOf(show["parameters"])),
    family,
    parameterSize: textOf(details["parameter_size"]),
    quantization: textOf(details["quantization_level"]),
    isCloud: isCloudModel(model, show["remote_host"]),
  };
}

/** Cloud models are known by their tag or by the host that the server names. */
export function isCloudModel(name: string, remoteHost: unknown): boolean {
  return textOf(remoteHost) !== undefined || /(:|-)cloud$/.test(name);
}

function thinkingOf(
  capabilities: readonly unknown[] | undefined,
  family: string | undefined,
): ThinkingSupport {
  if (!capabilities?.includes("thinking")) return "none";
  return /^gpt-?oss/.test(family ?? "") ? "levels" : "switch";
}

function modelfileNumCtx(parameters: string | undefined): number | undefined {
  return countOf(Number(/^num_ctx\s+(\d+)\s*$/m.exec(parameters ?? "")?.[1]));
}
