import type { LogBody, LogEvent, ToolCall } from "../../shared/events";
import type { Journal } from "./journal";

const CLOSED =
  "Loom was closed before this call finished. Whether it took effect is unknown: look before you go on.";

/**
 * What must be appended to a stored log whose writer was ended in the middle of a turn, so that every call has exactly one result
 * and the turn has an end. Nothing for a log that is whole.
 */
export function repairEvents(events: readonly LogEvent[]): LogBody[] {
  const open = new Map<string, ToolCall>();
  let isTurnOpen = false;
  for (const event of events) {
    if (event.type === "assistant_message") for (const call of event.toolCalls) open.set(call.id, call);
    if (event.type === "tool_result") open.delete(event.callId);
    if (event.type === "user_message" || event.type === "turn_resumed") isTurnOpen = true;
    if (event.type === "turn_ended") isTurnOpen = false;
  }
  const results = [...open.values()].map(({ id, name }): LogBody => ({
    type: "tool_result",
    callId: id,
    name,
    outcome: "cancelled",
    content: CLOSED,
    summary: "Loom was closed",
  }));
  if (!isTurnOpen) return results;
  return [
    ...results,
    { type: "turn_ended", reason: "stopped", message: "Loom was closed before this turn ended." },
  ];
}

/** Appends what is missing; true when something was. */
export function repair(journal: Journal): boolean {
  const missing = repairEvents(journal.events);
  for (const body of missing) journal.append(body);
  return missing.length > 0;
}
