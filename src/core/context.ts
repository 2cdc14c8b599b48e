import type { AssistantMessage, Compacted, LogEvent } from "../shared/events";
import type { ContextMessage } from "./messages";
import { renderSummaryMessage } from "./summaryMessage";

/** A measured beginning of the context: `messages[0..index]` are `tokens` tokens by the server's own count. */
export interface Anchor {
  readonly index: number;
  readonly tokens: number;
}

/** What the model is sent, computed from the log alone. */
export interface Context {
  readonly messages: readonly ContextMessage[];
  /** Absent while nothing in this array has been counted, e.g. right after a compaction. */
  readonly anchor: Anchor | undefined;
  /** The compaction that this context begins with. */
  readonly compaction: (LogEvent & Compacted) | undefined;
}

interface Draft {
  messages: ContextMessage[];
  anchor: Anchor | undefined;
  compaction: (LogEvent & Compacted) | undefined;
  model: string;
}

/** The second projection of the log (the first is the transcript): pure, and the same after every restart. */
export function projectContext(events: readonly LogEvent[]): Context {
  const projection = new ContextProjection();
  for (const event of events) projection.apply(event);
  return projection.context;
}

/** The same projection, one event at a time. */
export class ContextProjection {
  readonly #draft: Draft = { messages: [], anchor: undefined, compaction: undefined, model: "" };

  apply(event: LogEvent): void {
    applyToContext(this.#draft, event);
  }

  /** A copy: what is sent must not change while it is being sent. */
  get context(): Context {
    const { messages, anchor, compaction } = this.#draft;
    return { messages: [...messages], anchor, compaction };
  }
}

function applyToContext(draft: Draft, event: LogEvent): void {
  switch (event.type) {
    case "prompt_built":
      setSystemPrompt(draft, event.id, event.systemPrompt);
      return;
    case "window_set":
      // Another model counts with another tokenizer.
      if (event.model !== draft.model) draft.anchor = undefined;
      draft.model = event.model;
      return;
    case "user_message":
    case "model_note":
      draft.messages.push({ role: "user", source: event.id, content: event.text });
      return;
    case "assistant_message":
      addAssistantMessage(draft, event);
      return;
    case "tool_result":
      draft.messages.push({
        role: "tool",
        source: event.id,
        content: event.content,
        toolName: event.name,
        callId: event.callId,
      });
      return;
    case "turn_resumed":
      if (event.how === "retry") dropInterruptedReply(draft);
      return;
    case "compacted":
      compact(draft, event);
      return;
    case "session_started":
    case "message_queued":
    case "message_withdrawn":
    case "turn_ended":
    case "compaction_failed":
    case "pinned":
    case "unpinned":
    case "notice":
      return;
  }
}

function setSystemPrompt(draft: Draft, source: string, content: string): void {
  const system: ContextMessage = { role: "system", source, content };
  if (draft.messages[0]?.role === "system") draft.messages[0] = system;
  else draft.messages.unshift(system);
  draft.anchor = undefined;
}

function addAssistantMessage(draft: Draft, event: LogEvent & AssistantMessage): void {
  const { id, text, thinking, toolCalls, usage } = event;
  // An empty message says nothing to the model, and some chat templates fail on it.
  if (text === "" && toolCalls.length === 0) return;
  draft.messages.push({ role: "assistant", source: id, content: text, thinking, toolCalls });
  if (isMeasured(event) && usage.promptTokens !== undefined) {
    draft.anchor = {
      index: draft.messages.length - 1,
      tokens: usage.promptTokens + (usage.replyTokens ?? 0),
    };
  }
}

/** True when the server's counts for this reply can be believed: absent, zero and cut counts cannot. */
export function isMeasured(event: AssistantMessage): boolean {
  const { promptTokens, replyTokens } = event.usage;
  return event.isPromptCut !== true && (promptTokens ?? 0) > 0 && (replyTokens ?? 0) > 0;
}

function dropInterruptedReply(draft: Draft): void {
  const last = draft.messages.at(-1);
  if (last?.role !== "assistant" || last.toolCalls.length > 0) return;
  draft.messages.pop();
  if (draft.anchor !== undefined && draft.anchor.index >= draft.messages.length) draft.anchor = undefined;
}

/** Exactly three parts: the fresh system prompt, the summary, the tail. */
function compact(draft: Draft, event: LogEvent & Compacted): void {
  const start = draft.messages.findIndex(({ source }) => source === event.tailFrom);
  const tail = start === -1 ? [] : draft.messages.slice(start);
  const shortened = new Map(event.shortened.map(({ eventId, content }) => [eventId, content]));
  draft.messages = [
    { role: "system", source: event.id, content: event.systemPrompt },
    { role: "user", source: event.id, content: renderSummaryMessage(event.summary, event.kept) },
    ...tail.map((message) => {
      const content = shortened.get(message.source);
      return content === undefined ? message : { ...message, content };
    }),
  ];
  draft.anchor = undefined;
  draft.compaction = event;
}
