/** What is different about some versions of Ollama, as far as a request or its counts are concerned. */
export interface VersionQuirks {
  /** `shift: false` switches the prompt cache off (0.30.0 to 0.30.7, ollama/ollama #16635). */
  readonly noCacheWithoutShift: boolean;
  /** `prompt_eval_count` leaves out what was cached (0.30.0, ollama/ollama #16414). */
  readonly countsOnlyUncached: boolean;
}

/** Quirks of a version as GET /api/version says it; an unknown one, and the 0.0.0 of own builds, has none. */
export function quirksOf(version: string | undefined): VersionQuirks {
  const [, major, minor, patch] = (/^v?(\d+)\.(\d+)\.(\d+)/.exec(version ?? "") ?? []).map(Number);
  const isFirstOfNewEngine = major === 0 && minor === 30;
  return {
    noCacheWithoutShift: isFirstOfNewEngine && (patch ?? 0) < 8,
    countsOnlyUncached: isFirstOfNewEngine && patch === 0,
  };
}
