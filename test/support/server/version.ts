/** What differs between the versions of Ollama, as far as a client can see it. */
export interface VersionTraits {
  /** `truncate` and `shift` are read from chat requests. */
  readonly knowsTruncate: boolean;
  /** llama-server is the engine: other error texts, `shift` belongs to the runner, other prompts are remembered too. */
  readonly newEngine: boolean;
  /** How many tokens are left of a prompt that is still too long after whole messages were dropped. */
  readonly cutPrompt: (numCtx: number, numKeep: number) => number;
  /** A prompt that would have to be cut is refused when `shift` is off. */
  readonly refusesCutWithoutShift: boolean;
  /** What an absent `shift` means. */
  readonly defaultShift: (numCtx: number) => boolean;
  /** `shift: false` switches the prompt cache off. */
  readonly noCacheWithoutShift: boolean;
  /** `prompt_eval_count` leaves out what was cached. */
  readonly countsOnlyUncached: boolean;
  /** The last chunk has `prompt_eval_cached_count`. */
  readonly reportsCached: boolean;
  /** Tool calls carry an `id`. */
  readonly toolCallIds: boolean;
  /** An absent `think` means on for models that can. */
  readonly thinksByDefault: boolean;
  readonly showsCapabilities: boolean;
  /** /api/tags has capabilities and the trained length. */
  readonly richTags: boolean;
  /** /api/ps has `context_length`. */
  readonly showsContextLength: boolean;
}

/** The traits of a version such as "0.34.2"; "0.0.0" is what a server says that was built without a number: a new one. */
export function traitsOf(version: string): VersionTraits {
  const since = (other: string): boolean => version === "0.0.0" || compare(version, other) >= 0;
  return {
    knowsTruncate: since("0.12.6"),
    newEngine: since("0.30.0"),
    cutPrompt: (numCtx, numKeep) => {
      if (since("0.30.11")) return numCtx - Math.floor((numCtx - numKeep) / 2);
      return since("0.30.0") ? numCtx - 1 : numCtx;
    },
    refusesCutWithoutShift: since("0.30.9"),
    defaultShift: (numCtx) => (since("0.30.0") && !since("0.30.9") ? numCtx < 8192 : true),
    noCacheWithoutShift: since("0.30.0") && !since("0.30.8"),
    countsOnlyUncached: version === "0.30.0",
    reportsCached: since("0.33.3"),
    toolCallIds: since("0.12.10"),
    thinksByDefault: since("0.12.4"),
    showsCapabilities: since("0.6.4"),
    richTags: since("0.30.0"),
    showsContextLength: since("0.10.0"),
  };
}

function compare(left: string, right: string): number {
  const numbers = (version: string): readonly number[] => version.split(/[.-]/).slice(0, 3).map(Number);
  const other = numbers(right);
  const difference = numbers(left)
    .map((number, index) => number - (other[index] ?? 0))
    .find((step) => step !== 0);
  return difference ?? 0;
}
