import { answerOf, type Connection } from "../wire/connection";
import { countOf, listOf, objectOf, textOf } from "../wire/json";
import { canonicalName } from "./modelName";

/** A model in the server's memory. */
export interface LoadedModel {
  /** The window that was allocated, in tokens; undefined before Ollama 0.10. */
  readonly numCtx: number | undefined;
  /** Bytes in memory, and how many of them on the GPU. */
  readonly size: number | undefined;
  readonly sizeOnGpu: number | undefined;
}

/** By name with tag. */
export type LoadedModels = ReadonlyMap<string, LoadedModel>;

/** Asks GET /api/ps for what is in memory; rejects when the server does not say. */
export async function askLoadedModels(connection: Connection, signal: AbortSignal): Promise<LoadedModels> {
  const call = { name: "GET /api/ps", isStream: false };
  const answer = answerOf(await connection.exchange(call, signal, (client) => client.ps()));
  if (!("models" in answer)) throw new SyntaxError("the answer has no list of models");
  return new Map(
    listOf(answer["models"])
      .map(objectOf)
      .map((entry) => [
        canonicalName(textOf(entry["name"]) ?? ""),
        {
          numCtx: countOf(entry["context_length"]),
          size: countOf(entry["size"]),
          sizeOnGpu: countOf(entry["size_vram"]),
        },
      ]),
  );
}
