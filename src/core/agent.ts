import type { Approvals, ApprovalMode, ApprovalRules } from "./approvals/approvals";
import type { SummaryRequestSetting } from "./compaction/summaryForm";
import { SHARES, SLOT_SCALES, type SlotScale } from "./limits";
import type { HashOf } from "./log/files";
import type { Journal } from "./log/journal";
import type { ChatModel, ToolSchema } from "./ports";
import type { AnyTool } from "./tools/tool";
import type { Checkpoints } from "./turn/checkpoints";
import type { Context } from "./window/context";
import { estimateMessages, estimateText } from "./window/estimate";
import { LARGER_WINDOW } from "./window/numCtx";
import { buildSystemPrompt, RULES_SHARE, type WorkspaceFacts } from "./window/systemPrompt";
import {
  compactAtOf,
  fixedTokens,
  pinTokens,
  replyRoomOf,
  systemPromptOf,
  type Window,
} from "./window/window";

/** What the person has set. */
export interface SessionSettings {
  /** Empty when none is chosen. */
  readonly model: string;
  /** Tokens. */
  readonly numCtx: number;
  /** A share of num_ctx between 0 and 1. */
  readonly compactionThreshold: number;
  readonly keepMessages: number;
  readonly automaticCompaction: boolean;
  /** In which form a summary is asked for. */
  readonly summaryRequest: SummaryRequestSetting;
  readonly roundLimit: number;
  readonly approvalMode: ApprovalMode;
  /** Commands that run without being asked about; see `isAllowedBy`. */
  readonly allowedCommands?: readonly string[];
  /** Why only reading is possible whatever the mode, e.g. because the workspace is not trusted. */
  readonly readOnlyReason?: string;
}

export type CommandOutcome = { readonly ok: true } | { readonly ok: false; readonly message: string };

export type SendOutcome =
  { readonly accepted: true } | { readonly accepted: false; readonly message: string };

/** What the parts of a running session share. */
export interface Agent {
  readonly journal: Journal;
  readonly approvals: Approvals;
  readonly chatModel: ChatModel;
  readonly tools: readonly AnyTool[];
  readonly schemas: readonly ToolSchema[];
  readonly settings: () => SessionSettings;
  readonly describeWorkspace: () => Promise<WorkspaceFacts>;
  /** The models and windows of which the server was asked what it really allocated, since this session was opened. */
  readonly checkedWindows: Set<string>;
  /** Absent where files cannot be looked at outside of tools. */
  readonly hashOf: HashOf | undefined;
  /** Absent where changes of files cannot be taken back. */
  readonly checkpoints: Checkpoints | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly newId: () => string;
  readonly log: (line: string) => void;
}

/** The model of the requests now; empty when none is chosen. */
export function modelOf(agent: Agent): string {
  return agent.journal.windowSet?.model ?? agent.settings().model;
}

/** The window of the requests now. */
export function windowOf(agent: Agent): Window {
  const { numCtx: asked, compactionThreshold, model } = agent.settings();
  const numCtx = agent.journal.windowSet?.numCtx ?? asked;
  return {
    numCtx,
    compactAt: compactAtOf(numCtx, compactionThreshold),
    tools: agent.schemas,
    rates: agent.journal.ratesOf(agent.journal.windowSet?.model ?? model),
  };
}

/** What the settings say of consent. */
export function rulesOf({ approvalMode, allowedCommands, readOnlyReason }: SessionSettings): ApprovalRules {
  if (readOnlyReason !== undefined) return { mode: "readOnly", readOnlyReason };
  return { mode: approvalMode, ...(allowedCommands && { allowedCommands }) };
}

/** The server gave the model less than was asked for: it is said, and used from here on. */
export function adoptSmallerWindow(agent: Agent, allocated: number): void {
  const model = modelOf(agent);
  const { numCtx } = windowOf(agent);
  if (allocated >= numCtx) return;
  agent.journal.append({ type: "window_set", model, numCtx: allocated, source: "server" });
  agent.journal.append({
    type: "notice",
    level: "warning",
    text: `The server gave ${model} a context window of ${allocated} tokens instead of the ${numCtx} that were asked for. Loom uses ${allocated} from here on.`,
  });
}

/** A system prompt of this moment. */
export async function freshSystemPrompt(agent: Agent): Promise<string> {
  const window = windowOf(agent);
  return buildSystemPrompt(await agent.describeWorkspace(), window.numCtx, window.rates);
}

/** Sees to it that the context begins with a system prompt: that of a new session is not built yet, that of a damaged log may be lost. */
export async function ensureSystemPrompt(agent: Agent): Promise<void> {
  const { journal } = agent;
  if (journal.context.messages[0]?.role === "system") return;
  journal.append({ type: "prompt_built", systemPrompt: await freshSystemPrompt(agent) });
}

/** What slot 1 of a compacted context takes at the most, in tokens. */
function slotTokens(numCtx: number, scale: SlotScale): number {
  const { summary, words, ledger } = SHARES;
  const shares = summary * scale.summary + words * scale.words + ledger * scale.ledger;
  return SLOT_SENTENCE_TOKENS + Math.ceil(numCtx * shares);
}

/** The bracketed sentence and the titles of the sections, in tokens. */
const SLOT_SENTENCE_TOKENS = 60;

/** What a compacted context takes before its newest round, in tokens: all that cannot leave. */
function floorTokens(agent: Agent, context: Context, window: Window): number {
  const slot = slotTokens(window.numCtx, SLOT_SCALES[0]) + carriedPins(agent, window);
  return fixedTokens(systemPromptOf(context), window) + slot + replyRoomOf(window.numCtx);
}

/** The tokens of what is pinned, as far as a compaction carries it. */
function carriedPins(agent: Agent, { numCtx, rates }: Window): number {
  const pins = agent.journal.view.pins.map(({ text }) => text);
  return Math.min(pinTokens(pins, rates), Math.ceil(numCtx * SHARES.pinsCarried));
}

/** The tokens that the newest request of the user takes; it is in every context word for word. */
function requestTokens(agent: Agent, window: Window): number {
  const request = agent.journal.events.findLast((event) => event.type === "user_message");
  if (request?.type !== "user_message") return 0;
  return estimateMessages([{ role: "user", source: request.id, content: request.text }], window.rates);
}

/**
 * The most tokens that the next tool result may take, so that the newest round with all of its results fits the window even if
 * everything before it must be compacted first.
 */
export function resultBudget(agent: Agent, callsLeft: number): number {
  const window = windowOf(agent);
  const { context } = agent.journal;
  const start = context.messages.findLastIndex(({ role }) => role === "assistant");
  const round = start === -1 ? 0 : estimateMessages(context.messages.slice(start), window.rates);
  const room = window.numCtx - floorTokens(agent, context, window) - requestTokens(agent, window) - round;
  const share = Math.floor(room / callsLeft);
  return Math.max(LEAST_RESULT_TOKENS, Math.min(Math.floor(window.numCtx * SHARES.toolResult), share));
}

/** A result always has room to say at least that there is no room. */
const LEAST_RESULT_TOKENS = 48;

/** The most tokens that the next reply may take: what is left of the window, and no more than a later compaction can keep. */
export function replyBudget(agent: Agent, promptTokens: number): number {
  const window = windowOf(agent);
  const { context } = agent.journal;
  // Small, since the estimate errs high by itself, and 256 tokens would be an eighth of the smallest window.
  const margin = Math.max(16, Math.floor(window.numCtx / 100));
  const left = window.numCtx - promptTokens - margin;
  const keepable =
    window.numCtx -
    floorTokens(agent, context, window) -
    requestTokens(agent, window) -
    2 * LEAST_RESULT_TOKENS;
  return Math.max(64, Math.min(left, Math.max(keepable, Math.floor(window.numCtx * SHARES.replyRoom))));
}

/** Why a message of the user cannot be sent, with the way out; undefined when it can. */
export function refuseMessage(agent: Agent, text: string): string | undefined {
  if (text.trim() === "") return "The message is empty.";
  if (agent.settings().model === "") return "No model is chosen. Run “Loom: Select Model”, then send again.";
  return refuseLongMessage(agent, text);
}

/** The same for a message that would not fit even alone. */
function refuseLongMessage(agent: Agent, text: string): string | undefined {
  const window = windowOf(agent);
  const tokens = estimateText(text, window.rates);
  const fixed = requestFloor(agent, window);
  const limit =
    window.numCtx - fixed - slotTokens(window.numCtx, SLOT_SCALES[3]) - replyRoomOf(window.numCtx);
  const most = limit - 4 * LEAST_RESULT_TOKENS;
  if (tokens <= most) return undefined;
  if (most < LEAST_MESSAGE_TOKENS) {
    return `The system prompt and the tools alone take about ${fixed} of the ${window.numCtx} tokens of the context window, and an answer needs room too. Nothing was sent. ${LARGER_WINDOW}`;
  }
  return `The message has about ${tokens} tokens; in a context window of ${window.numCtx} at most ${most} fit beside the system prompt, the tools and the answer. Nothing was sent. Shorten it, put it into a file and name the file, or raise num_ctx (setting loom.numCtx).`;
}

/** Where not even a short message fits, its length is not the cause. */
const LEAST_MESSAGE_TOKENS = 32;

/** What every request has, with the pins, in tokens. */
function requestFloor(agent: Agent, window: Window): number {
  const system = systemPromptOf(agent.journal.context);
  if (system !== "") return fixedTokens(system, window) + carriedPins(agent, window);
  // Before the first request the prompt is not built: it then counts with the largest that the project's own rules can make it.
  const usual = buildSystemPrompt(USUAL_WORKSPACE, window.numCtx, window.rates);
  const rules = Math.floor(window.numCtx * RULES_SHARE);
  return fixedTokens(usual, window) + rules + carriedPins(agent, window);
}

const USUAL_WORKSPACE: WorkspaceFacts = {
  folders: [{ name: "workspace", path: "/home/someone/projects/a-workspace-folder" }],
  operatingSystem: "Linux",
  shell: "bash",
  date: "2026-01-01",
};
