import type {
  Compacted,
  CompactionFault,
  CompactionTrigger,
  Failure,
  SummaryForm,
} from "../../shared/events";
import { activeCompaction } from "../log/activeCompaction";
import { estimateMessages } from "../window/estimate";
import type { ContextMessage } from "../window/messages";
import { LARGER_WINDOW } from "../window/numCtx";
import { renderSummaryMessage } from "../window/summaryMessage";
import { fixedTokens, pinTokens, promptTokens, type Window } from "../window/window";
import { keepPins } from "./pins";
import { canBeSent, planCompaction, type CompactionPlan, type PlanInput } from "./plan";
import { summarise, type Summarised, type SummaryInput } from "./summarise";
import { summaryByCode } from "./summary";

export interface CompactionInput extends PlanInput, Omit<SummaryInput, "earlier" | "wasRefused"> {
  readonly trigger: CompactionTrigger;
  /** Whether a summary made by code may stand in when the model gives none: only when nothing else would fit. */
  readonly mayFallBack: boolean;
  /** False while the automatic compaction pauses: a summary made by code is then all there is. */
  readonly asksModel: boolean;
  /** Told how many messages are summarised, before that begins. */
  readonly onPlan: (messages: number) => void;
}

export type CompactionOutcome =
  | { readonly type: "compacted"; readonly body: Compacted }
  | { readonly type: "nothing"; readonly message: string }
  /** `message` names the cause, and its last sentence the one thing that helps. */
  | {
      readonly type: "failed";
      readonly message: string;
      /** Absent where compacting is not what failed. */
      readonly fault: CompactionFault | undefined;
      /** Why nothing that is asked now can be answered, if that is the cause. */
      readonly unreachable?: Failure;
    }
  | { readonly type: "stopped" };

/**
 * Plans a compaction, has the summary written and checked, and returns the event that makes it so. Nothing is changed by it:
 * whoever gets `compacted` appends the body to the log, and until then the context is as it was.
 */
export async function runCompaction(input: CompactionInput, signal: AbortSignal): Promise<CompactionOutcome> {
  const started = input.now();
  const planned = planCompaction(input);
  if (planned === undefined) {
    const message = "There is nothing to compact yet: all messages are recent enough to be kept.";
    return input.trigger === "by_hand"
      ? { type: "nothing", message }
      : sizeFault(input, input.messages.slice(1));
  }
  // A compaction that ends above the threshold would set off the next one after every turn.
  const { compactAt } = input.window;
  if (input.trigger === "automatic" && planned.tokensWithoutSummary + planned.summaryTokens > compactAt) {
    return sizeFault(input, planned.tail);
  }
  input.onPlan(planned.messagesSummarised);
  const earlier = activeCompaction(input.events)?.event;
  const wasRefused = input.trigger === "overflow";
  const summarised = input.asksModel
    ? await summarise({ ...input, earlier, wasRefused }, planned, signal)
    : PAUSED;
  const { outcome } = summarised;
  if (outcome.type === "stopped" || signal.aborted) return { type: "stopped" };
  const unreachable = outcome.type === "failed" ? outcome.failure : undefined;
  if (unreachable !== undefined && UNREACHABLE.test(unreachable.kind))
    return { type: "failed", message: unreachable.message, fault: undefined, unreachable };
  // What was pinned meanwhile is kept too; the summary has read every message, so it may stand for more of them.
  const plan = planCompaction(input) ?? planned;
  const summary = outcome.type === "failed" ? fallBack(input, plan) : outcome;
  if (summary === undefined) {
    if (input.mayFallBack) return sizeFault(input, plan.tail);
    return { type: "failed", message: outcome.type === "failed" ? outcome.message : "", fault: "summary" };
  }
  const afterTokens = estimatedTokens(rebuilt(input, plan, summary.text), input.window);
  // Estimate against estimate: a measured count is often smaller than a careful estimate of the same text.
  const now = estimatedTokens(input.messages, input.window);
  if (afterTokens >= now) {
    const size = sizeFault(input, plan.tail);
    const message = `It would free nothing: about ${afterTokens} tokens after it, ${now} before.`;
    return input.trigger === "by_hand" ? { ...size, message } : size;
  }
  return { type: "compacted", body: toEvent(input, plan, summary, { ...summarised, afterTokens, started }) };
}

/** Failures that every other request would meet now, too: no summary of code helps, and a real one can be had later. */
const UNREACHABLE = /^(not_running|wrong_address|model_missing|load_failed|cloud|busy|unauthorized)$/;

/** The new context as the meter will count it, so that the marker and the meter never show two numbers for it. */
function rebuilt(
  { systemPrompt }: CompactionInput,
  { kept, tail }: CompactionPlan,
  summary: string,
): readonly ContextMessage[] {
  return [
    { role: "system", source: "", content: systemPrompt },
    { role: "user", source: "", content: renderSummaryMessage(summary, kept) },
    ...tail,
  ];
}

function estimatedTokens(messages: readonly ContextMessage[], window: Window): number {
  return promptTokens({ messages, anchor: undefined }, window).tokens;
}

const PAUSED: Summarised = {
  outcome: { type: "failed", message: "", isOverflow: false },
  requests: [],
  predictedMs: undefined,
};

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
    const others = pins.length === 0 ? " and the tools" : ", the tools and the pins";
    return {
      type: "failed",
      fault: "fixed_part",
      message: `The system prompt${others} alone take about ${fixed} of the ${numCtx} tokens of the context window. ${LARGER_WINDOW}`,
    };
  }
  return {
    type: "failed",
    fault: "giant_message",
    message: `One message that has to stay takes about ${largest} of the ${numCtx} tokens of the context window. Start a new session without it, raise num_ctx (setting loom.numCtx), or choose a model with a larger context window.`,
  };
}

function toEvent(
  input: CompactionInput,
  plan: CompactionPlan,
  summary: { readonly text: string; readonly parts: number; readonly form: SummaryForm },
  measured: Summarised & { readonly afterTokens: number; readonly started: number },
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
    ...(measured.predictedMs === undefined ? {} : { predictedMs: measured.predictedMs }),
    ...(measured.requests.length === 0 ? {} : { requests: measured.requests }),
  };
}

function fallBack(input: CompactionInput, plan: CompactionPlan) {
  if (!input.mayFallBack || !canBeSent(plan, input.window)) return undefined;
  const earlier = activeCompaction(input.events)?.summary;
  const text = summaryByCode(plan.toSummarise, earlier, plan.summaryTokens, input.window.rates);
  return { text, parts: 0, form: "by_code" as const };
}
