import type { AssistantMessage, LogEvent } from "../shared/events";
import { isMeasured } from "./context";
import type { ContextMessage } from "./messages";
import type { ToolSchema } from "./ports";

/** The kinds of character that tokenizers treat differently. */
const KINDS = ["letters", "digits", "marks", "spaces", "wide", "rare"] as const;

/** How many characters (UTF-16 units) of each kind a text has, and how many messages it spans. */
export type TextShape = Readonly<Record<(typeof KINDS)[number], number>> & { readonly messages: number };

/** Tokens per character of each kind and per message; `margin` is what the sum is multiplied by so that it errs high. */
export interface Rates {
  readonly perKind: Readonly<Record<(typeof KINDS)[number], number>>;
  readonly margin: number;
}

/**
 * Careful rates for a model that nothing is known of. English prose comes out at about 4 characters a token and source
 * code at about 3.2, measured as 3.2 on an Ollama server (itayinbarr/little-coder #128).
 */
export const DEFAULT_RATES: Rates = {
  perKind: { letters: 0.25, digits: 0.8, marks: 0.65, spaces: 0.15, wide: 1.1, rare: 1.3 },
  margin: 1.1,
};

/** What a chat template adds around each message, in tokens: role, begin and end marks. */
const TOKENS_PER_MESSAGE = 8;

/** A rate may move between these multiples of its default: one odd count must not spoil all later estimates. */
const RATE_RANGE = { lowest: 0.4, highest: 3 } as const;

const MARGIN = { lowest: 1.04, highest: 1.6 } as const;

const EMPTY_SHAPE: TextShape = { letters: 0, digits: 0, marks: 0, spaces: 0, wide: 0, rare: 0, messages: 0 };

/** The shape of a text, in one pass. */
export function shapeOf(text: string): TextShape {
  const shape = { letters: 0, digits: 0, marks: 0, spaces: 0, wide: 0, rare: 0, messages: 0 };
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code > 0x7f) {
      if (isWide(code)) shape.wide++;
      else shape.rare++;
    } else if ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a) shape.letters++;
    else if (code >= 0x30 && code <= 0x39) shape.digits++;
    else if (code <= 0x20) shape.spaces++;
    else shape.marks++;
  }
  return shape;
}

/** CJK ideographs, kana and hangul: about one token each. */
function isWide(code: number): boolean {
  return (
    (code >= 0x3040 && code <= 0x9fff) ||
    (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0xf900 && code <= 0xfaff)
  );
}

function add(a: TextShape, b: TextShape): TextShape {
  return {
    letters: a.letters + b.letters,
    digits: a.digits + b.digits,
    marks: a.marks + b.marks,
    spaces: a.spaces + b.spaces,
    wide: a.wide + b.wide,
    rare: a.rare + b.rare,
    messages: a.messages + b.messages,
  };
}

// Messages are immutable, so each is measured once in its life.
const shapes = new WeakMap<ContextMessage, TextShape>();

/** The shape of a message with its tool calls and its thinking. */
export function messageShape(message: ContextMessage): TextShape {
  const known = shapes.get(message);
  if (known !== undefined) return known;
  let shape: TextShape = { ...shapeOf(message.content), messages: 1 };
  if (message.role === "assistant") {
    shape = add(shape, shapeOf(message.thinking));
    for (const call of message.toolCalls) {
      shape = add(shape, { ...shapeOf(call.name + JSON.stringify(call.arguments)), messages: 1 });
    }
  }
  shapes.set(message, shape);
  return shape;
}

/** The shape of the tool list as chat templates render it: JSON at the head of the prompt. */
export function toolsShape(tools: readonly ToolSchema[]): TextShape {
  if (tools.length === 0) return EMPTY_SHAPE;
  const shape = shapeOf(JSON.stringify(tools));
  // Templates add the wrapping of each tool and a paragraph on how to call them.
  return { ...shape, letters: shape.letters + 400, marks: shape.marks + 30 * tools.length, messages: 1 };
}

function sumOf(shape: TextShape, rates: Rates): number {
  let sum = shape.messages * TOKENS_PER_MESSAGE;
  for (const kind of KINDS) sum += shape[kind] * rates.perKind[kind];
  return sum;
}

/** An estimate in tokens that errs high. */
export function estimateShape(shape: TextShape, rates: Rates): number {
  return Math.ceil(sumOf(shape, rates) * rates.margin);
}

/** An estimate of a text without a message around it, in tokens. */
export function estimateText(text: string, rates: Rates): number {
  return estimateShape(shapeOf(text), rates);
}

/** An estimate of messages as they stand in a prompt, in tokens. */
export function estimateMessages(messages: readonly ContextMessage[], rates: Rates): number {
  let shape = EMPTY_SHAPE;
  for (const message of messages) shape = add(shape, messageShape(message));
  return estimateShape(shape, rates);
}

/** Rates that fit better a text of `shape` which the server counted as `tokens`. */
export function calibrate(rates: Rates, shape: TextShape, tokens: number): Rates {
  const predicted = sumOf(shape, rates);
  if (predicted < 1 || tokens < 1) return rates;
  const ratio = tokens / predicted;
  // Beyond these a count says more about the server (a cut prompt, a changed template) than about the text.
  if (ratio < 0.25 || ratio > 4) return rates;
  let squares = 0;
  for (const kind of KINDS) squares += (shape[kind] * rates.perKind[kind]) ** 2;
  const step = squares === 0 ? 0 : (0.4 * (tokens - predicted)) / squares;
  const adjusted = { ...rates.perKind };
  for (const kind of KINDS) {
    const usual = DEFAULT_RATES.perKind[kind];
    const moved = rates.perKind[kind] * (1 + step * shape[kind] * rates.perKind[kind]);
    adjusted[kind] = Math.min(usual * RATE_RANGE.highest, Math.max(usual * RATE_RANGE.lowest, moved));
  }
  const remaining = tokens / sumOf(shape, { perKind: adjusted, margin: 1 });
  const margin = remaining > rates.margin ? remaining : rates.margin + (MARGIN.lowest - rates.margin) * 0.1;
  return { perKind: adjusted, margin: Math.min(MARGIN.highest, Math.max(MARGIN.lowest, margin)) };
}

/** One count of the server with what it was of. */
export interface Observation {
  readonly shape: TextShape;
  readonly tokens: number;
}

/**
 * What the server's counts in a log tell about the rates: from one measured reply to the next the prompt grew by exactly the
 * messages between them. `messages` is the context that the newest reply was made from, `reply` that reply, `previous` the
 * anchor before it.
 */
export function observe(
  messages: readonly ContextMessage[],
  previous: { readonly index: number; readonly tokens: number } | undefined,
  reply: LogEvent & AssistantMessage,
  tools: readonly ToolSchema[],
): Observation | undefined {
  const { promptTokens } = reply.usage;
  if (!isMeasured(reply) || promptTokens === undefined) return undefined;
  const added = previous === undefined ? messages : messages.slice(previous.index + 1);
  // Templates strip the thinking before a new user message, so the growth then says nothing about the text.
  if (previous !== undefined && added.some(({ role }) => role === "user") && messages.some(hasThinking)) {
    return undefined;
  }
  let shape = previous === undefined ? toolsShape(tools) : EMPTY_SHAPE;
  for (const message of added) shape = add(shape, messageShape(message));
  return { shape, tokens: promptTokens - (previous?.tokens ?? 0) };
}

function hasThinking(message: ContextMessage): boolean {
  return message.role === "assistant" && message.thinking !== "";
}
