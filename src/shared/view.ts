import { applySteering, compactionEntry, measureCompaction } from "./compactionView";
import type {
  AssistantMessage,
  LogEvent,
  Pinned,
  ToolResult,
  TurnEnded,
  Unpinned,
  UserMessage,
} from "./events";
import { keptAfter, withKept } from "./keptTurn";
import type { LiveEvent, SessionEvent } from "./live";
import type { AssistantEntry, Entry, Pin, SessionView, ToolEntry } from "./sessionView";

export type * from "./sessionView";

/** How many characters of a running tool's output the view holds. */
export const LIVE_OUTPUT_CHARACTERS = 4_000;

/** The view of a session in which nothing has happened yet. */
export const EMPTY_VIEW: SessionView = {
  sessionId: "",
  entries: [],
  phase: { name: "idle" },
  streaming: null,
  output: {},
  approvals: [],
  queue: [],
  pins: [],
  isPostponed: false,
  meter: null,
  steering: null,
  kept: null,
};

/** The one reducer, used by the host and by the page: the view after `event`. Never modifies its input. */
export function applyEvent(view: SessionView, event: SessionEvent): SessionView {
  return isLogEvent(event) ? applyLogEvent(view, event) : applyLiveEvent(view, event);
}

function isLogEvent(event: SessionEvent): event is LogEvent {
  return "v" in event;
}

function applyLiveEvent(view: SessionView, event: LiveEvent): SessionView {
  switch (event.type) {
    case "phase_changed":
      return { ...view, phase: event.phase };
    case "reply_started":
      return { ...view, streaming: { id: event.id, text: "", thinking: "" } };
    case "reply_delta":
      return view.streaming === null
        ? view
        : {
            ...view,
            streaming: {
              id: view.streaming.id,
              text: view.streaming.text + event.text,
              thinking: view.streaming.thinking + event.thinking,
            },
          };
    case "reply_discarded":
      return { ...view, streaming: null };
    case "tool_started":
      return updateTool(view, event.callId, (entry) => ({ ...entry, state: "running" }));
    case "tool_output": {
      const text = ((view.output[event.callId] ?? "") + event.text).slice(-LIVE_OUTPUT_CHARACTERS);
      return { ...view, output: { ...view.output, [event.callId]: text } };
    }
    case "approval_asked": {
      const { type: _, ...asked } = event;
      return { ...view, approvals: [...view.approvals, asked] };
    }
    case "approval_settled":
      return { ...view, approvals: view.approvals.filter(({ callId }) => callId !== event.callId) };
    case "meter_changed":
      return { ...view, meter: event.meter };
    case "steering_changed":
      return { ...view, steering: event.steering };
  }
}

function applyLogEvent(view: SessionView, event: LogEvent): SessionView {
  switch (event.type) {
    case "session_started":
      return { ...EMPTY_VIEW, sessionId: event.sessionId };
    case "message_queued":
      return { ...view, queue: [...view.queue, { id: event.queueId, text: event.text }] };
    case "message_withdrawn":
      return withoutQueued(view, event.queueId);
    case "user_message":
      return startTurn(view, event);
    case "assistant_message":
      return applyAssistantMessage(view, event);
    case "tool_result":
      return applyToolResult(view, event);
    case "turn_ended":
      return endTurn(view, event);
    case "turn_resumed":
      return closeTurn(view);
    case "files_kept":
      return { ...view, ...withKept(view.entries, keptAfter(view.kept, event)) };
    case "turn_restored":
      return push(view, { kind: "restored", id: event.id, event });
    case "compacted":
      return push({ ...view, isPostponed: false }, compactionEntry(view, event));
    case "compaction_failed":
      return push(view, { kind: "compaction_failed", id: event.id, event });
    case "notice":
    case "model_note":
      return push(view, { kind: "notice", id: event.id, event });
    case "pinned":
    case "unpinned":
      return { ...view, pins: applyPin(view.pins, event) };
    case "prompt_built":
    case "window_set":
      return view;
    default:
      return applySteering(view, event);
  }
}

function applyToolResult(view: SessionView, event: LogEvent & ToolResult): SessionView {
  const { [event.callId]: finished, ...output } = view.output;
  return updateTool({ ...view, output }, event.callId, (entry) => ({
    ...entry,
    state: event.outcome,
    result: event.content,
    summary: event.summary,
    resultId: event.id,
  }));
}

function applyAssistantMessage(view: SessionView, event: LogEvent & AssistantMessage): SessionView {
  const { id, text, thinking, model, end } = event;
  const entries = measureCompaction(view.entries, event);
  const tools = event.toolCalls.map((call): ToolEntry => ({
    kind: "tool",
    id: call.id,
    call,
    state: "pending",
    result: "",
    summary: "",
  }));
  const entry: AssistantEntry = { kind: "assistant", id, text, thinking, model, end };
  const isBlank = text === "" && thinking === "" && end === "complete";
  return {
    ...view,
    streaming: null,
    entries: [...entries, ...(isBlank ? [] : [entry]), ...tools],
  };
}

function withoutQueued(view: SessionView, queueId: string | undefined): SessionView {
  return queueId === undefined ? view : { ...view, queue: view.queue.filter(({ id }) => id !== queueId) };
}

function applyPin(pins: readonly Pin[], event: Pinned | Unpinned): readonly Pin[] {
  const others = pins.filter(({ id }) => id !== event.pinId);
  return event.type === "pinned" ? [...others, { id: event.pinId, text: event.text }] : others;
}

function startTurn(view: SessionView, event: LogEvent & UserMessage): SessionView {
  const { id, at, text, queueId } = event;
  return push({ ...withoutQueued(closeTurn(view), queueId), kept: null }, { kind: "user", id, at, text });
}

function endTurn(view: SessionView, event: LogEvent & TurnEnded): SessionView {
  const kept = view.kept === null ? {} : { kept: view.kept };
  const entry: Entry = { kind: "turn_ended", id: event.id, event, canResume: true, ...kept };
  return push({ ...view, streaming: null }, entry);
}

/** Only the last turn can be resumed. */
function closeTurn(view: SessionView): SessionView {
  const index = view.entries.findLastIndex((entry) => entry.kind === "turn_ended");
  const entry = view.entries[index];
  return entry?.kind === "turn_ended" && entry.canResume
    ? replace(view, index, { ...entry, canResume: false })
    : view;
}

function updateTool(view: SessionView, callId: string, change: (entry: ToolEntry) => ToolEntry): SessionView {
  const index = view.entries.findLastIndex((entry) => entry.kind === "tool" && entry.id === callId);
  const entry = view.entries[index];
  return entry?.kind === "tool" ? replace(view, index, change(entry)) : view;
}

function push(view: SessionView, entry: Entry): SessionView {
  return { ...view, entries: [...view.entries, entry] };
}

function replace(view: SessionView, index: number, entry: Entry): SessionView {
  return { ...view, entries: view.entries.with(index, entry) };
}
