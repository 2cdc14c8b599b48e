import { makeConversation, type Origin } from "./survival/conversation";
import { playBase } from "./survival/baseAgent";
import { playOurs, type Estimate, type Played } from "./survival/play";
import type { SummariserName } from "./survival/summarisers";

/** What to play; every combination is played. */
export interface SurvivalGrid {
  readonly windows: readonly number[];
  readonly lengths: readonly number[];
  readonly seeds: number;
  readonly summarisers: readonly SummariserName[];
}

export const WHOLE_GRID: SurvivalGrid = {
  windows: [2048, 4096, 8192, 16_384, 32_768],
  lengths: [0.5, 2, 10, 50],
  seeds: 20,
  summarisers: ["perfect", "forgetful", "amnesic", "rambling", "broken"],
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

/** Plays the grid; `onRow` is told of each row as it is done. */
export async function runSurvival(
  grid: SurvivalGrid,
  onRow: (row: SurvivalRow) => void,
): Promise<SurvivalRow[]> {
  const rows: SurvivalRow[] = [];
  for (const window of grid.windows) {
    for (const length of grid.lengths) {
      for (const summariser of grid.summarisers) {
        const row = await playRow(window, length, summariser, grid.seeds);
        rows.push(row);
        onRow(row);
      }
    }
  }
  return rows;
}

async function playRow(
  window: number,
  length: number,
  summariser: SummariserName,
  seeds: number,
): Promise<SurvivalRow> {
  const ours: Played[] = [];
  const base: ReturnType<typeof playBase>[] = [];
  for (let seed = 1; seed <= seeds; seed++) {
    const conversation = makeConversation(seed * 7919 + window + length, window, length);
    ours.push(await playOurs(conversation, window, summariser));
    base.push(playBase(conversation, window, summariser));
  }
  const sum = (pick: (played: Played) => number) => ours.reduce((total, played) => total + pick(played), 0);
  return {
    window,
    length,
    summariser,
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

/** How well prompts were estimated: the median error after ten rounds, and how often an estimate was more than 3 % too low. */
export function estimatorFigures(rows: readonly SurvivalRow[]) {
  const estimates = rows.flatMap((row) => row.estimates).filter(({ counted }) => counted > 0);
  const errors = estimates
    .map(({ expected, counted }) => Math.abs(expected - counted) / counted)
    .sort((a, b) => a - b);
  const low = estimates.filter(({ expected, counted }) => expected < counted * 0.97).length;
  return {
    requests: estimates.length,
    medianErrorPercent: 100 * (errors[Math.floor(errors.length / 2)] ?? 0),
    underestimatedPerThousand: (1000 * low) / Math.max(1, estimates.length),
  };
}

/** `npm run bench -- survival [--json] [--quick]`. */
export async function main(words: readonly string[]): Promise<void> {
  const isJson = words.includes("--json");
  const grid = words.includes("--quick") ? { ...WHOLE_GRID, lengths: [0.5, 2, 10], seeds: 4 } : WHOLE_GRID;
  const started = performance.now();
  if (!isJson) {
    console.log("Needles in the last request, in % (Loom / base algorithm), by where they were planted:\n");
    console.log(
      "window length summariser   user        tool       decision   over  base orph noreq loops fail cmp/100 margin",
    );
  }
  const rows = await runSurvival(grid, (row) => {
    if (!isJson) console.log(lineOf(row));
  });
  const seconds = Math.round((performance.now() - started) / 1000);
  const estimator = estimatorFigures(rows);
  if (isJson)
    console.log(JSON.stringify({ rows: rows.map(({ estimates: _, ...row }) => row), estimator, seconds }));
  else console.log(`\nestimator: ${JSON.stringify(estimator)}\n${seconds} s`);
}

function lineOf(row: SurvivalRow): string {
  const pair = (origin: Origin) =>
    `${row.needles[origin].toFixed(0).padStart(4)} /${row.baseNeedles[origin].toFixed(0).padStart(4)} `;
  const numbers = [
    row.overWindow,
    row.baseOverWindow,
    row.orphans,
    row.withoutRequest,
    row.loops,
    row.turnsFailed,
  ];
  return [
    String(row.window).padStart(6),
    String(row.length).padStart(6),
    row.summariser.padEnd(11),
    pair("user"),
    pair("tool"),
    pair("decision"),
    ...numbers.map((value) => String(value).padStart(4)),
    row.compactionsPer100Rounds.toFixed(1).padStart(6),
    String(row.worstMargin).padStart(6),
  ].join(" ");
}
