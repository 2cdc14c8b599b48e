import { COMPACTION_THRESHOLD, KEEP_MESSAGES, NUM_CTX, ROUND_LIMIT } from "../core/limits";
import type { SessionSettings } from "../core/session";

/** The settings of a session in a terminal, before its arguments. */
export const DEFAULT_SETTINGS: SessionSettings = {
  model: "",
  numCtx: NUM_CTX.default,
  compactionThreshold: COMPACTION_THRESHOLD.default,
  keepMessages: KEEP_MESSAGES.default,
  automaticCompaction: true,
  summaryRequest: "auto",
  roundLimit: ROUND_LIMIT.default,
  approvalMode: "ask",
};
