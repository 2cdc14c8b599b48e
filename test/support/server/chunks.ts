import { setTimeout } from "node:timers/promises";
import type { Generation } from "./generation";
import { halves, ndjsonLine } from "./player";
import type { SeenChat } from "./recorder";
import type { Reply } from "./reply";
import type { VersionTraits } from "./version";
import type { ChatRequest } from "./wire";

/** Speeds that the reported durations, and nothing else unless `isRealTime`, are computed from. */
export interface Speeds {
  readonly readTokensPerSecond: number;
  readonly writeTokensPerSecond: number;
  readonly loadSeconds: number;
  /** The server really takes that long. */
  readonly isRealTime: boolean;
}

/** One reply on its way out. */
export interface ChatRun {
  readonly record: SeenChat;
  /** The model was loaded for it. */
  readonly loaded: boolean;
  readonly generation: Generation;
  readonly scripted: Reply;
  readonly speeds: Speeds;
}

/** The NDJSON lines of a streamed answer, or the two halves of a whole one. */
export function piecesOf(
  request: ChatRequest,
  generation: Generation,
  done: Readonly<Record<string, unknown>>,
): readonly string[] {
  const { model } = request;
  const calls = generation.doneCalls.length > 0 ? { tool_calls: generation.doneCalls } : {};
  const last = { role: "assistant", content: "", ...calls };
  const created_at = new Date().toISOString();
  if (request.stream !== false)
    return [
      ...generation.messages.map((message) => ndjsonLine({ model, created_at, message, done: false })),
      ndjsonLine({ model, created_at, message: last, ...done }),
    ];
  const allCalls = [
    ...generation.messages.flatMap((message) => message.tool_calls ?? []),
    ...generation.doneCalls,
  ];
  const thinking = generation.messages.map((message) => message.thinking ?? "").join("");
  const message = {
    role: "assistant",
    content: generation.messages.map((piece) => piece.content).join(""),
    ...(thinking ? { thinking } : {}),
    ...(allCalls.length > 0 ? { tool_calls: allCalls } : {}),
  };
  return halves({ model, created_at, message, ...done });
}

/** The counts and durations that end an answer. */
export function lastChunk(run: ChatRun, traits: VersionTraits): Readonly<Record<string, unknown>> {
  const { record, speeds, generation } = run;
  const nanoseconds = (seconds: number): number => Math.round(seconds * 1e9);
  const read = record.windowTokens - record.cachedTokens;
  const durations = {
    load_duration: nanoseconds(run.loaded ? speeds.loadSeconds : RELOOK_SECONDS),
    prompt_eval_duration: nanoseconds(read / speeds.readTokensPerSecond),
    eval_duration: nanoseconds(generation.tokens.length / speeds.writeTokensPerSecond),
  };
  const counted = traits.countsOnlyUncached ? read : record.windowTokens;
  return {
    done: true,
    done_reason: generation.doneReason,
    total_duration: Object.values(durations).reduce((sum, duration) => sum + duration, 0),
    load_duration: durations.load_duration,
    prompt_eval_count: counted || undefined,
    ...(traits.reportsCached ? { prompt_eval_cached_count: record.cachedTokens } : {}),
    prompt_eval_duration: durations.prompt_eval_duration,
    eval_count: generation.tokens.length || undefined,
    eval_duration: durations.eval_duration,
    ...run.scripted.final,
  };
}

/** What is awaited before each piece: the script's own gate, and in real time the reading and writing. */
export function pacing(
  run: ChatRun,
  pieces: number,
  signal: AbortSignal,
): (piece: number) => Promise<unknown> | undefined {
  const { record, scripted, speeds } = run;
  if (!speeds.isRealTime) return (piece) => scripted.before?.(piece);
  const reading = (record.windowTokens - record.cachedTokens) / speeds.readTokensPerSecond;
  const first = reading + (run.loaded ? speeds.loadSeconds : 0);
  const each = run.generation.tokens.length / pieces / speeds.writeTokensPerSecond;
  return async (piece) => {
    await scripted.before?.(piece);
    await setTimeout(1000 * (piece === 0 ? first : each), undefined, { signal });
  };
}

/** A server looks at a model that is loaded already for some time too. */
const RELOOK_SECONDS = 0.05;
