import type { SummaryRequestSetting } from "../../src/core/compaction/summaryForm";
import { playBase } from "./baseAgent";
import { makeConversation, type Origin } from "./conversation";
import { playOurs, type Estimate, type Played } from "./play";
import type { SummariserName } from "./summarisers";
import { TokenCounter } from "./tokenCounter";

/** What to play; every combination is played. */
export interface SurvivalGrid {
  readonly windows: readonly number[];
  readonly lengths: readonly number[];
  readonly seeds: number;
  readonly summarisers: readonly SummariserName[];
  readonly form: SummaryRequestSetting;
}

export const WHOLE_GRID: SurvivalGrid = {
  windows: [2048, 4096, 8192, 16_384, 32_768],
  lengths: [0.5, 2, 10, 50],
  seeds: 20,
  summarisers: ["perfect", "forgetful", "amnesic", "rambling", "broken"],
  form: "auto",
};

/** The figures of one window, length and summariser over all seeds. */
export interface SurvivalRow {
  readonly window: number;
  readonly length: number;
  readonly summariser: SummariserName;
  /** Shares of the planted needles that the last request holds, in percent. */
  readonly needles: Readonly<Record<Origin, number>>;
  readonly baseNeedles: Readonly<Record<Origin, number>>;
  readonly overWindow: number;
  readonly baseOverWindow: number;
  readonly orphans: number;
  readonly withoutRequest: number;
  readonly loops: number;
  readonly turnsFailed: number;
  readonly compactionsPer100Rounds: number;
  readonly tokensSent: number;
  readonly worstMargin: number;
  readonly estimates: readonly Estimate[];
}

/** One conversation, to be played with each of the summarisers. */
export interface SurvivalTask {
  readonly window: number;
  readonly length: number;
  readonly seed: number;
  readonly summarisers: readonly SummariserName[];
  readonly form: SummaryRequestSetting;
}

/** What one summariser came to in one conversation; plain data, so that it can come from another process. */
export interface SurvivalResult {
  readonly summariser: SummariserName;
  readonly ours: Omit<Played, "lastRequest" | "shown">;
  readonly base: Pick<ReturnType<typeof playBase>, "found" | "planted" | "overWindow">;
}

/** Plays one conversation with each of its summarisers. */
export async function playTask({
  window,
  length,
  seed,
  summarisers,
  form,
}: SurvivalTask): Promise<SurvivalResult[]> {
  const conversation = makeConversation(seed * 7919 + window + length, window, length);
  const counter = new TokenCounter();
  const results: SurvivalResult[] = [];
  for (const summariser of summarisers) {
    const {
      lastRequest: _,
      shown: __,
      ...ours
    } = await playOurs(conversation, { numCtx: window, summariser, form }, counter);
    const { found, planted, overWindow } = playBase(conversation, window, summariser, counter);
    results.push({ summariser, ours, base: { found, planted, overWindow } });
  }
  return results;
}

/** Plays the grid; `onRow` is told of each row in order, as soon as it is done. `play` may do it elsewhere, several at once. */
export async function runSurvival(
  grid: SurvivalGrid,
  onRow: (row: SurvivalRow) => void,
  play: (task: SurvivalTask) => Promise<readonly SurvivalResult[]> = inTurn(playTask),
): Promise<SurvivalRow[]> {
  const { summarisers, form } = grid;
  const seeds = Array.from({ length: grid.seeds }, (_, index) => index + 1);
  const cells = grid.windows.flatMap((window) => grid.lengths.map((length) => ({ window, length })));
  const played = cells.map((cell) => ({
    cell,
    results: Promise.all(seeds.map((seed) => play({ ...cell, seed, summarisers, form }))),
  }));
  const rows: SurvivalRow[] = [];
  for (const { cell, results } of played) {
    const all = (await results).flat();
    for (const summariser of summarisers) {
      const row = rowOf(
        { ...cell, summariser },
        all.filter((one) => one.summariser === summariser),
      );
      rows.push(row);
      onRow(row);
    }
  }
  return rows;
}

/** The same work, one call after the other. */
function inTurn<Input, Output>(work: (input: Input) => Promise<Output>): (input: Input) => Promise<Output> {
  let last: Promise<unknown> = Promise.resolve();
  return (input) => {
    const next = last.then(() => work(input));
    last = next;
    return next;
  };
}

function rowOf(
  key: Pick<SurvivalRow, "window" | "length" | "summariser">,
  results: readonly SurvivalResult[],
): SurvivalRow {
  const ours = results.map((one) => one.ours);
  const base = results.map((one) => one.base);
  const sum = (pick: (played: SurvivalResult["ours"]) => number) =>
    ours.reduce((total, played) => total + pick(played), 0);
  return {
    ...key,
    needles: shares(ours),
    baseNeedles: shares(base),
    overWindow: sum(({ overWindow }) => overWindow),
    baseOverWindow: base.reduce((total, { overWindow }) => total + overWindow, 0),
    orphans: sum(({ orphans }) => orphans),
    withoutRequest: sum(({ withoutRequest }) => withoutRequest),
    loops: sum(({ loops }) => loops),
    turnsFailed: sum(({ turnsFailed }) => turnsFailed),
    compactionsPer100Rounds: (100 * sum(({ compactions }) => compactions)) / sum(({ rounds }) => rounds),
    tokensSent: sum(({ tokensSent }) => tokensSent),
    worstMargin: Math.min(...ours.map(({ worstMargin }) => worstMargin)),
    estimates: ours.flatMap(({ estimates }) => estimates),
  };
}

function shares(played: readonly Pick<Played, "found" | "planted">[]): Record<Origin, number> {
  const share = (origin: Origin) => {
    const planted = played.reduce((sum, one) => sum + one.planted[origin], 0);
    return planted === 0 ? 100 : (100 * played.reduce((sum, one) => sum + one.found[origin], 0)) / planted;
  };
  return { user: share("user"), tool: share("tool"), decision: share("decision") };
}
