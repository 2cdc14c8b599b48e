/** What the server counted for one request, in tokens; a count that it left out is absent. */
export interface Usage {
  readonly promptTokens?: number;
  readonly cachedTokens?: number;
  readonly replyTokens?: number;
}

/** How long the server said that the parts of one request took, in milliseconds. */
export interface Timings {
  readonly loadMs: number;
  readonly promptMs: number;
  readonly replyMs: number;
}

/** Tokens of the context; `estimated` until the server has counted them. */
export interface TokenCount {
  readonly tokens: number;
  readonly estimated: boolean;
}
