import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** The value in the middle, or the mean of the two there; NaN of none. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return low === undefined || high === undefined ? NaN : (low + high) / 2;
}

/** How much processor time one figure is given, in milliseconds, unless there are few runs by then. */
const MEASURED_MS = 600;
const FEWEST_RUNS = 11;
const MOST_RUNS = 501;

/**
 * The median time of one call of `work`, in milliseconds, over many calls; the first ones only warm up. It is the processor time of
 * this process, which on an idle machine is what a clock shows and on a busy one does not grow. `prepare` makes the
 * argument of each call and is not measured.
 */
export function medianTime<Input = undefined>(
  work: (input: Input | undefined) => unknown,
  prepare?: () => Input,
): number {
  for (let run = 0; run < FEWEST_RUNS; run++) work(prepare?.());
  const times: number[] = [];
  let measured = 0;
  while (times.length < FEWEST_RUNS || (times.length < MOST_RUNS && measured < MEASURED_MS)) {
    const input = prepare?.();
    const started = process.cpuUsage();
    work(input);
    const { user, system } = process.cpuUsage(started);
    times.push((user + system) / 1000);
    measured += (user + system) / 1000;
  }
  return median(times);
}

/** How long something takes, and the longest that nothing else could run meanwhile. */
export async function measured<Result>(work: () => Promise<Result>): Promise<{
  readonly result: Result;
  readonly milliseconds: number;
  readonly longestBlock: number;
}> {
  let [last, longestBlock] = [performance.now(), 0];
  const beat = setInterval(() => {
    const now = performance.now();
    longestBlock = Math.max(longestBlock, now - last);
    last = now;
  }, 1);
  const started = performance.now();
  const result = await work();
  const milliseconds = performance.now() - started;
  longestBlock = Math.max(longestBlock, performance.now() - last);
  clearInterval(beat);
  return { result, milliseconds, longestBlock };
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
