import type { Speeds } from "./chunks";
import type { ModelSpec } from "./models";
import type { Brain } from "./reply";

/** How the scripted server is set up; everything has a default. */
export interface ScriptedServerOptions {
  /** Answers every chat; without one each answer is "OK.". */
  readonly brain?: Brain;
  /** One model named `scripted` that can call tools, by default. */
  readonly models?: readonly ModelSpec[];
  /** What POST /api/pull can fetch. */
  readonly pullable?: readonly ModelSpec[];
  /** Awaited before each line of a pull's progress. */
  readonly beforePullLine?: (line: number) => Promise<unknown> | undefined;
  /** The version whose behaviour is played (default 0.34.2). */
  readonly version?: string;
  /** What GET /api/version says, where it differs: a server built from source says 0.0.0. */
  readonly reportedVersion?: string;
  /** A free port by default. */
  readonly port?: number;
  /** num_ctx of requests that name none (default 4096). */
  readonly defaultNumCtx?: number;
  /** Requests that one model answers at once (default 1). */
  readonly parallel?: number;
  /** Requests that may run or wait for one model before 503 (default 512). */
  readonly maxQueue?: number;
  readonly speeds?: Partial<Speeds>;
  /** Requests without `Authorization: Bearer` and this are answered 401. */
  readonly token?: string;
}

/** What was measured with a small model on two CPU cores. */
export const DEFAULT_SPEEDS: Speeds = {
  readTokensPerSecond: 345,
  writeTokensPerSecond: 60,
  loadSeconds: 0.6,
  isRealTime: false,
};
