import type {
  Compacted,
  CompactionFault,
  CompactionTrigger,
  SummaryForm,
  TokenCount,
} from "../shared/events";
import { estimateMessages, estimateText } from "./estimate";
import { findPromptCut } from "./promptCut";
import { fixedTokens, pinTokens, promptTokens } from "./window";
import { planCompaction, planFits, type CompactionPlan, type PlanInput } from "./plan";
import type { ContextMessage } from "./messages";
import { keepPins } from "./pins";
import type { ChatModel } from "./ports";
import {
  capSummary,
  foldParts,
  isolatedRequest,
  summaryByCode,
  summaryFault,
  summaryInstruction,
  type SummaryPart,
} from "./summary";

export interface CompactionInput extends PlanInput {
  readonly chatModel: ChatModel;
  readonly model: string;
  readonly trigger: CompactionTrigger;
  readonly focus: string | undefined;
  /** What the meter shows now. */
  readonly before: TokenCount;
  /** Whether a summary made by code may stand in when the model gives none: only when nothing else would fit. */
  readonly mayFallBack: boolean;
  /** False while the automatic compaction pauses: a summary made by code is then all there is. */
  readonly asksModel: boolean;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly onPart: (part: number, parts: number, messages: number) => void;
}

export type CompactionOutcome =
  | { readonly type: "compacted"; readonly body: Compacted }
  | { readonly type: "nothing"; readonly message: string }
  /** `message` names the cause, and its last sentence the one thing that helps. */
  | { readonly type: "failed"; readonly message: string; readonly fault: CompactionFault }
  | { readonly type: "stopped" };

type SummaryOutcome =
  | { readonly type: "summary"; readonly text: string; readonly parts: number; readonly form: SummaryForm }
  | { readonly type: "failed"; readonly message: string; readonly isOverflow: boolean }
  | { readonly type: "stopped" };

/**
 * Plans a compaction, has the summary written and checked, and returns the event that makes it so. Nothing is changed by it:
 * whoever gets `compacted` appends the body to the log, and until then the context is as it was.
 */
export async function runCompaction(input: CompactionInput, signal: AbortSignal): Promise<CompactionOutcome> {
  const started = input.now();
  const plan = planCompaction(input);
  if (plan === undefined) {
    const message = "There is nothing to compact yet: all messages are recent enough to be kept.";
    return input.trigger === "by_hand"
      ? { type: "nothing", message }
      : sizeFault(input, input.messages.slice(1));
  }
  // A compaction that ends above the threshold would set off the next one after every turn.
  const { compactAt } = input.window;
  if (input.trigger === "automatic" && plan.tokensWithoutSummary + plan.summaryTokens > compactAt) {
    return sizeFault(input, plan.tail);
  }
  const outcome = input.asksModel ? await summarise(input, plan, signal) : PAUSED;
  if (outcome.type === "stopped" || signal.aborted) return { type: "stopped" };
  const summary = outcome.type === "failed" ? fallBack(input, plan) : outcome;
  if (summary === undefined) {
    if (input.mayFallBack) return sizeFault(input, plan.tail);
    return { type: "failed", message: outcome.type === "failed" ? outcome.message : "", fault: "summary" };
  }
  const afterTokens = plan.tokensWithoutSummary + estimateText(summary.text, input.window.rates);
  // Estimate against estimate: a measured count is often smaller than a careful estimate of the same text.
  const now = promptTokens({ messages: input.messages, anchor: undefined }, input.window).tokens;
  if (afterTokens >= now) {
    const size = sizeFault(input, plan.tail);
    const message = `It would free nothing: about ${afterTokens} tokens after it, ${now} before.`;
    return input.trigger === "by_hand" ? { ...size, message } : size;
  }
  return { type: "compacted", body: toEvent(input, plan, summary, { afterTokens, started }) };
}

const PAUSED = { type: "failed", message: "", isOverflow: false } as const;

/** The failure of a compaction whose result could not be small enough: what stays is too large, one part of it or the other. */
function sizeFault(
  { systemPrompt, window, events }: CompactionInput,
  tail: readonly ContextMessage[],
): CompactionOutcome & { readonly type: "failed" } {
  const { numCtx, rates } = window;
  const pins = keepPins(events, numCtx, rates).pins;
  const fixed = fixedTokens(systemPrompt, window) + pinTokens(pins, rates);
  const largest = Math.max(0, ...tail.map((message) => estimateMessages([message], rates)));
  if (largest <= fixed) {
    const parts =
      pins.length === 0 ? "The system prompt and the tools" : "The system prompt, the tools and the pins";
    return {
      type: "failed",
      fault: "fixed_part",
      message: `${parts} alone take about ${fixed} of the ${numCtx} tokens of the context window. Raise num_ctx (setting loom.numCtx).`,
    };
  }
  return {
    type: "failed",
    fault: "giant_message",
    message: `One message that has to stay takes about ${largest} of the ${numCtx} tokens of the context window. Start a new session without it, or raise num_ctx (setting loom.numCtx).`,
  };
}

function toEvent(
  input: CompactionInput,
  plan: CompactionPlan,
  summary: { readonly text: string; readonly parts: number; readonly form: SummaryForm },
  measured: { readonly afterTokens: number; readonly started: number },
): Compacted {
  return {
    type: "compacted",
    trigger: input.trigger,
    ...(input.focus === undefined ? {} : { focus: input.focus }),
    model: input.model,
    form: summary.form,
    parts: summary.parts,
    summary: summary.text,
    systemPrompt: input.systemPrompt,
    ...(plan.tailFrom === undefined ? {} : { tailFrom: plan.tailFrom }),
    shortened: plan.shortened,
    kept: plan.kept,
    messagesSummarised: plan.messagesSummarised,
    messagesKept: plan.tail.length,
    before: input.before,
    afterTokens: measured.afterTokens,
    durationMs: input.now() - measured.started,
  };
}

function fallBack(input: CompactionInput, plan: CompactionPlan) {
  if (!input.mayFallBack || !planFits(plan, input.window)) return undefined;
  const before = input.events.findLast((event) => event.type === "compacted");
  const earlier = before?.type === "compacted" ? before.summary : undefined;
  const text = summaryByCode(plan.toSummarise, earlier, plan.summaryTokens, input.window.rates);
  return { text, parts: 0, form: "by_code" as const };
}

async function summarise(
  input: CompactionInput,
  plan: CompactionPlan,
  signal: AbortSignal,
): Promise<SummaryOutcome> {
  const first = await foldIn(input, plan, signal);
  if (first.type !== "failed" || !first.isOverflow) return first;
  // The server counted more than was estimated: the same once more in smaller parts.
  const { rates } = input.window;
  const window = { ...input.window, rates: { ...rates, margin: rates.margin * 1.4 } };
  return foldIn({ ...input, window, before: { ...input.before, estimated: true } }, plan, signal);
}

/** Summarises part by part; each summary is read together with the next part. */
async function foldIn(
  input: CompactionInput,
  plan: CompactionPlan,
  signal: AbortSignal,
): Promise<SummaryOutcome> {
  const { summaryTokens } = plan;
  const parts = foldParts(plan.toSummarise, input.window, {
    summaryTokens,
    knownTokens: knownTokens(input),
    focus: input.focus,
  });
  let earlier: string | undefined;
  for (const [index, part] of parts.entries()) {
    input.onPart(index + 1, parts.length, plan.messagesSummarised);
    const outcome = await summarisePart(input, plan, { part, earlier }, signal);
    if (outcome.type !== "summary") return outcome;
    earlier = outcome.text;
  }
  return { type: "summary", text: earlier ?? "", parts: parts.length, form: "isolated" };
}

/** At most so many tokens has the conversation without system prompt and tools, when the server has counted it with them. */
function knownTokens({ before, messages, window }: CompactionInput): number {
  const system = messages[0]?.role === "system" ? messages[0].content : "";
  // The estimate of the fixed part errs high, so only most of it is taken off.
  return before.estimated ? Infinity : before.tokens - Math.floor(fixedTokens(system, window) * 0.7);
}

/** One part, with one retry without thinking when what came back cannot be believed. */
async function summarisePart(
  input: CompactionInput,
  plan: CompactionPlan,
  { part, earlier }: { readonly part: SummaryPart; readonly earlier: string | undefined },
  signal: AbortSignal,
): Promise<SummaryOutcome> {
  const { rates } = input.window;
  const instruction = summaryInstruction(plan.summaryTokens, input.focus);
  const replaces = estimateMessages(part.messages, rates) + estimateText(earlier ?? "", rates);
  let fault = "";
  for (const thinking of ["default", "off"] as const) {
    if (signal.aborted) return { type: "stopped" };
    const request = isolatedRequest(input.model, input.window, part, { earlier, instruction, thinking });
    const outcome = await input.chatModel.chat(request, ignoreDelta, signal);
    if (outcome.type === "stopped") return outcome;
    if (outcome.type === "failed") {
      const isOverflow = outcome.failure.kind === "window_exceeded";
      return { type: "failed", message: outcome.failure.message, isOverflow };
    }
    if (findPromptCut(outcome.reply.usage, { expected: replaces, counted: 0 }, input.window.numCtx)) {
      return { type: "failed", message: "The server cut the request for the summary.", isOverflow: true };
    }
    const found = summaryFault(outcome.reply, replaces, rates);
    if (found === undefined) {
      const text = capSummary(outcome.reply.text, plan.summaryTokens, rates);
      return { type: "summary", text, parts: 1, form: "isolated" };
    }
    fault = found;
  }
  return {
    type: "failed",
    message: `The model's summary could not be used: it was ${fault}. Try another model (Loom: Select Model).`,
    isOverflow: false,
  };
}

function ignoreDelta(): void {
  // A summary is not shown as if the agent were talking.
}
