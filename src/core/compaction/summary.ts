import type { ChatReply, ChatRequest } from "../ports";
import { cutToTokens } from "../window/cutToTokens";
import { estimateMessages, estimateText, type Rates } from "../window/estimate";
import type { ContextMessage } from "../window/messages";
import { safeIndex } from "../window/truncate";
import type { Window } from "../window/window";
import { groupsOf } from "./tail";

/** What the summariser is told at the end of the conversation; design §2.3 says what it must ask for. */
export function summaryInstruction(maxTokens: number, focus: string | undefined): string {
  const words = Math.max(40, Math.floor(maxTokens * 0.6));
  return [
    "Summarise the conversation above as notes for yourself, because it will be removed to save space and you will go on with only these notes.",
    "Write dense bullet points. Keep: the goals of the user; decisions that were made; the paths of files that were touched and how they changed; tool results that still matter, with exact names, numbers and values; work that is unfinished.",
    "Leave out pleasantries, dead ends and anything that no longer matters.",
    "Write in the language of the conversation. Do not call tools, do not continue the task, do not address the user.",
    `Use at most ${words} words.`,
    ...(focus === undefined
      ? []
      : [`Above all keep what concerns this: ${focus.slice(0, FOCUS_CHARACTERS)}`]),
  ].join("\n");
}

/** A focus is a wish, not a text of its own. */
const FOCUS_CHARACTERS = 500;

/** The request for one part of a fold: whole groups, then the instruction. */
export interface SummaryPart {
  readonly messages: readonly ContextMessage[];
  /** What the server has counted for these messages at the most, in tokens; absent where only the estimate is known. */
  readonly mostTokens?: number;
}

export interface FoldLimits {
  /** The most tokens that the summary may take. */
  readonly summaryTokens: number;
  readonly knownTokens: number;
  readonly focus?: string | undefined;
}

/**
 * The conversation cut into the fewest parts that fit the window each, in order; a message too large for one part is split over
 * several, so that every character is read by exactly one request. `knownTokens` is what the server has counted for all of them,
 * at most: often less than the careful estimate, and then one part may do.
 */
export function foldParts(
  toSummarise: readonly ContextMessage[],
  window: Window,
  { summaryTokens, knownTokens, focus }: FoldLimits,
): readonly SummaryPart[] {
  const { rates, numCtx } = window;
  const instruction = estimateText(summaryInstruction(summaryTokens, focus), rates) + 16;
  // Room for the summary itself; parts after the first also hold the summary of what came before.
  const whole = numCtx - instruction - summaryTokens - 64;
  const room = (part: number) => (part <= 1 ? whole : whole - summaryTokens);
  if (toSummarise.length > 0 && knownTokens <= whole)
    return [{ messages: toSummarise, mostTokens: knownTokens }];
  const parts: ContextMessage[][] = [];
  let size = Infinity;
  for (const group of groupsOf(toSummarise, 0)) {
    for (const piece of piecesOf(group.messages, room(parts.length + 1), rates)) {
      const tokens = estimateMessages(piece, rates);
      if (size + tokens > room(parts.length)) {
        parts.push([]);
        size = 0;
      }
      parts.at(-1)?.push(...piece);
      size += tokens;
    }
  }
  return parts.map((messages) => ({ messages }));
}

/** A group as it is when it fits, else as text, cut into pieces that fit. */
function piecesOf(messages: readonly ContextMessage[], room: number, rates: Rates): ContextMessage[][] {
  if (estimateMessages(messages, rates) <= room) return [[...messages]];
  const pieces: ContextMessage[][] = [];
  for (const message of messages) {
    for (const content of textPieces(plainText(message), room - MARKS_TOKENS, rates)) {
      pieces.push([{ role: "user", source: message.source, content }]);
    }
  }
  return pieces;
}

/** What stands around a message, in tokens. */
const MARKS_TOKENS = 16;

/** A text in pieces of at most `tokens` tokens; halved where it is denser than elsewhere, and never within a character. */
function textPieces(text: string, tokens: number, rates: Rates): string[] {
  const middle = safeIndex(text, Math.ceil(text.length / 2));
  if (middle <= 0 || middle >= text.length || estimateText(text, rates) <= tokens) return [text];
  return [
    ...textPieces(text.slice(0, middle), tokens, rates),
    ...textPieces(text.slice(middle), tokens, rates),
  ];
}

/** A message without its structure, for a summariser that must read it in pieces. */
function plainText(message: ContextMessage): string {
  switch (message.role) {
    case "system":
    case "user":
      return `User:\n${message.content}`;
    case "assistant": {
      const calls = message.toolCalls.map(
        ({ name, arguments: input }) => `${name}(${JSON.stringify(input)})`,
      );
      return ["Assistant:", message.content, ...calls].join("\n");
    }
    case "tool":
      return `Result of ${message.toolName}:\n${message.content}`;
  }
}

/** The isolated form (design §2.3): no system prompt, no tools, the conversation, then the instruction. */
export function isolatedRequest(
  model: string,
  window: Window,
  part: SummaryPart,
  options: {
    readonly earlier: string | undefined;
    readonly instruction: string;
    readonly thinking: ChatRequest["thinking"];
  },
): ChatRequest {
  const { earlier, instruction, thinking } = options;
  const messages: ContextMessage[] = [
    ...(earlier === undefined
      ? []
      : [
          {
            role: "user" as const,
            source: "",
            content: `Notes on the conversation before this point:\n${earlier}`,
          },
        ]),
    ...part.messages,
    { role: "user", source: "", content: instruction },
  ];
  const estimate = estimateMessages(messages, window.rates);
  // The careful estimate may fill the window where the count does not, and would leave no room for the summary.
  const counted = (part.mostTokens ?? Infinity) + estimateText(instruction, window.rates);
  const maxReplyTokens = Math.max(64, window.numCtx - Math.min(estimate, counted) - 16);
  return { model, numCtx: window.numCtx, messages, tools: [], maxReplyTokens, thinking };
}

/** Why a summary cannot be believed (design §3.6). */
export type SummaryFault =
  "empty" | "only thinking" | "a tool call" | "cut by length" | "larger than what it replaces";

const TOOL_CALL_SYNTAX =
  /<tool_call>|<\|?tool_calls?\|?>|<function[=_ ]|^\s*(?:```(?:json)?\s*)?\{\s*"(?:name|function|tool)"\s*:/i;

/** The shortest text that can be a summary of anything, in characters. */
const SHORTEST_SUMMARY = 8;

/** What is wrong with a summariser's reply, or undefined when it can be used. `replaces` is the size of what it stands for, in tokens. */
export function summaryFault(reply: ChatReply, replaces: number, rates: Rates): SummaryFault | undefined {
  const text = reply.text.trim();
  if (reply.toolCalls.length > 0 || TOOL_CALL_SYNTAX.test(text)) return "a tool call";
  if (reply.doneReason === "length") return "cut by length";
  if (text.length < SHORTEST_SUMMARY) return text === "" && reply.thinking !== "" ? "only thinking" : "empty";
  if (estimateText(text, rates) >= replaces) return "larger than what it replaces";
  return undefined;
}

/** A summary brought within its share of the window. */
export function capSummary(text: string, maxTokens: number, rates: Rates): string {
  return cutToTokens(text.trim(), maxTokens, rates, "the summary is at most a tenth of the context window");
}

/** The summary that code makes when no model's can be used and nothing else would fit: `earlier`, the one before, and last answers. */
export function summaryByCode(
  toSummarise: readonly ContextMessage[],
  earlier: string | undefined,
  maxTokens: number,
  rates: Rates,
): string {
  const answers = toSummarise.flatMap((message) =>
    message.role === "assistant" && message.content !== ""
      ? [`- ${message.content.replaceAll("\n", " ")}`]
      : [],
  );
  const lines = ["(The model gave no usable summary; these are notes made without it.)"];
  if (earlier !== undefined) lines.push(earlier);
  const left = maxTokens - estimateText(lines.join("\n"), rates);
  const share = Math.floor(left / LAST_ANSWERS);
  for (const answer of share < LEAST_ANSWER_TOKENS ? [] : answers.slice(-LAST_ANSWERS)) {
    lines.push(cutToTokens(answer, share, rates, "shortened"));
  }
  return capSummary(lines.join("\n"), maxTokens, rates);
}

const LAST_ANSWERS = 4;
const LEAST_ANSWER_TOKENS = 24;
