import type { Compacted, LogEvent, SummaryReplaced } from "../../shared/events";
import { modelOf, windowOf, type Agent } from "../agent";
import { SHARES } from "../limits";
import { projectContext } from "../window/context";
import { estimateText } from "../window/estimate";
import { promptTokens } from "../window/window";
import { summarise, type SummaryProgress } from "./summarise";

export type RewriteOutcome =
  | { readonly type: "rewritten"; readonly body: SummaryReplaced }
  | { readonly type: "stopped" }
  | { readonly type: "failed"; readonly message: string };

/** Has the model summarise once more what a compaction has summarised. Nothing is changed by it: the body is for the log. */
export async function rewriteSummary(
  agent: Agent,
  compaction: LogEvent & Compacted,
  wish: string | undefined,
  signal: AbortSignal,
): Promise<RewriteOutcome> {
  const [started, model] = [agent.now(), modelOf(agent)];
  const { events } = agent.journal;
  const before = projectContext(
    events.slice(
      0,
      events.findIndex(({ id }) => id === compaction.id),
    ),
  );
  const { outcome, requests } = await summarise(
    {
      messages: before.messages,
      anchorIndex: undefined,
      window: windowOf(agent),
      chatModel: agent.chatModel,
      model,
      focus: joined(compaction.focus, wish),
      before: compaction.before,
      // The server has read another conversation since.
      form: "isolated",
      isCached: () => Promise.resolve(false),
      speeds: agent.journal.speedsOf(model),
      earlier: compaction,
      wasRefused: false,
      now: agent.now,
      onProgress: (progress) => show(agent, compaction, { since: started, ...progress }),
    },
    { toSummarise: before.messages.slice(1), summaryTokens: roomForSummary(agent, compaction) },
    signal,
  );
  if (outcome.type === "stopped" || signal.aborted) return { type: "stopped" };
  if (outcome.type === "failed") return outcome;
  const body: SummaryReplaced = {
    type: "summary_replaced",
    compactionId: compaction.id,
    summary: outcome.text,
    origin: "regenerated",
    ...(wish === undefined || wish === "" ? {} : { wish }),
    model,
    form: outcome.form,
    durationMs: agent.now() - started,
    requests,
  };
  return { type: "rewritten", body };
}

/** Focus and wish as one focus. */
function joined(...wishes: readonly (string | undefined)[]): string | undefined {
  const text = wishes.filter((wish) => wish !== undefined && wish !== "").join("; ");
  return text === "" ? undefined : text;
}

function show(
  agent: Agent,
  { before, messagesSummarised: messages }: Compacted,
  progress: SummaryProgress & { readonly since: number },
): void {
  const phase = {
    name: "compacting",
    messages,
    used: before.tokens,
    window: windowOf(agent).numCtx,
  } as const;
  agent.journal.emit({ type: "phase_changed", phase: { ...phase, ...progress } });
}

/** As much as a summary may take, and no more than leaves the context below the threshold, in tokens. */
function roomForSummary(agent: Agent, { summary }: Compacted): number {
  const window = windowOf(agent);
  const old = estimateText(summary, window.rates);
  const others = promptTokens(agent.journal.context, window).tokens - old;
  const share = Math.floor(window.numCtx * SHARES.summary);
  return Math.max(old, Math.min(share, window.compactAt - others));
}
