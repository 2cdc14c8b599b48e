/**
 * True when the newest rounds go in a circle: the same round three times, or two rounds in turn twice. A round is a string that
 * holds its calls and their results, so that waiting for something to change is no repetition.
 */
export function isRepeating(rounds: readonly string[]): boolean {
  const [d, c, b, a] = [rounds.at(-1), rounds.at(-2), rounds.at(-3), rounds.at(-4)];
  if (d === undefined || b === undefined) return false;
  if (d === c && c === b) return true;
  return a !== undefined && d === b && c === a;
}
