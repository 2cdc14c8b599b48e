import type { Wait } from "../../core/ports";
import type { RequestFields } from "../requestOptions";
import { answerOf, type Connection } from "../wire/connection";
import { countOf, listOf, objectOf, textOf } from "../wire/json";
import { askLoadedModels, type LoadedModels } from "./loadedModels";
import { canonicalName } from "./modelName";

/** What a model is loaded with. */
export interface LoadRequest {
  readonly model: string;
  /** Tokens. */
  readonly numCtx: number;
  /** As in every other request of the session, or the wrong runner is loaded. */
  readonly fields: RequestFields;
}

/** A model that was used so recently is still loaded, in milliseconds: less than anybody's keep_alive. */
const SURELY_LOADED_MS = 10_000;

/**
 * Knows which models are in memory and brings them there. Loading has a request of its own, so that a person can be told when it ends and
 * the reading of the prompt begins: the server sends nothing in either.
 */
export class Loader {
  readonly #connection: Connection;
  /** When a model was used last and with what window. */
  readonly #used = new Map<string, { readonly numCtx: number; readonly at: number }>();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** What is in the server's memory; undefined when it does not say. The request is in the log then. */
  async loaded(signal: AbortSignal): Promise<LoadedModels | undefined> {
    try {
      return await askLoadedModels(this.#connection, signal);
    } catch {
      return undefined;
    }
  }

  /** Whether a model is in memory with this window; undefined when the server does not say. */
  async isLoaded(model: string, numCtx: number, signal: AbortSignal): Promise<boolean | undefined> {
    const loaded = await this.loaded(signal);
    if (loaded === undefined) return undefined;
    const found = loaded.get(canonicalName(model));
    return found !== undefined && (found.numCtx ?? numCtx) === numCtx;
  }

  /** To be told of every answer that a model gave. */
  noteUse(model: string, numCtx: number): void {
    this.#used.set(canonicalName(model), { numCtx, at: Date.now() });
  }

  /** Sees to it that the model is loaded before a chat; the size is asked for only when it is not. */
  async prepare(request: LoadRequest, signal: AbortSignal, onWait: (wait: Wait) => void): Promise<void> {
    const { model, numCtx } = request;
    const used = this.#used.get(canonicalName(model));
    if (used?.numCtx === numCtx && Date.now() - used.at < SURELY_LOADED_MS) return;
    const isLoaded = await this.isLoaded(model, numCtx, signal);
    signal.throwIfAborted();
    if (isLoaded !== false) return;
    const bytes = await this.#sizeOf(model, signal);
    onWait({ for: "loading", ...(bytes === undefined ? {} : { bytes }) });
    await this.load(request, signal);
  }

  /** Loads a model by a chat without messages; resolves when it is in memory and rejects when it cannot be. */
  async load({ model, numCtx, fields }: LoadRequest, signal: AbortSignal): Promise<void> {
    // Not streamed: there is no text to come, and headers are sent when it is loaded either way.
    const call = { name: `POST /api/chat ${model}, num_ctx ${numCtx}, to load it`, isStream: false };
    await this.#connection.exchange(call, signal, async (client) =>
      answerOf(await client.chat({ model, stream: false, ...fields, messages: [] })),
    );
    this.noteUse(model, numCtx);
  }

  /** The size on disk, which is about what has to be read; only for the person to see. */
  async #sizeOf(model: string, signal: AbortSignal): Promise<number | undefined> {
    try {
      const call = { name: "GET /api/tags", isStream: false };
      const answer = objectOf(await this.#connection.exchange(call, signal, (client) => client.list()));
      const entries = listOf(answer["models"]).map(objectOf);
      const name = canonicalName(model);
      return countOf(entries.find((entry) => canonicalName(textOf(entry["name"]) ?? "") === name)?.["size"]);
    } catch {
      return undefined;
    }
  }
}
