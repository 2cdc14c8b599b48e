import type { CompactionTrigger } from "../shared/events";
import { freshSystemPrompt, modelOf, windowOf, type Agent } from "./agent";
import { runCompaction, type CompactionOutcome } from "./compaction";
import { promptTokens } from "./window";

/** Automatic compaction pauses after this many failures in a row. */
const FAILURES_BEFORE_PAUSE = 2;

/** Runs one compaction for a session: shows that it runs, and appends what came of it to the log. */
export async function compact(
  agent: Agent,
  trigger: CompactionTrigger,
  focus: string | undefined,
  signal: AbortSignal,
): Promise<CompactionOutcome> {
  const { journal, now } = agent;
  const { context, events } = journal;
  const window = windowOf(agent);
  const before = promptTokens(context, window);
  const since = now();
  const showPart = (part: number, parts: number, messages: number) => {
    journal.emit({
      type: "phase_changed",
      phase: { name: "compacting", since, messages, used: before.tokens, window: window.numCtx, part, parts },
    });
  };
  showPart(1, 1, context.messages.length - 1);
  const outcome = await runCompaction(
    {
      events: [...events],
      messages: context.messages,
      keep: agent.settings().keepMessages,
      window,
      systemPrompt: await freshSystemPrompt(agent),
      chatModel: agent.chatModel,
      model: modelOf(agent),
      trigger,
      focus,
      before,
      mayFallBack: trigger === "window_full" || trigger === "overflow",
      now,
      onPart: showPart,
    },
    signal,
  );
  if (outcome.type === "compacted") journal.append(outcome.body);
  if (outcome.type === "failed")
    journal.append({ type: "compaction_failed", trigger, message: outcome.message });
  agent.log(`compaction (${trigger}): ${outcome.type}`);
  return outcome;
}

/** The compaction that runs by itself after a turn (design §2.2), when the meter is over the threshold. */
export async function compactAfterTurn(agent: Agent, signal: AbortSignal): Promise<void> {
  const window = windowOf(agent);
  const used = promptTokens(agent.journal.context, window).tokens;
  if (!agent.settings().automaticCompaction || used <= window.compactAt) return;
  if (isPaused(agent) || !hasNews(agent)) return;
  const outcome = await compact(agent, "automatic", undefined, signal);
  if (outcome.type === "nothing") {
    agent.journal.append({ type: "compaction_failed", trigger: "automatic", message: outcome.message });
  }
  if (outcome.type !== "stopped" && outcome.type !== "compacted" && isPaused(agent)) {
    agent.journal.append({ type: "notice", level: "warning", text: pauseMessage(outcome.message) });
  }
}

function pauseMessage(cause: string): string {
  return `Automatic compaction pauses after two failures. ${cause} A larger context window (setting loom.numCtx) or another model helps; Compact Now tries again.`;
}

/** Never two compactions with nothing new between them. */
function hasNews(agent: Agent): boolean {
  const last = agent.journal.events.findLast(
    ({ type }) => type === "compacted" || type === "user_message" || type === "assistant_message",
  );
  return last?.type !== "compacted";
}

/** Failures in a row pause the automatic compaction, until one succeeds or the model or window changes. */
function isPaused(agent: Agent): boolean {
  let failures = 0;
  for (const { type } of agent.journal.events) {
    if (type === "compacted" || type === "window_set") failures = 0;
    if (type === "compaction_failed") failures++;
  }
  return failures >= FAILURES_BEFORE_PAUSE;
}
