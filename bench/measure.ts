import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** The value in the middle, or the mean of the two there; NaN of none. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return low === undefined || high === undefined ? NaN : (low + high) / 2;
}

/** How long one figure is measured, in milliseconds, unless there are few runs by then. */
const MEASURED_MS = 1_500;
const FEWEST_RUNS = 11;
const MOST_RUNS = 501;

/** The median time of one call of `work`, in milliseconds, over many calls; the first ones only warm up. */
export function medianTime(work: () => unknown): number {
  for (let run = 0; run < FEWEST_RUNS; run++) work();
  const times: number[] = [];
  const end = performance.now() + MEASURED_MS;
  while (times.length < FEWEST_RUNS || (times.length < MOST_RUNS && performance.now() < end)) {
    const started = performance.now();
    work();
    times.push(performance.now() - started);
  }
  return median(times);
}

/** What `make` leaves on the heap, in bytes, as long as its value lives. */
export function heapOf<Value>(make: () => Value): { readonly bytes: number; readonly value: Value } {
  const before = heapUsed();
  const value = make();
  return { bytes: heapUsed() - before, value };
}

function heapUsed(): number {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  // Once more, since a first collection may only have moved what is young.
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}

/** One figure of a bench beside the most that it may be. */
export interface Figure {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  /** Absent where the figure is only told. */
  readonly limit?: number;
}

/** False for a figure over its limit; one without a limit always holds. */
export function holds({ value, limit }: Figure): boolean {
  return limit === undefined || value <= limit;
}

/** Prints figures, as lines or as JSON; the exit code is 1 when one is over its limit. */
export function printFigures(figures: readonly Figure[], isJson: boolean): void {
  if (figures.some((figure) => !holds(figure))) process.exitCode = 1;
  if (isJson) {
    console.log(JSON.stringify(figures.map((figure) => ({ ...figure, holds: holds(figure) }))));
    return;
  }
  for (const figure of figures) {
    const { what, value, unit, limit } = figure;
    const goal =
      limit === undefined ? "" : `  goal: at most ${limit}${holds(figure) ? ", holds" : ", DOES NOT HOLD"}`;
    console.log(`${what.padEnd(72)} ${value.toPrecision(3).padStart(8)} ${unit.padEnd(5)}${goal}`);
  }
}
