import type { Failure } from "../shared/events";
import type { ServerStatus } from "../shared/protocol";
import { diagnose } from "./failures/failures";
import { Catalog, isCloudModel, type ModelFacts } from "./models/capabilities";
import { askLoadedModels, type LoadedModel } from "./models/loadedModels";
import { canonicalName } from "./models/modelName";
import type { ChatPreferences } from "./preferences";
import { answerOf, Connection, type ConnectionOptions } from "./wire/connection";
import { countOf, listOf, objectOf, textOf, type JsonObject } from "./wire/json";

/** A model that the server has. */
export interface InstalledModel {
  readonly name: string;
  /** Bytes on disk. */
  readonly size: number | undefined;
  readonly parameterSize: string | undefined;
  readonly quantization: string | undefined;
  readonly isCloud: boolean;
}

/** A model in the server's memory. */
export interface ModelInMemory extends LoadedModel {
  /** With its tag. */
  readonly name: string;
}

/** How far a download is; the sizes (bytes, over all parts seen so far) are absent while they are not known. */
export interface PullProgress {
  readonly status: string;
  readonly completed?: number;
  readonly total?: number;
}

export type PullOutcome =
  | { readonly type: "done" }
  | { readonly type: "stopped" }
  | { readonly type: "failed"; readonly failure: Failure };

export interface OllamaServerOptions extends ConnectionOptions {
  /** The machine that Loom runs on when it is not the person's own, in words. */
  readonly machine?: string | undefined;
  readonly preferences?: (() => Pick<ChatPreferences, "mayLeaveMachine">) | undefined;
}

/** An Ollama server apart from chatting: what it has, in what state it is, and downloads. */
export class OllamaServer {
  readonly #options: OllamaServerOptions;
  readonly #connection: Connection;
  readonly #catalog: Catalog;

  /** `catalog` is what others of the same server know of it, too. */
  constructor(options: OllamaServerOptions, catalog?: Catalog) {
    this.#options = options;
    this.#connection = new Connection(options);
    this.#catalog = catalog ?? new Catalog(this.#connection);
  }

  /** The state of the server and of a model, asked afresh; an empty name means that none is chosen. */
  async status(model: string, signal: AbortSignal): Promise<ServerStatus> {
    const address = this.#connection.address.url;
    const installed = await this.listModels(signal);
    if ("failure" in installed) return unreachable(address, installed.failure);
    if (installed.length === 0) return { state: "no_models", address };
    const names = installed.map(({ name }) => name);
    if (model === "") return { state: "none_chosen", address, installed: names };
    if (!names.map(canonicalName).includes(canonicalName(model))) return { state: "missing", address, model };
    this.#catalog.forgetModels();
    const facts = await this.show(model, signal);
    if ("failure" in facts)
      return facts.failure.kind === "model_missing"
        ? { state: "missing", address, model }
        : unreachable(address, facts.failure);
    if (facts.canCallTools === false) return { state: "no_tools", address, model };
    const mayLeave = this.#options.preferences?.().mayLeaveMachine?.(model) ?? true;
    if (facts.isCloud && !mayLeave) return { state: "cloud", address, model };
    const { trainedContext, modelfileNumCtx } = facts;
    return {
      state: "ready",
      address,
      model,
      isRehearsal: canonicalName(model) === REHEARSAL_MODEL,
      ...(trainedContext === undefined ? {} : { trainedContext }),
      ...(modelfileNumCtx === undefined ? {} : { modelfileNumCtx }),
    };
  }

  async listModels(signal: AbortSignal): Promise<readonly InstalledModel[] | { readonly failure: Failure }> {
    try {
      const call = { name: "GET /api/tags", isStream: false };
      const answer = answerOf(await this.#connection.exchange(call, signal, (client) => client.list()));
      if (!("models" in answer)) throw new SyntaxError("the answer has no list of models");
      return listOf(answer["models"]).map(objectOf).flatMap(readInstalled);
    } catch (error) {
      return { failure: this.#failureOf(error) };
    }
  }

  /** What is in the server's memory; nothing where it does not say. */
  async listLoaded(signal: AbortSignal): Promise<readonly ModelInMemory[]> {
    try {
      return [...(await askLoadedModels(this.#connection, signal))].map(([name, model]) => ({
        name,
        ...model,
      }));
    } catch {
      return []; // The request is in the log.
    }
  }

  /** What the server knows of a model; asked once. */
  async show(model: string, signal: AbortSignal): Promise<ModelFacts | { readonly failure: Failure }> {
    try {
      return await this.#catalog.facts(model, signal);
    } catch (error) {
      return { failure: this.#failureOf(error, model) };
    }
  }

  /** Downloads a model. What a stopped or failed download has got is used by the next one. */
  async pull(
    model: string,
    onProgress: (progress: PullProgress) => void,
    signal: AbortSignal,
  ): Promise<PullOutcome> {
    const parts = new Map<string, { completed: number; total: number }>();
    try {
      const call = { name: `POST /api/pull ${model}`, isStream: true };
      await this.#connection.exchange(call, signal, async (client) => {
        for await (const line of await client.pull({ model, stream: true }))
          onProgress(readProgress(objectOf(line), parts));
      });
      this.#catalog.forgetModels();
      return { type: "done" };
    } catch (error) {
      return signal.aborted
        ? { type: "stopped" }
        : { type: "failed", failure: this.#failureOf(error, model, true) };
    }
  }

  #failureOf(error: unknown, model?: string, isDownload = false): Failure {
    const { machine } = this.#options;
    const { address } = this.#connection;
    return diagnose(error, { address, model, platform: process.platform, machine, isDownload }).failure;
  }
}

function unreachable(address: string, { kind, message }: Failure): ServerStatus {
  return { state: "unreachable", address, kind, message };
}

/** The rules of `test/support` that stand in where there is no Ollama, and are never to be taken for an AI. */
const REHEARSAL_MODEL = "rehearsal-not-an-ai:latest";

function readInstalled(entry: JsonObject): readonly InstalledModel[] {
  const name = textOf(entry["name"]) ?? textOf(entry["model"]);
  if (name === undefined) return [];
  const details = objectOf(entry["details"]);
  return [
    {
      name,
      size: countOf(entry["size"]),
      parameterSize: textOf(details["parameter_size"]),
      quantization: textOf(details["quantization_level"]),
      isCloud: isCloudModel(name, entry["remote_host"]),
    },
  ];
}

function readProgress(
  line: JsonObject,
  parts: Map<string, { completed: number; total: number }>,
): PullProgress {
  const status = textOf(line["status"]) ?? "";
  const digest = textOf(line["digest"]);
  const total = countOf(line["total"]);
  if (digest !== undefined && total !== undefined)
    parts.set(digest, { completed: countOf(line["completed"]) ?? 0, total });
  if (parts.size === 0) return { status };
  const sum = (name: "completed" | "total"): number =>
    [...parts.values()].reduce((before, part) => before + part[name], 0);
  return { status, completed: sum("completed"), total: sum("total") };
}
