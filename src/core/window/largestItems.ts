import type { JsonValue, ToolCall } from "../../shared/events";
import type { ContextItem } from "../../shared/protocol";
import type { Context } from "./context";
import { estimateFixed, estimateMessages } from "./estimate";
import type { ContextMessage } from "./messages";
import { safeIndex } from "./truncate";
import { promptTokens, type Window } from "./window";

/** How many items are told. */
const MOST = 10;

/** What fills the window most, largest first. The sizes are scaled like those of the breakdown: with the rest they add up to the meter's. */
export function largestItems(context: Context, window: Window): readonly ContextItem[] {
  const { messages, dropped } = context;
  const calls = callsIn(messages);
  const sized = messages.map((message) => ({
    message,
    tokens:
      message.role === "system"
        ? estimateFixed(message.content, [], window.rates)
        : estimateMessages([message], window.rates),
  }));
  const all = sized.reduce((sum, { tokens }) => sum + tokens, estimateFixed("", window.tools, window.rates));
  const factor = all === 0 ? 1 : promptTokens(context, window).tokens / all;
  return sized
    .filter(({ message }) => message.role !== "tool" || !dropped.has(message.source))
    .sort((one, other) => other.tokens - one.tokens)
    .slice(0, MOST)
    .map(({ message, tokens }) => ({
      ...describe(message, context, calls),
      tokens: Math.round(tokens * factor),
    }));
}

/** The tool results without their bodies, in the order of the context. */
export function droppedItems({ messages, dropped }: Context): readonly ContextItem[] {
  const calls = callsIn(messages);
  return messages.flatMap((message) =>
    message.role === "tool" && dropped.has(message.source)
      ? [{ ...describe(message, undefined, calls), tokens: 0 }]
      : [],
  );
}

/** The calls of a context by their ids, for describing its results. */
export function callsIn(messages: readonly ContextMessage[]): ReadonlyMap<string, ToolCall> {
  const calls = messages.flatMap((message) => (message.role === "assistant" ? message.toolCalls : []));
  return new Map(calls.map((call) => [call.id, call]));
}

/** What a message is, for a line in a list. */
export function describe(
  message: ContextMessage,
  context: Pick<Context, "compaction"> | undefined,
  calls: ReadonlyMap<string, ToolCall>,
): Omit<ContextItem, "tokens"> {
  const { source, content } = message;
  switch (message.role) {
    case "system":
      return { kind: "system_prompt", title: "" };
    case "user":
      return source === context?.compaction?.id
        ? { kind: "summary", title: "", entryId: source }
        : { kind: "user", title: firstLine(content), entryId: source };
    case "assistant": {
      const called = message.toolCalls.map(({ name }) => name).join(", ");
      return { kind: "assistant", title: firstLine(content) || called, entryId: source };
    }
    case "tool": {
      const [target] = Object.values(calls.get(message.callId)?.arguments ?? {}).flatMap(textOf);
      const title = [message.toolName, ...(target === undefined ? [] : [firstLine(target)])].join(" ");
      return { kind: "tool_result", title, entryId: message.callId, resultId: source };
    }
  }
}

function textOf(value: JsonValue): string[] {
  return typeof value === "string" && value !== "" ? [value] : [];
}

const TITLE_CHARACTERS = 80;

function firstLine(text: string): string {
  const [line = ""] = text.trim().split("\n");
  return line.length > TITLE_CHARACTERS ? `${line.slice(0, safeIndex(line, TITLE_CHARACTERS - 1))}…` : line;
}
