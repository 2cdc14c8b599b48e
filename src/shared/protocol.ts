import type { Failure, TokenCount } from "./events";
import type { ApprovalDecision, SessionEvent } from "./live";
import { parseSteeringAction, type SteeringAction } from "./steeringActions";
import type { SessionView } from "./view";

/** What can be said about the server and the model before anything is sent. */
export type ModelStatus = ServerStatus & {
  /** What the workspace's settings name as the address and Loom does not use: it was refused, or nobody has said yet. */
  readonly otherAddress?: { readonly url: string; readonly isRefused: boolean };
};

export type ServerStatus =
  | { readonly state: "checking"; readonly address: string }
  /** Its list of models could not be had, for this reason. */
  | ({ readonly state: "unreachable"; readonly address: string } & Pick<Failure, "kind" | "message">)
  | { readonly state: "no_models"; readonly address: string }
  | { readonly state: "none_chosen"; readonly address: string; readonly installed: readonly string[] }
  | { readonly state: "missing"; readonly address: string; readonly model: string }
  | { readonly state: "no_tools"; readonly address: string; readonly model: string }
  /** It runs elsewhere, and nobody has agreed yet that what is sent leaves the machine. */
  | { readonly state: "cloud"; readonly address: string; readonly model: string }
  | {
      readonly state: "ready";
      readonly address: string;
      readonly model: string;
      readonly isRehearsal: boolean;
      /** What is known of its window, in tokens. */
      readonly trainedContext?: number;
      readonly modelfileNumCtx?: number;
    };

/** What fills the context window: the parts and `free` add up to `window` unless the context is larger (tokens). */
export interface ContextBreakdown {
  readonly window: number;
  readonly used: TokenCount;
  readonly compactAt: number;
  readonly parts: readonly ContextPart[];
}

export interface ContextPart {
  readonly name:
    | "system_prompt"
    | "tools"
    | "summary"
    | "your_words"
    | "pins"
    | "files_and_commands"
    | "tool_results"
    | "conversation"
    | "reply_room"
    | "free";
  readonly tokens: number;
}

/** One message of the context, for a list. */
export interface ContextItem {
  readonly kind: "system_prompt" | "summary" | "user" | "assistant" | "tool_result";
  /** One line: how it begins, or what was called; empty where the kind says it all. */
  readonly title: string;
  readonly tokens: number;
  /** Where it is in the transcript. */
  readonly entryId?: string;
  /** The event of a tool result, whose body can be dropped from the context. */
  readonly resultId?: string;
}

/** What the next compaction would do. All sizes are tokens. */
export interface CompactionPreview {
  /** False when only the person starts a compaction. */
  readonly isAutomatic: boolean;
  /** Absent while there is nothing that a compaction could summarise. */
  readonly plan?: {
    readonly messagesSummarised: number;
    /** What stays word for word, in order. */
    readonly kept: readonly ContextItem[];
    /** How many of these are shortened. */
    readonly shortened: number;
    readonly words: number;
    readonly wordsCut: number;
    readonly pins: number;
    readonly files: number;
    readonly commands: number;
    /** At most, with the largest summary. */
    readonly afterTokens: number;
  };
}

/** What there is to see and to do in the context besides its parts. */
export interface ContextDetails {
  /** The largest first. */
  readonly largest: readonly ContextItem[];
  readonly dropped: readonly ContextItem[];
  readonly next: CompactionPreview;
}

/** What stands in the composer and was not sent. */
export interface Draft {
  readonly text: string;
  /** When the text was last changed, in milliseconds since 1970; 0 for never. */
  readonly at: number;
}

export const NO_DRAFT: Draft = { text: "", at: 0 };

/** Things that the person can ask for by a button or a slash command; the host runs the same command as the palette. */
export type PageCommand =
  | "compactNow"
  | "newSession"
  | "showContext"
  | "showRequest"
  | "showSummary"
  | "restoreTurn"
  | "showSessions"
  | "selectModel"
  | "selectWindow"
  | "chooseAddress"
  | "allowCloudModel"
  | "setToken"
  | "startOllama"
  | "pullModel"
  | "openSettings"
  | "openLog"
  | "openFolder"
  | "checkAgain";

const PAGE_COMMANDS: ReadonlySet<string> = new Set<PageCommand>([
  "compactNow",
  "newSession",
  "showContext",
  "showRequest",
  "showSummary",
  "restoreTurn",
  "showSessions",
  "selectModel",
  "selectWindow",
  "chooseAddress",
  "allowCloudModel",
  "setToken",
  "startOllama",
  "pullModel",
  "openSettings",
  "openLog",
  "openFolder",
  "checkAgain",
]);

/** Host → page. The page speaks first (`ready`), the host answers with one snapshot, then sends events. */
export type ToPage =
  | {
      readonly type: "snapshot";
      readonly view: SessionView;
      readonly status: ModelStatus;
      readonly hasFolder: boolean;
      /** As the host knows it; the page may know a newer one. */
      readonly draft: Draft;
    }
  | { readonly type: "events"; readonly sessionId: string; readonly events: readonly SessionEvent[] }
  | { readonly type: "status"; readonly status: ModelStatus }
  | {
      readonly type: "context";
      readonly breakdown: ContextBreakdown;
      readonly details: ContextDetails;
    }
  | { readonly type: "focus_composer" }
  /** Why something that the person asked for was not done, or that it was. */
  | { readonly type: "say"; readonly message: string }
  /** A sent message that was refused goes back to where it was typed, with the reason. */
  | { readonly type: "send_refused"; readonly id: string; readonly text: string; readonly message: string };

/** Page → host. */
export type FromPage =
  | { readonly type: "ready" }
  | { readonly type: "send"; readonly id: string; readonly text: string }
  /** The draft has changed: the editor may forget what the page saves when the window is reloaded. */
  | { readonly type: "draft"; readonly draft: Draft }
  | { readonly type: "withdraw"; readonly id: string }
  /** The cursor is in the message field: a message is likely to come. */
  | { readonly type: "composer_focused" }
  | { readonly type: "stop" }
  | { readonly type: "resume"; readonly how: "retry" | "continue" }
  | {
      readonly type: "decide";
      readonly callId: string;
      readonly decision: ApprovalDecision;
      readonly askId?: number;
    }
  | { readonly type: "steer"; readonly action: SteeringAction }
  | { readonly type: "show_diff"; readonly callId: string }
  | { readonly type: "command"; readonly command: PageCommand; readonly argument: string }
  | { readonly type: "copy"; readonly text: string }
  | { readonly type: "insert_at_cursor"; readonly text: string }
  | { readonly type: "open_link"; readonly url: string }
  | { readonly type: "open_file"; readonly path: string }
  | { readonly type: "page_error"; readonly message: string };

type Fields = Readonly<Record<string, unknown>>;

/** The message that `value` is, or undefined when it is none: the border between page and host. */
export function parseFromPage(value: unknown): FromPage | undefined {
  if (!isObject(value)) return undefined;
  switch (value["type"]) {
    case "ready":
    case "composer_focused":
    case "stop":
      return { type: value["type"] };
    case "send":
      return hasText(value, "id", "text") ? { type: "send", id: value.id, text: value.text } : undefined;
    case "draft": {
      const draft = parseDraft(value["draft"]);
      return draft && { type: "draft", draft };
    }
    case "withdraw":
      return hasText(value, "id") ? { type: "withdraw", id: value.id } : undefined;
    case "resume":
      return value["how"] === "retry" || value["how"] === "continue"
        ? { type: "resume", how: value["how"] }
        : undefined;
    case "decide":
      return parseDecide(value);
    case "steer": {
      const action = parseSteeringAction(value["action"]);
      return action && { type: "steer", action };
    }
    case "show_diff":
      return hasText(value, "callId") ? { type: "show_diff", callId: value.callId } : undefined;
    case "command":
      return hasText(value, "command", "argument") && isPageCommand(value.command)
        ? { type: "command", command: value.command, argument: value.argument }
        : undefined;
    case "copy":
    case "insert_at_cursor":
      return hasText(value, "text") ? { type: value["type"], text: value.text } : undefined;
    case "open_link":
      return hasText(value, "url") ? { type: "open_link", url: value.url } : undefined;
    case "open_file":
      return hasText(value, "path") ? { type: "open_file", path: value.path } : undefined;
    case "page_error":
      return hasText(value, "message") ? { type: "page_error", message: value.message } : undefined;
    default:
      return undefined;
  }
}

/** The draft that `value` is, or undefined when it is none. */
export function parseDraft(value: unknown): Draft | undefined {
  if (!isObject(value) || !hasText(value, "text") || typeof value["at"] !== "number") return undefined;
  return { text: value.text, at: value["at"] };
}

function parseDecide(value: Fields): FromPage | undefined {
  const decision = value["decision"];
  if (!hasText(value, "callId") || !isObject(decision)) return undefined;
  const { callId } = value;
  const askId = value["askId"];
  const which = typeof askId === "number" ? { callId, askId } : { callId };
  const answer = decision["answer"];
  if (answer === "allow" || answer === "allow_for_session")
    return { type: "decide", ...which, decision: { answer } };
  return answer === "deny" && hasText(decision, "reason")
    ? { type: "decide", ...which, decision: { answer, reason: decision.reason } }
    : undefined;
}

const TO_PAGE_FIELDS: Readonly<Record<ToPage["type"], readonly string[]>> = {
  snapshot: ["view", "status", "draft"],
  events: ["events", "sessionId"],
  status: ["status"],
  context: ["breakdown", "details"],
  focus_composer: [],
  say: ["message"],
  send_refused: ["id", "text", "message"],
};

/** True when `value` has the outline of a message from the host. The page and the host are built together, so the outline is enough. */
export function isToPage(value: unknown): value is ToPage {
  if (!isObject(value) || typeof value["type"] !== "string") return false;
  const fields = Object.entries(TO_PAGE_FIELDS).find(([type]) => type === value["type"])?.[1];
  return fields?.every((field) => value[field] !== undefined) ?? false;
}

function isPageCommand(command: string): command is PageCommand {
  return PAGE_COMMANDS.has(command);
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function hasText<Name extends string>(
  value: Fields,
  ...names: Name[]
): value is Fields & Record<Name, string> {
  return names.every((name) => typeof value[name] === "string");
}
