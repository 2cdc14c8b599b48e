import type { Compacted, Failure, SummaryForm, SummaryRequest, TokenCount } from "../../shared/events";
import type { ChatModel, ChatOutcome, ChatRequest, ReplyDelta } from "../ports";
import { estimateMessages, estimateText } from "../window/estimate";
import { withoutThinking, type ContextMessage } from "../window/messages";
import { findPromptCut } from "../window/promptCut";
import { predictMs, type Speeds } from "../window/speeds";
import { fixedTokens, type Window } from "../window/window";
import type { CompactionPlan } from "./plan";
import {
  capSummary,
  foldParts,
  isolatedRequest,
  summaryFault,
  summaryInstruction,
  type SummaryPart,
} from "./summary";
import {
  chooseForm,
  fitsInPlace,
  inPlaceRequest,
  inPlaceTokens,
  tokensToReadInPlace,
  type SummaryRequestSetting,
} from "./summaryForm";

/** What is shown while a summary is being written. */
export interface SummaryProgress {
  readonly part: number;
  readonly parts: number;
  /** How long the whole compaction is likely to take, in milliseconds. */
  readonly expectedMs?: number;
  /** Tokens of the summary so far, thinking included; an estimate. */
  readonly writtenTokens?: number;
}

export interface SummaryInput {
  readonly chatModel: ChatModel;
  readonly model: string;
  /** The array of the next request. */
  readonly messages: readonly ContextMessage[];
  /** How far the server has counted it before; undefined where it has not. */
  readonly anchorIndex: number | undefined;
  readonly window: Window;
  readonly focus: string | undefined;
  /** What the meter shows now. */
  readonly before: TokenCount;
  readonly form: SummaryRequestSetting;
  readonly speeds: Speeds;
  /** The newest compaction, for how long summaries of this model are. */
  readonly earlier: Pick<Compacted, "requests"> | undefined;
  /** The server refused this very array as too long. */
  readonly wasRefused: boolean;
  /** Asks whether the server still has what it read for the last reply. */
  readonly isCached: () => Promise<boolean>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly onProgress: (progress: SummaryProgress) => void;
}

/** What of a plan the request for its summary is made from. */
export type SummaryPlan = Pick<CompactionPlan, "toSummarise" | "summaryTokens">;

export type SummaryOutcome =
  | { readonly type: "summary"; readonly text: string; readonly parts: number; readonly form: SummaryForm }
  | {
      readonly type: "failed";
      readonly message: string;
      readonly isOverflow: boolean;
      /** Of the request; absent when it was answered. */
      readonly failure?: Failure;
    }
  | { readonly type: "stopped" };

/** What came of asking for a summary, with every request that was answered for it. */
export interface Summarised {
  readonly outcome: SummaryOutcome;
  readonly requests: readonly SummaryRequest[];
  readonly predictedMs: number | undefined;
}

/** Has the model write the summary of a plan, in the form that is set or likely to be the quicker one, and checks it. */
export async function summarise(
  input: SummaryInput,
  plan: SummaryPlan,
  signal: AbortSignal,
): Promise<Summarised> {
  const run = new SummaryRun(input, plan, signal);
  const outcome = await run.run();
  return { outcome, requests: run.requests, predictedMs: run.predictedMs };
}

type Thinking = ChatRequest["thinking"];

class SummaryRun {
  readonly requests: SummaryRequest[] = [];
  predictedMs: number | undefined;
  readonly #instruction: string;
  /** What a summariser is given to read: chat templates leave out the thinking before its instruction anyway. */
  readonly #read: readonly ContextMessage[];

  constructor(
    private readonly input: SummaryInput,
    private readonly plan: SummaryPlan,
    private readonly signal: AbortSignal,
  ) {
    this.#read = withoutThinking(plan.toSummarise);
    this.#instruction = summaryInstruction(plan.summaryTokens, input.focus);
  }

  async run(): Promise<SummaryOutcome> {
    const { window } = this.input;
    const parts = this.#parts(window, knownTokens(this.input));
    const form = await this.#chooseForm(parts);
    this.predictedMs = this.#predict(form, parts);
    const inPlace = form === "in_place" ? await this.#askInPlace() : undefined;
    if (typeof inPlace === "object") return inPlace;
    // The one retry of a summary that could not be used is without thinking.
    const first = await this.#fold(parts, window, inPlace === "unusable" ? ["off"] : ["default", "off"]);
    if (first.type !== "failed" || !first.isOverflow) return first;
    // The server counted more than was estimated: the same once more in smaller parts.
    const { rates } = window;
    const careful = { ...window, rates: { ...rates, margin: rates.margin * 1.4 } };
    return this.#fold(this.#parts(careful, Infinity), careful, ["default", "off"]);
  }

  #parts(window: Window, known: number): readonly SummaryPart[] {
    const { summaryTokens } = this.plan;
    return foldParts(this.#read, window, { summaryTokens, knownTokens: known, focus: this.input.focus });
  }

  async #chooseForm(parts: readonly SummaryPart[]): Promise<"isolated" | "in_place"> {
    const { input } = this;
    const rereadMs = predictMs({ read: this.#isolatedTokens(parts), write: 0 }, input.speeds);
    const fits =
      !input.wasRefused &&
      fitsInPlace(this.#context(), this.#instruction, this.plan.summaryTokens, input.window);
    const facts = { setting: input.form, fitsInPlace: fits, rereadMs };
    // The server is asked only where its answer matters.
    const isOpen = chooseForm({ ...facts, isCached: true }) !== chooseForm({ ...facts, isCached: false });
    return chooseForm({ ...facts, isCached: isOpen && (await input.isCached()) });
  }

  #context() {
    return { messages: this.input.messages, tokens: this.input.before.tokens };
  }

  #isolatedTokens(parts: readonly SummaryPart[]): number {
    const { rates } = this.input.window;
    const read = Math.min(knownTokens(this.input), estimateMessages(this.#read, rates));
    return read + parts.length * estimateText(this.#instruction, rates);
  }

  #predict(form: "isolated" | "in_place", parts: readonly SummaryPart[]): number | undefined {
    const { messages, anchorIndex = -1, window, speeds, earlier } = this.input;
    const usual = earlier?.requests?.at(-1)?.usage.replyTokens;
    const each = usual ?? Math.round(this.plan.summaryTokens * USUAL_SHARE);
    const read =
      form === "in_place"
        ? tokensToReadInPlace(messages, anchorIndex, this.#instruction, window.rates)
        : this.#isolatedTokens(parts);
    return predictMs({ read, write: each * (form === "in_place" ? 1 : parts.length) }, speeds);
  }

  /** The outcome, or why the other form has to be used: `unusable` after a summary that fails the checks. */
  async #askInPlace(): Promise<SummaryOutcome | "too_long" | "unusable"> {
    const { model, window, anchorIndex } = this.input;
    const context = this.#context();
    const request = inPlaceRequest(model, window, context, this.#instruction);
    const outcome = await this.#ask(request, "in_place", { part: 1, parts: 1 });
    if (outcome.type === "stopped") return { type: "stopped" };
    if (outcome.type === "failed") {
      const { kind } = outcome.failure;
      if (kind === "window_exceeded") return "too_long";
      return kind === "tool_parse" ? "unusable" : failedWith(outcome.failure);
    }
    const expected = inPlaceTokens(context, this.#instruction, window.rates);
    const promised = { expected, counted: anchorIndex === undefined ? 0 : 1 };
    if (findPromptCut(outcome.reply.usage, promised, window.numCtx)) return "too_long";
    const replaces = estimateMessages(this.#read, window.rates);
    if (summaryFault(outcome.reply, replaces, window.rates) !== undefined) return "unusable";
    return this.#summary(outcome.reply.text, 1, "in_place");
  }

  /** Summarises part by part; each summary is read together with the next part. */
  async #fold(
    parts: readonly SummaryPart[],
    window: Window,
    tries: readonly Thinking[],
  ): Promise<SummaryOutcome> {
    let earlier: string | undefined;
    let replaces = 0;
    for (const [index, part] of parts.entries()) {
      const place = { part: index + 1, parts: parts.length };
      replaces += estimateMessages(part.messages, window.rates);
      const outcome = await this.#askIsolated({ ...part, earlier, replaces }, window, { tries, place });
      if (outcome.type !== "summary") return outcome;
      earlier = outcome.text;
    }
    return { type: "summary", text: earlier ?? "", parts: parts.length, form: "isolated" };
  }

  /**
   * One part, with a retry without thinking when what came back cannot be believed. `replaces` is the size of this part and all before it:
   * the summary stands for all of them, and the last part may be smaller than any.
   */
  async #askIsolated(
    part: SummaryPart & { readonly earlier: string | undefined; readonly replaces: number },
    window: Window,
    { tries, place }: { readonly tries: readonly Thinking[]; readonly place: Place },
  ): Promise<SummaryOutcome> {
    const { earlier, replaces } = part;
    const { rates, numCtx } = window;
    const expected = estimateMessages(part.messages, rates) + estimateText(earlier ?? "", rates);
    let fault = "";
    for (const thinking of tries) {
      const options = { earlier, instruction: this.#instruction, thinking };
      const request = isolatedRequest(this.input.model, window, part, options);
      const outcome = await this.#ask(request, "isolated", place);
      if (outcome.type === "stopped") return { type: "stopped" };
      if (outcome.type === "failed") {
        return failedWith(outcome.failure);
      }
      if (findPromptCut(outcome.reply.usage, { expected, counted: 0 }, numCtx)) {
        return { type: "failed", message: "The server cut the request for the summary.", isOverflow: true };
      }
      const found = summaryFault(outcome.reply, replaces, rates);
      if (found === undefined) return this.#summary(outcome.reply.text, 1, "isolated");
      fault = found;
    }
    return {
      type: "failed",
      message: `The model's summary could not be used: it was ${fault}. Try another model (Loom: Select Model).`,
      isOverflow: false,
    };
  }

  #summary(text: string, parts: number, form: SummaryForm): SummaryOutcome {
    const { rates } = this.input.window;
    return { type: "summary", text: capSummary(text, this.plan.summaryTokens, rates), parts, form };
  }

  /** Sends one request; what streams in is progress, not an answer of the agent. */
  async #ask(request: ChatRequest, form: SummaryForm, place: Place): Promise<ChatOutcome> {
    const { chatModel, window, now, onProgress } = this.input;
    const expected = this.predictedMs === undefined ? {} : { expectedMs: this.predictedMs };
    onProgress({ ...place, ...expected });
    if (this.signal.aborted) return { type: "stopped", partial: { text: "", thinking: "" } };
    let written = "";
    let shownAt = now();
    const onDelta = (delta: ReplyDelta): void => {
      written += delta.thinking + delta.text;
      if (now() - shownAt < PROGRESS_MS) return;
      shownAt = now();
      onProgress({ ...place, ...expected, writtenTokens: estimateText(written, window.rates) });
    };
    const outcome = await chatModel.chat(request, onDelta, this.signal);
    if (outcome.type === "reply") {
      const { usage, timings } = outcome.reply;
      this.requests.push({ form, usage, ...(timings === undefined ? {} : { timings }) });
    }
    return outcome;
  }
}

function failedWith(failure: Failure): SummaryOutcome {
  const { kind, message } = failure;
  return { type: "failed", message, isOverflow: kind === "window_exceeded", failure };
}

type Place = Pick<SummaryProgress, "part" | "parts">;

/** How often progress is told, in milliseconds. */
const PROGRESS_MS = 250;

/** Models write less than they are told they may. */
const USUAL_SHARE = 0.6;

/** At most so many tokens has the conversation without system prompt and tools, when the server has counted it with them. */
function knownTokens({ before, messages, window }: SummaryInput): number {
  const system = messages[0]?.role === "system" ? messages[0].content : "";
  // The estimate of the fixed part errs high, so only most of it is taken off.
  return before.estimated ? Infinity : before.tokens - Math.floor(fixedTokens(system, window) * 0.7);
}
