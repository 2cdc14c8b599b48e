import type {
  AssistantMessage,
  Compacted,
  LogEvent,
  ResultDropped,
  ResultRestored,
  SummaryChosen,
  SummaryReplaced,
  ToolResult,
} from "../../shared/events";
import { tailStart } from "../compaction/tail";
import type { ContextMessage, Unseen } from "./messages";
import { renderSummaryMessage } from "./summaryMessage";

/** A measured beginning of the context: `messages[0..index]` are `tokens` tokens by the server's own count. */
export interface Anchor {
  readonly index: number;
  readonly tokens: number;
  /** What stands there by now in place of what was counted; absent while all of it is as it was. */
  readonly swaps?: readonly Swap[];
  /** True when the server has read another conversation since it counted this one. */
  readonly wasLeft?: true;
}

interface Swap {
  readonly out: ContextMessage;
  readonly in: ContextMessage;
}

/** The anchor if the server likely still has in its cache what it counted there. */
export function cachedAnchor({ anchor }: Pick<Context, "anchor">): Anchor | undefined {
  return anchor?.swaps === undefined && anchor?.wasLeft === undefined ? anchor : undefined;
}

/** What the model is sent, computed from the log alone. */
export interface Context {
  readonly messages: readonly ContextMessage[];
  /** Absent while nothing in this array has been counted, e.g. right after a compaction. */
  readonly anchor: Anchor | undefined;
  /** The compaction that this context begins with, with the summary that is in force. */
  readonly compaction: (LogEvent & Compacted) | undefined;
  /** The tool results without their bodies, by the ids of their events. */
  readonly dropped: ReadonlySet<string>;
}

interface Draft {
  /** Dropped results are still whole here. */
  messages: ContextMessage[];
  anchor: Anchor | undefined;
  compaction: (LogEvent & Compacted) | undefined;
  /** The summaries that the compaction has had, by the events that brought them. */
  versions: Map<string, string>;
  /** What stands in the place of dropped results, by their events. */
  dropped: Map<string, ContextMessage>;
  model: string;
  /** True while the counts are those of a context that was undone since. */
  isElsewhere: boolean;
}

/** The second projection of the log (the first is the transcript): pure, and the same after every restart. */
export function projectContext(events: readonly LogEvent[]): Context {
  const projection = new ContextProjection();
  for (const event of events) projection.apply(event);
  return projection.context;
}

/** The same projection, one event at a time. */
export class ContextProjection {
  #events: LogEvent[] = [];
  #draft = emptyDraft();

  apply(event: LogEvent): void {
    this.#events.push(event);
    if (event.type === "compaction_undone") this.#draft = replay(this.#events);
    else applyToContext(this.#draft, event);
  }

  /** A copy: what is sent must not change while it is being sent. */
  get context(): Context {
    const { messages, anchor, compaction, dropped } = this.#draft;
    const sent = messages.map((message) => placeholderOf(dropped, message) ?? message);
    return { messages: sent, anchor, compaction, dropped: new Set(dropped.keys()) };
  }
}

function emptyDraft(): Draft {
  return {
    messages: [],
    anchor: undefined,
    compaction: undefined,
    versions: new Map(),
    dropped: new Map(),
    model: "",
    isElsewhere: false,
  };
}

/** The context as if the compactions that were undone had never been. */
function replay(events: readonly LogEvent[]): Draft {
  const undoneAt = new Map<string, number>();
  for (const [index, event] of events.entries()) {
    if (event.type === "compaction_undone") undoneAt.set(event.compactionId, index);
  }
  const draft = emptyDraft();
  let elsewhereUntil = -1;
  for (const [index, event] of events.entries()) {
    const undone = event.type === "compacted" ? undoneAt.get(event.id) : undefined;
    if (undone !== undefined) elsewhereUntil = Math.max(elsewhereUntil, undone);
    draft.isElsewhere = index < elsewhereUntil;
    if (undone === undefined) applyToContext(draft, event);
    if (event.type === "compaction_undone" && draft.anchor !== undefined) {
      draft.anchor = { ...draft.anchor, wasLeft: true };
    }
  }
  return draft;
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
      addResult(draft, event);
      return;
    case "turn_resumed":
      if (event.how === "retry") dropInterruptedReply(draft);
      return;
    case "compacted":
      compact(draft, event);
      return;
    case "summary_replaced":
    case "summary_chosen":
      setSummary(draft, event);
      return;
    case "result_dropped":
    case "result_restored":
      setDropped(draft, event);
      return;
    default:
      event.type satisfies Unseen;
  }
}

/**
 * Puts a result behind its call and the results of the calls before. That is the end, unless lines of the log were lost: then a result
 * can be missing until the log is repaired, or have no call, and servers refuse what is out of order.
 */
function addResult(draft: Draft, { id, content, name, callId }: LogEvent & ToolResult): void {
  const { messages } = draft;
  const placeIn = (message: ContextMessage | undefined, call: string) =>
    message?.role === "assistant" ? message.toolCalls.findIndex((one) => one.id === call) : -1;
  const start = messages.findLastIndex((message) => placeIn(message, callId) !== -1);
  const caller = messages[start];
  if (caller === undefined) return;
  let end = start + 1;
  for (let next = messages[end]; next?.role === "tool"; next = messages[++end]) {
    if (next.callId === callId) return;
    if (placeIn(caller, next.callId) > placeIn(caller, callId)) break;
  }
  if (end < messages.length) draft.anchor = undefined;
  messages.splice(end, 0, { role: "tool", source: id, content, toolName: name, callId });
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
  if (isMeasured(event) && usage.promptTokens !== undefined && !draft.isElsewhere) {
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
  const { tailFrom, messagesKept } = event;
  const found = draft.messages.findIndex(({ source }) => source === tailFrom);
  // Where the line of the log is lost that the tail begins with, one message too many is better than none.
  const start = found === -1 ? tailStart(draft.messages, messagesKept) : found;
  const tail = tailFrom === undefined ? [] : draft.messages.slice(start);
  const shortened = new Map(event.shortened.map(({ eventId, content }) => [eventId, content]));
  draft.messages = [
    { role: "system", source: event.id, content: event.systemPrompt },
    { role: "user", source: event.id, content: renderSummaryMessage(event.summary, event.kept) },
    ...tail.map((message) => {
      const content = shortened.get(message.source);
      return content === undefined ? message : { ...message, content };
    }),
  ];
  for (const resultId of draft.dropped.keys()) {
    if (!tail.some(({ source }) => source === resultId)) draft.dropped.delete(resultId);
  }
  draft.anchor = undefined;
  draft.compaction = event;
  draft.versions = new Map([[event.id, event.summary]]);
}

function setSummary(draft: Draft, event: LogEvent & (SummaryReplaced | SummaryChosen)): void {
  const { compaction, versions } = draft;
  if (compaction?.id !== event.compactionId) return;
  if (event.type === "summary_replaced") versions.set(event.id, event.summary);
  const summary = versions.get(event.type === "summary_replaced" ? event.id : event.versionId);
  const old = draft.messages[SLOT];
  if (summary === undefined || old === undefined) return;
  const content = renderSummaryMessage(summary, compaction.kept);
  const slot: ContextMessage = { role: "user", source: compaction.id, content };
  draft.messages[SLOT] = slot;
  draft.compaction = { ...compaction, summary };
  swap(draft, SLOT, { out: old, in: slot });
}

/** Where the summary of a compacted context stands. */
const SLOT = 1;

/** What stands in the place of a result whose body was dropped. */
const DROPPED =
  "[The user removed this result from the context to save space. Call the tool again if it is needed.]";

function setDropped(draft: Draft, { type, resultId }: ResultDropped | ResultRestored): void {
  const index = draft.messages.findIndex(({ role, source }) => role === "tool" && source === resultId);
  const message = draft.messages[index];
  if (message === undefined) return;
  const before = draft.dropped.get(resultId);
  if ((type === "result_dropped") === (before !== undefined)) return;
  if (before === undefined) {
    const placeholder = { ...message, content: DROPPED };
    draft.dropped.set(resultId, placeholder);
    swap(draft, index, { out: message, in: placeholder });
  } else {
    draft.dropped.delete(resultId);
    swap(draft, index, { out: before, in: message });
  }
}

function placeholderOf(dropped: Draft["dropped"], message: ContextMessage): ContextMessage | undefined {
  return message.role === "tool" ? dropped.get(message.source) : undefined;
}

/** Notes that a counted message is another one now. Back to what was counted, the count holds again. */
function swap(draft: Draft, index: number, change: Swap): void {
  const { anchor } = draft;
  if (anchor === undefined || index > anchor.index) return;
  const { swaps = [], ...counted } = anchor;
  const back = swaps.findIndex((one) => one.in === change.out);
  const first = swaps[back]?.out ?? change.out;
  const others = swaps.filter((_, place) => place !== back);
  const isAsCounted = first.content === change.in.content;
  const now = isAsCounted ? others : [...others, { out: first, in: change.in }];
  draft.anchor = now.length === 0 ? counted : { ...counted, swaps: now };
}
