import type { Compacted, LogEvent } from "../shared/events";
import type { ContextDetails } from "../shared/protocol";
import { modelOf, windowOf, type Agent, type CommandOutcome } from "./agent";
import { compact } from "./compaction/compactor";
import { rewriteSummary } from "./compaction/rewriteSummary";
import { contextDetails, nextRequest, undoOf } from "./turn/contextDetails";
import { projectContext } from "./window/context";
import { estimateText } from "./window/estimate";
import { promptTokens, replyRoomOf } from "./window/window";

/** What runs, one thing at a time. */
export interface Runner {
  isBusy(): boolean;
  run(work: (signal: AbortSignal) => Promise<void>): Promise<void>;
}

const DONE: CommandOutcome = { ok: true };

/**
 * What a person can do to compactions and to what the model is sent. Each of these is an event of the log, and all but
 * `postpone` are possible only while nothing runs: a request must not change while it is under way.
 */
export class Steering {
  constructor(
    private readonly agent: Agent,
    private readonly runner: Runner,
  ) {}

  /** Compacts now, whatever the meter says. */
  async compactNow(focus: string | undefined): Promise<CommandOutcome> {
    const refusal = this.#busy("Compact Now") ?? this.#noModel();
    if (refusal !== undefined) return refusal;
    let result = DONE;
    await this.runner.run(async (signal) => {
      const outcome = await compact(this.agent, "by_hand", focus, signal);
      if (outcome.type === "stopped") result = no("Stopped: the conversation is as it was.");
      else if (outcome.type !== "compacted") result = no(outcome.message);
    });
    return result;
  }

  /** Brings the context back to what it was before the newest compaction; what came after it stays. */
  undo(compactionId = this.#current?.id): CommandOutcome {
    const found = this.#find("Undo", compactionId);
    if ("ok" in found) return found;
    const { tokens, fits } = undoOf(this.agent, found);
    if (!fits) {
      const { numCtx } = windowOf(this.agent);
      return no(
        `The conversation before this compaction would take about ${tokens} tokens; with an answer that does not fit the context window of ${numCtx}. Regenerate the summary instead, or raise num_ctx (setting loom.numCtx).`,
      );
    }
    this.agent.journal.append({ type: "compaction_undone", compactionId: found.id });
    return DONE;
  }

  /** Puts a text of the person in the place of the summary. */
  editSummary(compactionId: string, text: string): CommandOutcome {
    const found = this.#find("Editing the summary", compactionId);
    if ("ok" in found) return found;
    const summary = text.trim();
    if (summary === found.summary) return DONE;
    if (summary === "") {
      return no("The summary is empty. Write what the model should know, or undo the compaction.");
    }
    const refusal = this.#tooLong(found, summary);
    if (refusal !== undefined) return refusal;
    this.agent.journal.append({ type: "summary_replaced", compactionId, summary, origin: "edited" });
    return DONE;
  }

  /** Has the model write the summary anew; `wish` says what matters, beside the focus of the compaction. */
  async regenerate(compactionId = this.#current?.id, wish?: string): Promise<CommandOutcome> {
    const found = this.#find("Regenerate", compactionId);
    if ("ok" in found) return found;
    const refusal = this.#noModel();
    if (refusal !== undefined) return refusal;
    let result = DONE;
    await this.runner.run(async (signal) => {
      const outcome = await rewriteSummary(this.agent, found, wish, signal);
      if (outcome.type === "stopped") result = no("Stopped: the summary is as it was.");
      if (outcome.type === "failed") {
        result = no(outcome.message);
        const text = `The summary was not written anew and is as it was. ${outcome.message}`;
        this.agent.journal.append({ type: "notice", level: "warning", text });
      }
      if (outcome.type === "rewritten") this.agent.journal.append(outcome.body);
    });
    return result;
  }

  /** Goes back to a summary that was there before. */
  chooseSummary(compactionId: string, versionId: string): CommandOutcome {
    const found = this.#find("Choosing another summary", compactionId);
    if ("ok" in found) return found;
    const entry = this.agent.journal.view.entries.find(({ id }) => id === compactionId);
    const version =
      entry?.kind === "compaction" ? entry.versions.find(({ id }) => id === versionId) : undefined;
    if (version === undefined) return no("This summary is not there any more.");
    if (entry?.kind === "compaction" && entry.version === versionId) return DONE;
    const refusal = this.#tooLong(found, version.summary);
    if (refusal !== undefined) return refusal;
    this.agent.journal.append({ type: "summary_chosen", compactionId, versionId });
    return DONE;
  }

  /** Takes the body of a tool result out of the context. */
  dropResult(resultId: string): CommandOutcome {
    const refusal = this.#busy("Dropping a result");
    if (refusal !== undefined) return refusal;
    const { messages, dropped } = this.agent.journal.context;
    if (dropped.has(resultId)) return DONE;
    if (!messages.some(({ role, source }) => role === "tool" && source === resultId)) {
      return no("This result is not in the context any more: a compaction has summarised it.");
    }
    this.agent.journal.append({ type: "result_dropped", resultId });
    return DONE;
  }

  /** Brings the body of a dropped result back. */
  restoreResult(resultId: string): CommandOutcome {
    const refusal = this.#busy("Restoring a result");
    if (refusal !== undefined) return refusal;
    const { journal } = this.agent;
    if (!journal.context.dropped.has(resultId)) {
      return no("This result is not in the context any more: a compaction has summarised it.");
    }
    const event = { type: "result_restored", resultId, v: 1, id: "", at: 0 } as const;
    const restored = projectContext([...journal.events, event]);
    const window = windowOf(this.agent);
    const { tokens } = promptTokens(restored, window);
    if (tokens + replyRoomOf(window.numCtx) > window.numCtx) {
      return no(
        `With this result the next request would take about ${tokens} tokens; with an answer that does not fit the context window of ${window.numCtx}. Compact first.`,
      );
    }
    journal.append({ type: "result_restored", resultId });
    return DONE;
  }

  /** Leaves the next automatic compaction out, once. */
  postpone(): CommandOutcome {
    const { journal } = this.agent;
    if (!journal.view.isPostponed) journal.append({ type: "compaction_postponed" });
    return DONE;
  }

  /** What is in the context, and what the next compaction would do to it. */
  details(): Promise<ContextDetails> {
    return contextDetails(this.agent);
  }

  /** The exact body of the next request, before the person's next message is added to it. */
  async nextRequest(signal: AbortSignal): Promise<{ readonly ok: true; readonly body: unknown } | Refusal> {
    const refusal = this.#noModel();
    if (refusal !== undefined) return refusal;
    const request = await nextRequest(this.agent, signal);
    return "failure" in request ? no(request.failure.message) : { ok: true, body: request.body };
  }

  get #current(): (LogEvent & Compacted) | undefined {
    return this.agent.journal.context.compaction;
  }

  /** The compaction that the context begins with, if that is the one which is meant and nothing runs. */
  #find(what: string, compactionId: string | undefined): (LogEvent & Compacted) | Refusal {
    const current = this.#current;
    if (current === undefined) return no("The context holds the whole conversation: nothing is compacted.");
    if (current.id !== compactionId) {
      return no(`${what} is possible for the newest compaction only. Undo that one first.`);
    }
    return this.#busy(what) ?? current;
  }

  #busy(what: string): Refusal | undefined {
    if (!this.runner.isBusy()) return undefined;
    return no(`Loom is working. ${what} is possible when it has finished or is stopped.`);
  }

  #noModel(): Refusal | undefined {
    return modelOf(this.agent) === "" ? no("No model is chosen. Run “Loom: Select Model” first.") : undefined;
  }

  /** A summary with which the next turn would set off a compaction at once is none. */
  #tooLong(compaction: LogEvent & Compacted, summary: string): Refusal | undefined {
    const window = windowOf(this.agent);
    const { rates } = window;
    const used = promptTokens(this.agent.journal.context, window).tokens;
    const others = used - estimateText(compaction.summary, rates);
    const most = Math.max(estimateText(compaction.summary, rates), window.compactAt - others);
    const tokens = estimateText(summary, rates);
    if (tokens <= most) return undefined;
    return no(
      `The summary has about ${tokens} tokens; at most ${most} fit beside the rest of the context. Shorten it.`,
    );
  }
}

type Refusal = CommandOutcome & { readonly ok: false };

function no(message: string): Refusal {
  return { ok: false, message };
}
