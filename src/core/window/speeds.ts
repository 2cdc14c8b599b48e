import type { Timings, Usage } from "../../shared/events";

/** How fast a model reads and writes on its server, in tokens a second; undefined while that was not measured. */
export interface Speeds {
  readonly read: number | undefined;
  readonly write: number | undefined;
}

export const UNKNOWN_SPEEDS: Speeds = { read: undefined, write: undefined };

/** What the server said of one request. */
export interface MeasuredRequest {
  readonly usage: Usage;
  readonly timings?: Timings | undefined;
}

/** Fewer tokens say more about the start of the work than about its speed. */
const TELLING = { read: 48, write: 4 } as const;

/** How much the newest measurement counts: speeds change with the length of the prompt and with what else the machine does. */
const NEWEST_SHARE = 0.5;

/** One measurement moves a speed by this factor at the most: a cache that was lost unseen must not spoil it. */
const LARGEST_STEP = 3;

/**
 * The speeds after one more request. Tokens from the cache are not read: the server says how many they are, and of one that does
 * not, `readBefore` tokens at the beginning of the prompt are taken for cached.
 */
export function learnSpeeds(speeds: Speeds, { usage, timings }: MeasuredRequest, readBefore: number): Speeds {
  if (timings === undefined) return speeds;
  const { promptTokens = 0, replyTokens = 0, cachedTokens = Math.min(readBefore, promptTokens) } = usage;
  const readTokens = promptTokens - cachedTokens;
  return {
    read: readTokens < TELLING.read ? speeds.read : moved(speeds.read, readTokens, timings.promptMs),
    write: replyTokens < TELLING.write ? speeds.write : moved(speeds.write, replyTokens, timings.replyMs),
  };
}

function moved(known: number | undefined, tokens: number, milliseconds: number): number | undefined {
  if (!(milliseconds > 0)) return known;
  const measured = (1000 * tokens) / milliseconds;
  if (known === undefined) return measured;
  const next = known + NEWEST_SHARE * (measured - known);
  return Math.min(known * LARGEST_STEP, Math.max(known / LARGEST_STEP, next));
}

/** How long a request with so many tokens to read and to write is likely to take, in milliseconds; undefined when a speed is missing. */
export function predictMs(
  { read, write }: { readonly read: number; readonly write: number },
  speeds: Speeds,
): number | undefined {
  const reading = timeFor(read, speeds.read);
  const writing = timeFor(write, speeds.write);
  return reading === undefined || writing === undefined ? undefined : Math.round(reading + writing);
}

function timeFor(tokens: number, speed: number | undefined): number | undefined {
  if (tokens <= 0) return 0;
  return speed === undefined ? undefined : (1000 * tokens) / speed;
}
