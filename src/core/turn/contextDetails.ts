import type { Compacted, LogEvent } from "../../shared/events";
import type { Steering } from "../../shared/live";
import type { CompactionPreview, ContextDetails } from "../../shared/protocol";
import { freshSystemPrompt, windowOf, type Agent } from "../agent";
import { planCompaction } from "../compaction/plan";
import { SHARES } from "../limits";
import type { RequestBody } from "../ports";
import type { Context } from "../window/context";
import { estimateMessages } from "../window/estimate";
import { callsIn, describe, droppedItems, largestItems } from "../window/largestItems";
import { pinTokens, replyRoomOf } from "../window/window";
import { requestFor } from "./reply";

/** What is in the context, and what the next compaction would do to it. */
export async function contextDetails(agent: Agent): Promise<ContextDetails> {
  const context = await contextNow(agent);
  const window = windowOf(agent);
  return {
    largest: largestItems(context, window),
    dropped: droppedItems(context),
    next: await previewOf(agent, context),
  };
}

/** The exact body of the next request, before the person's next message is added to it. */
export async function nextRequest(agent: Agent, signal: AbortSignal): Promise<RequestBody> {
  const request = requestFor(agent, await contextNow(agent));
  return agent.chatModel.requestBody?.(request, signal) ?? { body: request };
}

async function previewOf(agent: Agent, context: Context): Promise<CompactionPreview> {
  const { automaticCompaction: isAutomatic, keepMessages } = agent.settings();
  const window = windowOf(agent);
  const plan = planCompaction({
    events: agent.journal.events,
    messages: context.messages,
    keep: keepMessages,
    window,
    systemPrompt: await freshSystemPrompt(agent),
  });
  if (plan === undefined) return { isAutomatic };
  const calls = callsIn(context.messages);
  const { words, wordsCut, request, pins = [], files, commands } = plan.kept;
  return {
    isAutomatic,
    plan: {
      messagesSummarised: plan.messagesSummarised,
      kept: plan.tail.map((message) => ({
        ...describe(message, context, calls),
        tokens: estimateMessages([message], window.rates),
      })),
      shortened: plan.shortened.length,
      words: words.length + (request === undefined ? 0 : 1),
      wordsCut,
      pins: pins.length,
      files: files.length,
      commands: commands.length,
      afterTokens: plan.tokensWithoutSummary + plan.summaryTokens,
    },
  };
}

/** The context as the next request begins, with its system prompt also where nothing was sent yet. */
export async function contextNow(agent: Agent): Promise<Context> {
  const { context } = agent.journal;
  if (context.messages[0]?.role === "system") return context;
  const content = await freshSystemPrompt(agent);
  const messages = [{ role: "system" as const, source: "", content }, ...context.messages];
  return { ...context, messages, anchor: undefined };
}

/** What undoing this compaction, the newest, would bring the context to (tokens), and whether that fits with a reply. */
export function undoOf(
  agent: Agent,
  compaction: LogEvent & Compacted,
): { readonly tokens: number; readonly fits: boolean } {
  const window = windowOf(agent);
  const since = agent.journal.context.messages.slice(2 + compaction.messagesKept);
  const tokens = compaction.before.tokens + estimateMessages(since, window.rates);
  return { tokens, fits: tokens + replyRoomOf(window.numCtx) <= window.numCtx };
}

/** What the panel is told of steering. */
export function steeringOf(agent: Agent): Steering {
  const { compaction } = agent.journal.context;
  const { numCtx, rates } = windowOf(agent);
  const pins = agent.journal.view.pins.map(({ text }) => text);
  return {
    isAutomatic: agent.settings().automaticCompaction,
    undo: compaction === undefined ? null : { compactionId: compaction.id, ...undoOf(agent, compaction) },
    pins: {
      tokens: pins.length === 0 ? 0 : pinTokens(pins, rates),
      most: Math.floor(numCtx * SHARES.pins),
    },
  };
}
