import { tokenize } from "./tokens";
import { isObject, type ChatRequest, type WireMessage, type WireTool, type WireToolCall } from "./wire";

/** The tokens of one message with the template around it; `message` is absent for what no message stands for. */
export interface Segment {
  readonly message?: WireMessage;
  readonly tokens: readonly string[];
}

/** The part of a request that the prompt is made of. */
export type PromptInput = Pick<ChatRequest, "messages"> & Partial<Pick<ChatRequest, "tools" | "think">>;

const START = "<|im_start|>";
const END = "<|im_end|>";
const IMAGE_TOKENS = 768;
const TOOLS_HEAD = "\n\n# Functions\n\nYou may call these functions:\n<tools>\n";
const TOOLS_FOOT =
  '\n</tools>\n\nTo call one, write {"name": its name, "arguments": an object} between <tool_call> and </tool_call>.';

/**
 * Gives the function that renders any part of this request's messages, in the manner of the ChatML family: the tools as JSON in the
 * first system message, the thinking of answers before the last user message left out. It remembers each message's tokens, since
 * fitting the window renders the same messages again and again.
 */
export function createRenderer(input: PromptInput): (messages: readonly WireMessage[]) => readonly Segment[] {
  const remembered = new Map<string, WeakMap<WireMessage, readonly string[]>>();
  const tools = input.tools?.length ? toolTokens(input.tools) : [];
  const tokensOf = (message: WireMessage, variant: "plain" | "thinking" | "tools"): readonly string[] => {
    const cache = remembered.get(variant) ?? new WeakMap<WireMessage, readonly string[]>();
    remembered.set(variant, cache);
    const known = cache.get(message);
    if (known) return known;
    const body = bodyTokens(message, variant === "thinking");
    const tokens = [...head(message.role), ...body, ...(variant === "tools" ? tools : []), END, "\n"];
    cache.set(message, tokens);
    return tokens;
  };
  return (messages) => {
    const lastUser = messages.findLastIndex((message) => message.role === "user");
    const segments: Segment[] = [];
    if (tools.length > 0 && messages[0]?.role !== "system")
      segments.push({ tokens: [...head("system"), ...tools, END, "\n"] });
    messages.forEach((message, index) => {
      const hasTools = index === 0 && message.role === "system" && tools.length > 0;
      const variant = index > lastUser ? "thinking" : "plain";
      segments.push({ message, tokens: tokensOf(message, hasTools ? "tools" : variant) });
    });
    const unthinking = input.think === false ? ["<think>", "\n\n", "</think>", "\n\n"] : [];
    segments.push({ tokens: [...head("assistant"), ...unthinking] });
    return segments;
  };
}

/** The number of tokens of the whole prompt of a request, before anything is cut. */
export function countPrompt(input: PromptInput): number {
  return countSegments(createRenderer(input)(input.messages ?? []));
}

/** The number of tokens of rendered segments. */
export function countSegments(segments: readonly Segment[]): number {
  return segments.reduce((sum, segment) => sum + segment.tokens.length, 0);
}

/** One stretch of a generated reply: what it becomes for the client, and its tokens, markup included. */
export interface GeneratedPart {
  readonly kind: "thinking" | "content" | "call" | "markup";
  readonly tokens: readonly string[];
}

/** What a model would have to generate for this message, in order; the next prompt renders it the same way. */
export function generatedParts(
  message: Pick<WireMessage, "thinking" | "content" | "tool_calls">,
): readonly GeneratedPart[] {
  const parts: GeneratedPart[] = [];
  if (message.thinking)
    parts.push(
      { kind: "markup", tokens: ["<think>", "\n"] },
      { kind: "thinking", tokens: tokenize(message.thinking) },
      { kind: "markup", tokens: ["\n", "</think>", "\n\n"] },
    );
  if (message.content) parts.push({ kind: "content", tokens: tokenize(message.content) });
  for (const call of message.tool_calls ?? []) parts.push({ kind: "call", tokens: callTokens(call) });
  return parts;
}

function bodyTokens(message: WireMessage, keepsThinking: boolean): readonly string[] {
  const images = message.images?.flatMap(() => new Array<string>(IMAGE_TOKENS).fill("<image>")) ?? [];
  if (message.role === "tool") {
    const result = tokenize(message.content ?? "");
    return [...images, "<tool_response>", "\n", ...result, "\n", "</tool_response>"];
  }
  const { thinking, ...rest } = message;
  const shown = keepsThinking && thinking !== undefined ? { ...rest, thinking } : rest;
  return [...images, ...generatedParts(shown).flatMap((part) => part.tokens)];
}

function head(role: string): readonly string[] {
  return [START, role, "\n"];
}

function callTokens(call: Pick<WireToolCall, "function">): readonly string[] {
  const { name, arguments: given } = call.function;
  return [
    "\n",
    "<tool_call>",
    "\n",
    ...tokenize(JSON.stringify({ name, arguments: given })),
    "\n",
    "</tool_call>",
  ];
}

function toolTokens(tools: readonly WireTool[]): readonly string[] {
  const lines = tools.map(({ type, function: { name, description, parameters } }) =>
    JSON.stringify({ type, function: { name, description, parameters: keptSchema(parameters) } }),
  );
  return tokenize(TOOLS_HEAD + lines.join("\n") + TOOLS_FOOT);
}

const KEPT_KEYWORDS = ["type", "$defs", "items", "required", "description", "enum", "anyOf"];

/** Ollama decodes schemas into fixed structures, so every other keyword never reaches the model. */
function keptSchema(schema: unknown): unknown {
  if (!isObject(schema)) return schema;
  const kept = Object.entries(schema).filter(([key]) => KEPT_KEYWORDS.includes(key));
  const properties = schema["properties"];
  if (!isObject(properties)) return Object.fromEntries(kept);
  const inner = Object.entries(properties).map(([name, value]) => [name, keptSchema(value)] as const);
  return Object.fromEntries([...kept, ["properties", Object.fromEntries(inner)]]);
}
