import type { ContextMessage } from "../window/messages";

/**
 * Where the verbatim tail begins (design §2.4): the last `keep` messages, at least from 1, moved back while it would begin
 * with a tool result whose call lies before it. Moving back only lengthens the tail and always ends.
 */
export function tailStart(messages: readonly ContextMessage[], keep: number): number {
  let start = Math.max(1, messages.length - keep);
  while (start > 1 && messages[start]?.role === "tool") start--;
  return start;
}

/** A run of messages that must stay together: an assistant message with all results of its calls, or any other alone. */
export interface Group {
  /** The index of its first message. */
  readonly start: number;
  readonly messages: readonly ContextMessage[];
}

/** The messages from `start` on, cut into groups; every message is in exactly one. */
export function groupsOf(messages: readonly ContextMessage[], start: number): Group[] {
  const groups: { start: number; messages: ContextMessage[] }[] = [];
  for (const [index, message] of messages.entries()) {
    if (index < start) continue;
    const group = groups.at(-1);
    if (message.role === "tool" && group !== undefined) group.messages.push(message);
    else groups.push({ start: index, messages: [message] });
  }
  return groups;
}

/**
 * How many messages at the end the model has not answered yet: the results of the newest round with their calls, or the
 * newest message of the user. They are never shortened.
 */
export function unreadCount(messages: readonly ContextMessage[]): number {
  const last = messages.at(-1);
  if (last === undefined || last.role === "assistant" || last.role === "system") return 0;
  let start = messages.length - 1;
  while (start > 1 && messages[start]?.role === "tool") start--;
  return messages.length - start;
}
