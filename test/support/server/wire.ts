import * as z from "zod/mini";

const toolCallSchema = z.looseObject({
  id: z.optional(z.string()),
  function: z.looseObject({ name: z.string(), arguments: z.record(z.string(), z.unknown()) }),
});

const messageSchema = z.looseObject({
  role: z.string(),
  content: z._default(z.nullish(z.string()), ""),
  thinking: z.optional(z.string()),
  images: z.optional(z.nullable(z.array(z.string()))),
  tool_calls: z.optional(z.nullable(z.array(toolCallSchema))),
  tool_name: z.optional(z.string()),
  tool_call_id: z.optional(z.string()),
});

const toolSchema = z.looseObject({
  type: z.string(),
  function: z.looseObject({
    name: z.string(),
    description: z.optional(z.string()),
    parameters: z.optional(z.record(z.string(), z.unknown())),
  }),
});

const chatSchema = z.looseObject({
  model: z.string(),
  messages: z._default(z.nullish(z.array(messageSchema)), []),
  tools: z.optional(z.nullable(z.array(toolSchema))),
  stream: z.optional(z.nullable(z.boolean())),
  think: z.optional(z.nullable(z.union([z.boolean(), z.string()]))),
  format: z.optional(z.unknown()),
  truncate: z.optional(z.nullable(z.boolean())),
  shift: z.optional(z.nullable(z.boolean())),
  keep_alive: z.optional(z.nullable(z.union([z.string(), z.number()]))),
  options: z._default(z.nullish(z.record(z.string(), z.unknown())), {}),
});

/** A call as an assistant message of a request carries it: the arguments are an object. */
export type WireToolCall = z.infer<typeof toolCallSchema>;

/** One message of a chat request, as it came over the wire. */
export type WireMessage = z.infer<typeof messageSchema>;

/** One offered tool, as it came over the wire. */
export type WireTool = z.infer<typeof toolSchema>;

/** The body of POST /api/chat after Ollama's own defaults; fields that the server does not know are kept. */
export type ChatRequest = z.infer<typeof chatSchema>;

/** A chat request, or the sentence with which Ollama answers 400. */
export type ParsedChat = { readonly request: ChatRequest } | { readonly refusal: string };

/** Reads the body of a chat request as strictly as Ollama binds it: arguments as a string are refused, any role is taken. */
export function parseChat(body: unknown): ParsedChat {
  if (!isObject(body)) return { refusal: "invalid character, looking for beginning of value" };
  const parsed = chatSchema.safeParse(body);
  if (parsed.success) return { request: parsed.data };
  const issue = parsed.error.issues[0];
  const steps = issue?.path ?? [];
  if (steps.at(-1) === "arguments")
    return { refusal: "Value looks like object, but can't find closing '}' symbol" };
  const path = steps.filter((step) => typeof step !== "number").join(".");
  if (path === "model") return { refusal: "model is required" };
  return { refusal: `json: cannot unmarshal value into Go struct field ChatRequest.${path} of another type` };
}

/** An integer option of a request, or undefined where it is absent. */
export function integerOption(options: ChatRequest["options"], name: string): number | undefined {
  const value = options?.[name];
  return typeof value === "number" && Number.isInteger(value) ? value : undefined;
}

/** True for a JSON object, which is what every body and most values of this protocol are. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
