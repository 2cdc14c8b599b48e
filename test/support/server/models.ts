import { createHash } from "node:crypto";
import type { VersionTraits } from "./version";

/** A model that the scripted server offers. */
export interface ModelSpec {
  /** As the user types it; `:latest` is added where a tag is missing. */
  readonly name: string;
  /** Bytes on disk. */
  readonly size?: number;
  /** The architecture, which also names the keys of `model_info`. */
  readonly family?: string;
  readonly parameterSize?: string;
  readonly quantization?: string;
  /** The trained context length; a larger num_ctx is silently lowered to it. */
  readonly contextLength?: number;
  readonly capabilities?: readonly string[];
  /** The most that the server allocates of an asked num_ctx. */
  readonly allocated?: number;
  /** num_ctx of the Modelfile, used when a request names none. */
  readonly modelfileNumCtx?: number;
  /** Layers (default 28); a model with none lists no attention sizes. */
  readonly blockCount?: number;
  /** The share of the model in video memory, 0 to 1. */
  readonly onGpu?: number;
  /** Only a Jinja template: llama-server renders, refuses over-long prompts, and sends calls in the last chunk. */
  readonly native?: boolean;
  /** The template refuses a prompt that has lost its user message, with status 500. */
  readonly needsUserMessage?: boolean;
  /** A cloud model's server; such a model is proxied and its data leaves the machine. */
  readonly remoteHost?: string;
}

/** A model with every field settled. */
export interface Model extends Required<Omit<ModelSpec, "allocated" | "modelfileNumCtx" | "remoteHost">> {
  /** With its tag. */
  readonly name: string;
  readonly allocated: number;
  readonly modelfileNumCtx: number | undefined;
  readonly remoteHost: string | undefined;
  readonly digest: string;
}

/** Settles what a test left open. */
export function completeModel(spec: ModelSpec): Model {
  return {
    name: tagged(spec.name),
    size: spec.size ?? 4_700_000_000,
    family: spec.family ?? "qwen2",
    parameterSize: spec.parameterSize ?? "7.6B",
    quantization: spec.quantization ?? "Q4_K_M",
    contextLength: spec.contextLength ?? 32_768,
    capabilities: spec.capabilities ?? ["completion", "tools"],
    allocated: spec.allocated ?? Number.POSITIVE_INFINITY,
    modelfileNumCtx: spec.modelfileNumCtx,
    blockCount: spec.blockCount ?? 28,
    onGpu: spec.onGpu ?? 0,
    native: spec.native ?? false,
    needsUserMessage: spec.needsUserMessage ?? false,
    remoteHost: spec.remoteHost,
    digest: createHash("sha256").update(tagged(spec.name)).digest("hex"),
  };
}

/** A name as the server keeps it. */
export function tagged(name: string): string {
  return /:[^/]*$/.test(name) ? name : `${name}:latest`;
}

/** The name with which error texts call a model. */
export function qualifiedName(name: string): string {
  const path = tagged(name);
  if (path.split("/").length > 2) return path;
  return path.includes("/") ? `registry.ollama.ai/${path}` : `registry.ollama.ai/library/${path}`;
}

/** One entry of the answer of GET /api/tags. */
export function tagsEntry(model: Model, traits: VersionTraits): object {
  const remote = model.remoteHost ? { remote_model: model.name, remote_host: model.remoteHost } : {};
  const rich = traits.richTags ? { capabilities: model.capabilities } : {};
  return {
    name: model.name,
    model: model.name,
    modified_at: MODIFIED_AT,
    size: model.size,
    digest: model.digest,
    details: { ...details(model), ...(traits.richTags ? { context_length: model.contextLength } : {}) },
    ...rich,
    ...remote,
  };
}

/** The answer of POST /api/show. */
export function showBody(model: Model, traits: VersionTraits): object {
  const { family, modelfileNumCtx } = model;
  const parameters =
    modelfileNumCtx === undefined ? {} : { parameters: `num_ctx                        ${modelfileNumCtx}` };
  return {
    modelfile: `# Modelfile of ${model.name}\nFROM ${model.name}\n`,
    ...parameters,
    template: model.native ? "" : "{{ .System }}{{ .Tools }}{{ .Messages }}",
    details: details(model),
    model_info: {
      "general.architecture": family,
      [`${family}.context_length`]: model.contextLength,
      ...(model.blockCount > 0 ? attentionInfo(model) : {}),
    },
    ...(traits.showsCapabilities ? { capabilities: model.capabilities } : {}),
    modified_at: MODIFIED_AT,
    ...(model.remoteHost ? { remote_model: model.name, remote_host: model.remoteHost } : {}),
  };
}

/** One entry of the answer of GET /api/ps. */
export function psEntry(model: Model, numCtx: number, traits: VersionTraits): object {
  const size = Math.round(model.size * 1.15) + numCtx * 57_344;
  return {
    name: model.name,
    model: model.name,
    size,
    digest: model.digest,
    details: details(model),
    expires_at: new Date(Date.now() + 300_000).toISOString(),
    size_vram: Math.round(size * model.onGpu),
    ...(traits.showsContextLength ? { context_length: numCtx } : {}),
  };
}

const MODIFIED_AT = "2026-09-01T08:00:00.000000000Z";

function attentionInfo({ family, blockCount }: Model): object {
  return {
    "general.parameter_count": 7_615_616_512,
    [`${family}.attention.head_count`]: 28,
    [`${family}.attention.head_count_kv`]: 4,
    [`${family}.attention.key_length`]: 128,
    [`${family}.attention.value_length`]: 128,
    [`${family}.block_count`]: blockCount,
    [`${family}.embedding_length`]: 3584,
  };
}

function details(model: Model): object {
  return {
    parent_model: "",
    format: "gguf",
    family: model.family,
    families: [model.family],
    parameter_size: model.parameterSize,
    quantization_level: model.quantization,
  };
}
