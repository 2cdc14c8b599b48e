import type { CompactionConditions, CompactionTrigger } from "../../shared/events";
import { ensureSystemPrompt, freshSystemPrompt, modelOf, windowOf, type Agent } from "../agent";
import { READINGS } from "../log/journal";
import { staleFiles, type StaleFiles } from "../log/files";
import { cachedAnchor } from "../window/context";
import { promptTokens } from "../window/window";
import { runCompaction, type CompactionInput, type CompactionOutcome } from "./compaction";
import type { SummaryProgress } from "./summarise";

/** Automatic compaction pauses after this many failures in a row. */
const FAILURES_BEFORE_PAUSE = 2;

/** Runs one compaction for a session: shows that it runs, and appends what came of it to the log. */
export async function compact(
  agent: Agent,
  trigger: CompactionTrigger,
  focus: string | undefined,
  signal: AbortSignal,
): Promise<CompactionOutcome> {
  if (!hasNews(agent, trigger))
    return { type: "nothing", message: "Nothing is new since the last compaction." };
  const { journal } = agent;
  if (journal.context.messages.length > 0) await ensureSystemPrompt(agent);
  const input = await inputOf(agent, trigger, focus, signal);
  const outcome = await runCompaction(input, signal);
  if (outcome.type === "compacted") journal.append(outcome.body);
  if (outcome.type === "failed") noteFailure(agent, trigger, outcome);
  agent.log(`compaction (${trigger}): ${describe(outcome)}`);
  return outcome;
}

async function inputOf(
  agent: Agent,
  trigger: CompactionTrigger,
  focus: string | undefined,
  signal: AbortSignal,
): Promise<CompactionInput> {
  const { journal, now } = agent;
  const { context, events } = journal;
  const { keepMessages: keep, summaryRequest: form } = agent.settings();
  const window = windowOf(agent);
  const model = modelOf(agent);
  const before = promptTokens(context, window);
  return {
    events,
    messages: context.messages,
    anchorIndex: cachedAnchor(context)?.index,
    keep,
    window,
    systemPrompt: await freshSystemPrompt(agent),
    stale: await lookAtFiles(agent),
    chatModel: agent.chatModel,
    model,
    trigger,
    focus,
    before,
    form,
    speeds: journal.speedsOf(model),
    isCached: () => isCached(agent, signal),
    mayFallBack: trigger === "window_full" || trigger === "overflow",
    asksModel: trigger === "by_hand" || failuresInARow(agent) < FAILURES_BEFORE_PAUSE,
    now,
    ...progressOf(agent, before.tokens),
  };
}

/** Shows a compaction that runs: from its plan on, so that nothing is shown where there is nothing to compact. */
function progressOf(agent: Agent, used: number): Pick<CompactionInput, "onPlan" | "onProgress"> {
  const since = agent.now();
  const window = windowOf(agent).numCtx;
  let messages = 0;
  const onProgress = (progress: SummaryProgress): void => {
    const phase = { name: "compacting", since, messages, used, window, ...progress } as const;
    agent.journal.emit({ type: "phase_changed", phase });
  };
  const onPlan = (count: number): void => {
    messages = count;
    onProgress({ part: 1, parts: 1 });
  };
  return { onPlan, onProgress };
}

function describe(outcome: CompactionOutcome): string {
  if (outcome.type !== "compacted") return outcome.type;
  const { form, parts, durationMs, messagesSummarised } = outcome.body;
  return `${messagesSummarised} messages, ${form} in ${parts} parts, ${durationMs} ms`;
}

/** Whether the server still has read this context: for the last reply or ahead of the next, and the model was not unloaded since. */
export async function isCached(agent: Agent, signal: AbortSignal): Promise<boolean> {
  const last = agent.journal.events.findLast(({ type }) => READINGS.has(type));
  if (last?.type !== "assistant_message" && agent.journal.readAhead === 0) return false;
  return (await agent.chatModel.isLoaded(modelOf(agent), windowOf(agent).numCtx, signal)) !== false;
}

/** The compaction that runs by itself after a turn (design §2.2), when the meter is over the threshold. */
export async function compactAfterTurn(agent: Agent, signal: AbortSignal): Promise<void> {
  const window = windowOf(agent);
  const used = promptTokens(agent.journal.context, window).tokens;
  if (!agent.settings().automaticCompaction || used <= window.compactAt) return;
  if (failuresInARow(agent) >= FAILURES_BEFORE_PAUSE) return;
  if (agent.journal.view.isPostponed) agent.journal.append({ type: "postponement_used" });
  else await compact(agent, "automatic", undefined, signal);
}

async function lookAtFiles({ hashOf, journal }: Agent): Promise<StaleFiles> {
  return hashOf === undefined ? new Map() : staleFiles(journal.events, hashOf);
}

/** The second failure in a row pauses the automatic compaction, and says so once. */
function noteFailure(
  agent: Agent,
  trigger: CompactionTrigger,
  { message, fault, unreachable }: CompactionOutcome & { readonly type: "failed" },
): void {
  // Before a request the end of the turn says it.
  if (unreachable !== undefined && (trigger === "window_full" || trigger === "overflow")) return;
  const cause = fault && { fault, conditions: conditionsOf(agent) };
  agent.journal.append({ type: "compaction_failed", trigger, message, ...cause });
  if (fault === undefined || failuresInARow(agent) !== FAILURES_BEFORE_PAUSE) return;
  agent.journal.append({
    type: "notice",
    level: "warning",
    text: `Automatic compaction pauses after two failures in a row. ${message}`,
  });
}

/** What can make a compaction possible or necessary; what only the person sees is not among it. */
const NEWS: ReadonlySet<string> = new Set([
  "user_message",
  "assistant_message",
  "tool_result",
  "model_note",
  "window_set",
  "pinned",
  "unpinned",
  // What it was undone for is another try, and the person may want it at once.
  "compaction_undone",
]);

/**
 * Never two compactions with nothing new between them. That the server refused what the first one left is new too, once: its
 * numbers are better than the estimate.
 */
function hasNews({ journal }: Agent, trigger: CompactionTrigger): boolean {
  const last = journal.events.findLast(({ type }) => type === "compacted" || NEWS.has(type));
  return last?.type !== "compacted" || (trigger === "overflow" && last.trigger !== "overflow");
}

function conditionsOf(agent: Agent): CompactionConditions {
  const { compactionThreshold: threshold, keepMessages } = agent.settings();
  return { model: modelOf(agent), numCtx: windowOf(agent).numCtx, threshold, keepMessages };
}

/** Failures since the last compaction, under the conditions of now. */
function failuresInARow(agent: Agent): number {
  const now = conditionsOf(agent);
  const { events } = agent.journal;
  let failures = 0;
  for (let index = events.length - 1; index >= 0; index--) {
    const event = events[index];
    if (event?.type === "compacted") break;
    // Without a fault it was the server that could not be asked.
    if (event?.type !== "compaction_failed" || event.fault === undefined) continue;
    if (event.conditions !== undefined && !isSame(event.conditions, now)) break;
    failures++;
  }
  return failures;
}

function isSame(a: CompactionConditions, b: CompactionConditions): boolean {
  return (
    a.model === b.model &&
    a.numCtx === b.numCtx &&
    a.threshold === b.threshold &&
    a.keepMessages === b.keepMessages
  );
}
