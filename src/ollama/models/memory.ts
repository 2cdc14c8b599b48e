import { countOf, textOf, type JsonObject } from "../wire/json";

/** Bytes of one number in the cache of keys and values: f16, the default of Ollama. */
const BYTES = 2;

/**
 * What one token of num_ctx costs in memory, in bytes, from the `model_info` of /api/show; undefined where it does not say enough. Keys and
 * values of every layer are counted, so for models that look back only so far (sliding windows, recurrent layers) it is too high.
 */
export function cacheBytesPerToken(info: JsonObject): number | undefined {
  const architecture = textOf(info["general.architecture"]);
  const value = (name: string) => info[`${architecture ?? ""}.${name}`];
  const layers = countOf(value("block_count"));
  const heads = countOf(value("attention.head_count"));
  if (layers === undefined || heads === undefined) return undefined;
  const embedding = countOf(value("embedding_length"));
  const usual = embedding === undefined ? undefined : embedding / heads;
  const key = countOf(value("attention.key_length")) ?? usual;
  const length = countOf(value("attention.value_length")) ?? usual;
  if (key === undefined || length === undefined) return undefined;
  return headsOfAll(value("attention.head_count_kv"), { layers, heads }) * (key + length) * BYTES;
}

/** The heads for keys and values of all layers together; some models list them for each. */
function headsOfAll(given: unknown, { layers, heads }: { layers: number; heads: number }): number {
  if (!Array.isArray(given)) return layers * (countOf(given) ?? heads);
  return given.reduce<number>((sum, count) => sum + (countOf(count) ?? 0), 0);
}
