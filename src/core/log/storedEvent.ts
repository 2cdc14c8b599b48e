import { LOG_VERSION, type LogEvent } from "../../shared/events";
import { count, flag, hasFields, list, listOf, object, oneOf, optional, text, type Check } from "./fields";

/** A line that another version of Loom wrote: kept in the file as it is, and not understood here. */
export interface UnknownEvent {
  readonly type: "unknown";
  readonly line: string;
}

/** The event in one stored line, `unknown` for a well-formed event of another version, undefined when the line is damaged. */
export function parseStoredLine(line: string): LogEvent | UnknownEvent | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null || !("type" in value) || typeof value.type !== "string") {
    return undefined;
  }
  if (!("v" in value) || typeof value.v !== "number") return undefined;
  if (value.v !== LOG_VERSION || !Object.hasOwn(FIELDS, value.type)) return { type: "unknown", line };
  return isLogEvent(value) ? value : undefined;
}

/** The line that `parseStoredLine` reads; it never holds a line break. */
export function formatStoredLine(event: LogEvent): string {
  return JSON.stringify(event);
}

const FORM = oneOf("isolated", "in_place", "by_code");
const REQUESTS = optional(listOf({ form: text, usage: object, timings: optional(object) }));
const TRIGGER = oneOf("automatic", "by_hand", "window_full", "overflow");

/** The fields without which an event of each type would break a projection. */
const FIELDS: Readonly<Record<LogEvent["type"], Readonly<Record<string, Check>>>> = {
  session_started: { sessionId: text },
  prompt_built: { systemPrompt: text },
  window_set: { model: text, numCtx: count, source: oneOf("settings", "server") },
  message_queued: { queueId: text, text },
  message_withdrawn: { queueId: text },
  user_message: { text, queueId: optional(text) },
  assistant_message: {
    model: text,
    text,
    thinking: text,
    toolCalls: listOf({ id: text, name: text, arguments: object }),
    end: oneOf("complete", "cut_by_length", "stopped", "failed"),
    usage: object,
    estimatedPromptTokens: count,
  },
  tool_result: {
    callId: text,
    name: text,
    content: text,
    summary: text,
    outcome: oneOf("ok", "error", "denied", "cancelled"),
    facts: optional(object),
  },
  model_note: { text },
  turn_ended: {
    reason: oneOf("done", "stopped", "failed", "round_limit", "repeating", "no_answer"),
    failure: optional((value) => hasFields(value, { kind: text, message: text })),
  },
  turn_resumed: { how: oneOf("retry", "continue") },
  compacted: {
    trigger: TRIGGER,
    model: text,
    form: FORM,
    summary: text,
    systemPrompt: text,
    tailFrom: optional(text),
    shortened: listOf({ eventId: text, content: text }),
    kept: (value) => hasFields(value, { words: list, pins: optional(list), files: list, commands: list }),
    messagesSummarised: count,
    messagesKept: count,
    before: (value) => hasFields(value, { tokens: count }),
    afterTokens: count,
    durationMs: count,
    predictedMs: optional(count),
    requests: REQUESTS,
  },
  compaction_failed: {
    trigger: TRIGGER,
    message: text,
    fault: optional(oneOf("fixed_part", "giant_message", "summary")),
    conditions: optional((value) =>
      hasFields(value, { model: text, numCtx: count, threshold: count, keepMessages: count }),
    ),
  },
  compaction_undone: { compactionId: text },
  summary_replaced: {
    compactionId: text,
    summary: text,
    origin: oneOf("edited", "regenerated"),
    wish: optional(text),
    model: optional(text),
    form: optional(FORM),
    durationMs: optional(count),
    requests: REQUESTS,
  },
  summary_chosen: { compactionId: text, versionId: text },
  result_dropped: { resultId: text },
  result_restored: { resultId: text },
  compaction_postponed: {},
  postponement_used: {},
  pinned: { pinId: text, text },
  unpinned: { pinId: text },
  files_kept: {
    turnId: text,
    files: listOf({ path: text, was: oneOf("file", "missing", "not_kept") }),
    stage: optional(oneOf("expected", "unchanged")),
    more: optional(count),
    isCut: optional(flag),
  },
  turn_restored: {
    turnId: text,
    undoId: text,
    files: listOf({ path: text, how: oneOf("restored", "recreated", "deleted", "merged") }),
  },
  notice: { level: oneOf("info", "warning"), text },
};

function isLogEvent(value: object): value is LogEvent {
  if (!hasFields(value, { id: text, at: count })) return false;
  return Object.entries(FIELDS).some(
    ([type, fields]) => "type" in value && value.type === type && hasFields(value, fields),
  );
}
