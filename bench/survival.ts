import { fileURLToPath } from "node:url";
import { SUMMARY_REQUESTS } from "../src/core/compaction/summaryForm";
import { median } from "./measure";
import type { Origin } from "./survival/conversation";
import { runSurvival, WHOLE_GRID, type SurvivalRow } from "./survival/grid";
import { startWorkers, work, WORKER_WORD } from "./survival/workers";

/** The estimator has learnt a model's ways after so many replies of a session. */
const REPLIES_TO_LEARN = 10;

/** How well prompts were estimated: the median error after ten rounds, and how often an estimate was more than 3 % too low. */
export function estimatorFigures(rows: readonly Pick<SurvivalRow, "estimates">[]) {
  const estimates = rows.flatMap((row) => row.estimates).filter(({ counted }) => counted > 0);
  const errors = estimates
    .filter(({ reply }) => reply > REPLIES_TO_LEARN)
    .map(({ expected, counted }) => Math.abs(expected - counted) / counted);
  const low = estimates.filter(({ expected, counted }) => expected < counted * 0.97).length;
  return {
    requests: estimates.length,
    medianErrorPercent: 100 * median(errors),
    underestimatedPerThousand: (1000 * low) / Math.max(1, estimates.length),
  };
}

/** `npm run bench -- survival [--json] [--quick] [--request=FORM]`: the exit code is 1 when something that must survive did not. */
export async function main(words: readonly string[]): Promise<void> {
  if (words.includes(WORKER_WORD)) return work();
  const isJson = words.includes("--json");
  const form = SUMMARY_REQUESTS.find((known) => words.includes(`--request=${known}`)) ?? WHOLE_GRID.form;
  const whole = { ...WHOLE_GRID, form };
  const grid = words.includes("--quick") ? { ...whole, lengths: [0.5, 2, 10], seeds: 4 } : whole;
  const started = performance.now();
  if (!isJson) printHead();
  const workers = startWorkers(fileURLToPath(import.meta.url), ["survival"]);
  const print = (row: SurvivalRow) => {
    if (!isJson) console.log(lineOf(row));
  };
  const rows = await runSurvival(grid, print, (task) => workers.play(task)).finally(() => workers.close());
  const seconds = Math.round((performance.now() - started) / 1000);
  const estimator = estimatorFigures(rows);
  const missed = missedGoals(rows);
  if (missed.length > 0) process.exitCode = 1;
  if (isJson) {
    const figures = rows.map(({ estimates: _, ...row }) => row);
    console.log(JSON.stringify({ rows: figures, estimator, missed, seconds }));
    return;
  }
  console.log(`\nestimator: ${JSON.stringify(estimator)}\n${seconds} s`);
  console.log(missed.length === 0 ? "Every goal holds." : `Missed:\n${missed.join("\n")}`);
}

/** What must hold of every row, whatever the summariser, and what must hold of the estimator. */
function missedGoals(rows: readonly SurvivalRow[]): string[] {
  const missed = rows.flatMap((row) => {
    const { window, length, summariser, needles, overWindow, orphans, loops, withoutRequest, turnsFailed } =
      row;
    const zeros = { overWindow, orphans, loops, withoutRequest, turnsFailed };
    const faults = Object.entries(zeros).filter(([, count]) => count !== 0);
    const must: readonly Origin[] = summariser === "perfect" ? ["user", "tool", "decision"] : ["user"];
    const lost = must.filter((origin) => needles[origin] !== 100);
    return [
      ...faults.map(([what, count]) => `${window} ${length} ${summariser}: ${what} ${count}`),
      ...lost.map(
        (origin) => `${window} ${length} ${summariser}: ${needles[origin].toFixed(1)} % of ${origin}`,
      ),
    ];
  });
  const { medianErrorPercent, underestimatedPerThousand } = estimatorFigures(rows);
  if (!(medianErrorPercent < 5)) missed.push(`estimator: median error ${medianErrorPercent} %`);
  if (!(underestimatedPerThousand < 1))
    missed.push(`estimator: too low ${underestimatedPerThousand} in 1,000`);
  return missed;
}

function printHead(): void {
  console.log(`Needles in the last request, in % (Loom / base algorithm), by where they were planted; then requests over the
window (Loom, base), orphaned calls or results, requests without the user's newest message, compactions with nothing new,
turns that failed, compactions in 100 rounds, the fewest tokens that a request left free, and thousands of tokens sent.

window length summariser   user        tool       decision   over  base orph noreq loops fail cmp/100 margin  ktokens`);
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
    Math.round(row.tokensSent / 1000)
      .toString()
      .padStart(8),
  ].join(" ");
}
