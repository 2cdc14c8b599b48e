/**
 * The smallest and the largest window (num_ctx, tokens) that can be set, and the one without a setting: small enough to load beside an 8B
 * model on most machines, where a larger one fails or moves the model off the GPU. More is one command away (Select Context Window).
 */
export const NUM_CTX = { minimum: 2_048, maximum: 1_048_576, default: 8_192 } as const;

/** The share of the window above which the conversation is compacted. */
export const COMPACTION_THRESHOLD = { minimum: 0.3, maximum: 0.95, default: 0.8 } as const;

/** How many of the newest messages a compaction keeps verbatim. */
export const KEEP_MESSAGES = { minimum: 1, maximum: 50, default: 6 } as const;

/** How many rounds a turn may take before it pauses. */
export const ROUND_LIMIT = { minimum: 1, maximum: 500, default: 25 } as const;

/** How long a command may run, in seconds. */
export const COMMAND_TIME_LIMIT = { minimum: 1, maximum: 3_600, default: 120 } as const;

/** After how many minutes without a word from the server a request is given up; 0 for never. */
export const SILENCE_LIMIT = { minimum: 0, maximum: 1_440, default: 0 } as const;

/** Shares of the window; design §3.4 and §3.8. */
export const SHARES = {
  toolResult: 1 / 4,
  summary: 1 / 10,
  words: 1 / 10,
  ledger: 1 / 20,
  /** What can be pinned. */
  pins: 1 / 10,
  /** What a compaction carries of the pins: more, since estimates change, and less only in a window that shrank. */
  pinsCarried: 1 / 5,
  /** What a compaction aims at: groups leave the tail until the new context is no larger. */
  afterCompactionAim: 4 / 10,
  /** What a compaction must reach, by shortening even the newest group if it has been read. */
  afterCompaction: 6 / 10,
  replyRoom: 1 / 10,
} as const;

/** The least and the most room for a reply, in tokens. */
export const REPLY_ROOM = { minimum: 256, maximum: 4_096 } as const;

/** The parts of slot 1, as multiples of their shares of the window. */
export interface SlotScale {
  readonly summary: number;
  readonly words: number;
  readonly ledger: number;
}

/** What slot 1 may take: all of its shares, or less when the newest messages leave no room for them. The summary gives way last. */
export const SLOT_SCALES = [
  { summary: 1, words: 1, ledger: 1 },
  { summary: 1, words: 1, ledger: 0 },
  { summary: 1, words: 1 / 2, ledger: 0 },
  { summary: 1 / 2, words: 1 / 4, ledger: 0 },
] as const satisfies readonly SlotScale[];

/** Without room for this many tokens of a reply a request makes no sense. */
export const LEAST_REPLY_TOKENS = 64;
