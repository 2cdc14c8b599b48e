import type { AssistantMessage, LogEvent } from "../../shared/events";
import type { ToolSchema } from "../ports";
import { isMeasured, type Anchor } from "./context";
import { withoutThinking, type ContextMessage } from "./messages";
import { addShapes, EMPTY_SHAPE, KINDS, shapeOf, sumShapes, type TextShape } from "./textShape";

export interface Rates {
  /** Tokens per character of each kind, and per message. */
  readonly perKind: Readonly<Record<(typeof KINDS)[number], number>>;
  /** What a sum is multiplied by so that it errs high. */
  readonly margin: number;
  /** The same for the fixed part of a request, system prompt and tools, over the default rates: it is measured by itself. */
  readonly fixedFactor: number;
}

/**
 * Careful rates for a model that nothing is known of: a token for each digit, mark and ideograph, as the most wasteful of the
 * usual tokenizers have it. English prose comes out at about 3.1 characters a token and source code at about 2.4; on an Ollama
 * server code was measured at 3.2 (itayinbarr/little-coder #128), and the first counts of the server bring the rates there.
 */
export const DEFAULT_RATES: Rates = {
  perKind: {
    letters: 0.14,
    words: 0.7,
    digits: 1,
    marks: 0.95,
    spaces: 0.05,
    breaks: 1,
    foreign: 0.6,
    wide: 1.2,
    rare: 1.5,
    messages: 8,
  },
  margin: 1.1,
  fixedFactor: 0.95,
};

/** A rate may move between these multiples of its default: one odd count must not spoil all later estimates. */
const RATE_RANGE = { lowest: 0.4, highest: 3 } as const;

const MARGIN = { lowest: 1.05, highest: 1.6 } as const;

// Messages are immutable, so each is measured once in its life.
const shapes = new WeakMap<ContextMessage, TextShape>();

/** The shape of a message with its tool calls and its thinking. */
function messageShape(message: ContextMessage): TextShape {
  const known = shapes.get(message);
  if (known !== undefined) return known;
  let shape: TextShape = { ...shapeOf(message.content), messages: 1 };
  if (message.role === "assistant") {
    shape = addShapes(shape, shapeOf(message.thinking));
    for (const call of message.toolCalls) {
      shape = addShapes(shape, { ...shapeOf(call.name + JSON.stringify(call.arguments)), messages: 1 });
    }
  }
  shapes.set(message, shape);
  return shape;
}

// So is the thinking in it.
const thinkingShapes = new WeakMap<ContextMessage, TextShape>();

function thinkingShape(message: ContextMessage): TextShape {
  if (message.role !== "assistant" || message.thinking === "") return EMPTY_SHAPE;
  const known = thinkingShapes.get(message) ?? shapeOf(message.thinking);
  thinkingShapes.set(message, known);
  return known;
}

// A session offers the same list with every request.
const toolShapes = new WeakMap<readonly ToolSchema[], TextShape>();

/** The shape of the tool list as chat templates render it: JSON at the head of the prompt. */
function toolsShape(tools: readonly ToolSchema[]): TextShape {
  if (tools.length === 0) return EMPTY_SHAPE;
  const known = toolShapes.get(tools);
  if (known !== undefined) return known;
  const json = shapeOf(JSON.stringify(tools));
  // Templates add the wrapping of each tool and a paragraph on how to call them.
  const shape = {
    ...json,
    letters: json.letters + 400,
    words: json.words + 80,
    marks: json.marks + 30 * tools.length,
    messages: 1,
  };
  toolShapes.set(tools, shape);
  return shape;
}

function sumOf(shape: TextShape, rates: Rates): number {
  let sum = 0;
  for (const kind of KINDS) sum += shape[kind] * rates.perKind[kind];
  return sum;
}

/** An estimate of a text of this shape, in tokens. */
export function estimateShape(shape: TextShape, rates: Rates): number {
  return Math.ceil(sumOf(shape, rates) * rates.margin);
}

/** An estimate of a text without a message around it, in tokens. */
export function estimateText(text: string, rates: Rates): number {
  return estimateShape(shapeOf(text), rates);
}

/** An estimate of messages as they stand in a prompt, in tokens. */
export function estimateMessages(messages: readonly ContextMessage[], rates: Rates): number {
  return estimateShape(shapeOfAll(messages), rates);
}

interface Summed {
  readonly messages: readonly ContextMessage[];
  readonly shape: TextShape;
}

// By the last message: a conversation is only appended to, so the next sum begins where the one before ended.
const summed = new WeakMap<ContextMessage, Summed>();

/** The same estimate for a whole conversation that was estimated before and has grown since. */
export function estimateConversation(messages: readonly ContextMessage[], rates: Rates): number {
  const last = messages.at(-1);
  if (last === undefined) return 0;
  // Any message may be another one by now: a summary can be edited, a result dropped.
  const isKnown = (message: ContextMessage, index: number) => {
    const known = summed.get(message);
    return (
      known?.messages.length === index + 1 && known.messages.every((one, place) => one === messages[place])
    );
  };
  const end = messages.findLastIndex(isKnown);
  const start = messages[end];
  const known = start && summed.get(start);
  if (start !== undefined && start !== last) summed.delete(start);
  const added = shapeOfAll(messages.slice(end + 1));
  const shape = known === undefined ? added : addShapes(known.shape, added);
  summed.set(last, { messages, shape });
  return estimateShape(shape, rates);
}

/**
 * What thinking takes of such an estimate although it is not in the prompt: chat templates leave out that of all turns but the newest.
 * `all` counts the newest turn too, for servers that leave that out as well.
 */
export function leftOutThinking(
  messages: readonly ContextMessage[],
  rates: Rates,
  all: "all" | "earlier" = "earlier",
): number {
  const end = all === "all" ? messages.length : messages.findLastIndex(({ role }) => role === "user");
  const shape = sumShapes(messages.slice(0, Math.max(0, end)), thinkingShape);
  return Math.floor(sumOf(shape, rates) * rates.margin);
}

/** An estimate of what every request of a session begins with: the tool list and the system prompt, in tokens. */
export function estimateFixed(systemPrompt: string, tools: readonly ToolSchema[], rates: Rates): number {
  return Math.ceil(sumOf(fixedShape(systemPrompt, tools), DEFAULT_RATES) * rates.fixedFactor);
}

function fixedShape(systemPrompt: string, tools: readonly ToolSchema[]): TextShape {
  return addShapes({ ...shapeOf(systemPrompt), messages: 1 }, toolsShape(tools));
}

/** A count that is further from the estimate says more about the server (a cut prompt, a new template) than about the text. */
export const BELIEVABLE = { lowest: 0.25, highest: 4 } as const;

/** Below this many tokens the marks around messages outweigh the text, and a count teaches little about the text. */
const TELLING_TOKENS = 150;

/** Rates that fit better a text of `shape` which the server counted as `tokens`. */
function calibrate(rates: Rates, shape: TextShape, tokens: number): Rates {
  const predicted = sumOf(shape, rates);
  const ratio = tokens / predicted;
  if (!(ratio > BELIEVABLE.lowest && ratio < BELIEVABLE.highest)) return rates;
  let squares = 0;
  for (const kind of KINDS) squares += (shape[kind] * rates.perKind[kind]) ** 2;
  const step = (0.4 * Math.min(1, tokens / TELLING_TOKENS) * (tokens - predicted)) / squares;
  const perKind = { ...rates.perKind };
  for (const kind of KINDS) {
    const usual = DEFAULT_RATES.perKind[kind];
    const moved = rates.perKind[kind] * (1 + step * shape[kind] * rates.perKind[kind]);
    perKind[kind] = Math.min(usual * RATE_RANGE.highest, Math.max(usual * RATE_RANGE.lowest, moved));
  }
  if (tokens < TELLING_TOKENS) return { ...rates, perKind };
  const remaining = tokens / sumOf(shape, { ...rates, perKind });
  const margin = remaining > rates.margin ? remaining : rates.margin + (MARGIN.lowest - rates.margin) * 0.1;
  return { ...rates, perKind, margin: Math.min(MARGIN.highest, Math.max(MARGIN.lowest, margin)) };
}

/** The count of a whole prompt is taken for the fixed part while the other messages are at most this share of it. */
const SHARE_OF_OTHERS = 0.4;

/** What is added to a measured fixed part, since the messages beside it were only estimated. */
const FIXED_MARGIN = 1.03;

/**
 * What a reply's counts teach about a model (design §3.3). From one measured reply to the next the prompt grew by exactly the
 * messages between them; the first one of a context measures its beginning. `messages` is the context that the reply was made
 * from, `anchor` the measured beginning of it, if there is one.
 */
export function learn(
  rates: Rates,
  messages: readonly ContextMessage[],
  anchor: Anchor | undefined,
  { reply, tools }: { readonly reply: LogEvent & AssistantMessage; readonly tools: readonly ToolSchema[] },
): Rates {
  const { promptTokens } = reply.usage;
  if (!isMeasured(reply) || promptTokens === undefined) return rates;
  // What was counted there is not what stands there now.
  if (anchor?.swaps !== undefined) return rates;
  if (anchor !== undefined) {
    const added = messages.slice(anchor.index + 1);
    // Templates strip the thinking before a new user message, so the growth then says nothing about the text.
    if (added.some(({ role }) => role === "user") && messages.some(hasThinking)) return rates;
    return calibrate(rates, shapeOfAll(added), promptTokens - anchor.tokens);
  }
  const system = messages[0]?.role === "system" ? messages[0].content : "";
  const others = messages.slice(messages[0]?.role === "system" ? 1 : 0);
  const shape = shapeOfAll(asRendered(others));
  const othersTokens = sumOf(shape, rates);
  if (othersTokens > promptTokens * SHARE_OF_OTHERS) {
    return calibrate(rates, shape, promptTokens - estimateFixed(system, tools, rates) / FIXED_MARGIN);
  }
  const ratio = (promptTokens - othersTokens) / sumOf(fixedShape(system, tools), DEFAULT_RATES);
  if (!(ratio > BELIEVABLE.lowest && ratio < BELIEVABLE.highest)) return rates;
  return { ...rates, fixedFactor: ratio * FIXED_MARGIN };
}

function shapeOfAll(messages: readonly ContextMessage[]): TextShape {
  return sumShapes(messages, messageShape);
}

/** The messages without the thinking that chat templates leave out. */
function asRendered(messages: readonly ContextMessage[]): readonly ContextMessage[] {
  const newest = Math.max(
    0,
    messages.findLastIndex(({ role }) => role === "user"),
  );
  return [...withoutThinking(messages.slice(0, newest)), ...messages.slice(newest)];
}

function hasThinking(message: ContextMessage): boolean {
  return message.role === "assistant" && message.thinking !== "";
}
