import { randomUUID } from "node:crypto";
import type { Delta, Reply, ScriptedToolCall } from "./reply";
import { generatedParts, type GeneratedPart } from "./template";
import { isObject } from "./wire";

/** How much a reply may generate, and how its calls look. */
export interface GenerationLimits {
  /** Tokens; the reply is cut there and ends with `length`. */
  readonly tokens: number;
  readonly withCallIds: boolean;
  /** All calls come in the last chunk, as from models that llama-server renders. */
  readonly callsInDone: boolean;
}

/** A reply as the server sends it: `message` fields for the chunks, and the counts. */
export interface Generation {
  /** The `message` of each chunk before the last. */
  readonly messages: readonly WireDelta[];
  /** Tool calls that travel in the last chunk. */
  readonly doneCalls: readonly object[];
  readonly doneReason: string;
  /** What was generated, markup included. */
  readonly tokens: readonly string[];
}

/** The `message` object of one chunk. */
export interface WireDelta {
  readonly role: "assistant";
  readonly content: string;
  readonly thinking?: string;
  readonly tool_calls?: readonly object[];
}

const DEFAULT_CHUNK_SIZE = 12;
const END_TOKEN = "<|im_end|>";

/** Turns a scripted reply into chunks, cut where the limit is reached; a call that is cut through does not arrive. */
export function generate(reply: Reply, limits: GenerationLimits): Generation {
  const numbered = callNumbers(limits.withCallIds);
  if (reply.deltas) return fromDeltas(reply, reply.deltas, numbered);
  const parts = generatedParts({
    content: reply.content ?? "",
    ...(reply.thinking ? { thinking: reply.thinking } : {}),
    tool_calls: (reply.toolCalls ?? []).map(asObjectCall),
  });
  const cut = cutParts(parts, limits.tokens);
  const calls = (reply.toolCalls ?? []).slice(0, cut.calls).map(numbered);
  const callsIn = limits.callsInDone ? "done" : (reply.callsIn ?? "each");
  const size = reply.chunkSize ?? DEFAULT_CHUNK_SIZE;
  return {
    messages: [
      ...chunks(cut.thinking, size).map((thinking) => ({ ...EMPTY, thinking })),
      ...chunks(cut.content, size).map((content) => ({ ...EMPTY, content })),
      ...(callsIn === "each" ? calls.map((call) => ({ ...EMPTY, tool_calls: [call] })) : []),
      ...(callsIn === "one" && calls.length > 0 ? [{ ...EMPTY, tool_calls: calls }] : []),
    ],
    doneCalls: callsIn === "done" ? calls : [],
    doneReason: reply.doneReason ?? (cut.isCut ? "length" : "stop"),
    tokens: cut.isCut ? cut.tokens : [...cut.tokens, END_TOKEN],
  };
}

const EMPTY = { role: "assistant", content: "" } as const;

function fromDeltas(
  reply: Reply,
  deltas: readonly Delta[],
  numbered: (call: ScriptedToolCall) => object,
): Generation {
  const tokens = deltas.flatMap((delta) =>
    generatedParts({
      content: delta.content ?? "",
      ...(delta.thinking ? { thinking: delta.thinking } : {}),
      tool_calls: (delta.toolCalls ?? []).map(asObjectCall),
    }).flatMap((part) => part.tokens),
  );
  return {
    messages: deltas.map((delta) => ({
      role: "assistant",
      content: delta.content ?? "",
      ...(delta.thinking === undefined ? {} : { thinking: delta.thinking }),
      ...(delta.toolCalls ? { tool_calls: delta.toolCalls.map(numbered) } : {}),
    })),
    doneCalls: [],
    doneReason: reply.doneReason ?? "stop",
    tokens: [...tokens, END_TOKEN],
  };
}

interface CutParts {
  readonly thinking: string;
  readonly content: string;
  /** How many calls are complete. */
  readonly calls: number;
  readonly tokens: readonly string[];
  readonly isCut: boolean;
}

function cutParts(parts: readonly GeneratedPart[], limit: number): CutParts {
  const texts = { thinking: "", content: "" };
  const tokens: string[] = [];
  let calls = 0;
  for (const part of parts) {
    const room = limit - tokens.length;
    const kept = part.tokens.slice(0, Math.max(0, room));
    tokens.push(...kept);
    if (part.kind === "thinking" || part.kind === "content") texts[part.kind] += kept.join("");
    if (part.kind === "call" && kept.length === part.tokens.length) calls++;
    if (kept.length < part.tokens.length) return { ...texts, calls, tokens, isCut: true };
  }
  return { ...texts, calls, tokens, isCut: false };
}

/** Splits by code points, so that no piece ends within a character. */
function chunks(text: string, size: number): readonly string[] {
  const points = Array.from(text);
  const pieces: string[] = [];
  for (let at = 0; at < points.length; at += size) pieces.push(points.slice(at, at + size).join(""));
  return pieces;
}

function callNumbers(withIds: boolean): (call: ScriptedToolCall) => object {
  let count = 0;
  return ({ name, arguments: given, id, index }) => {
    const place = count++;
    const shownId = id === undefined && withIds ? `call_${randomUUID().slice(0, 8)}` : id;
    return {
      ...(shownId ? { id: shownId } : {}),
      function: { ...(index === null ? {} : { index: index ?? place }), name, arguments: given },
    };
  };
}

function asObjectCall({ name, arguments: given }: ScriptedToolCall): {
  function: { name: string; arguments: Record<string, unknown> };
} {
  return { function: { name, arguments: isObject(given) ? { ...given } : { text: given } } };
}
