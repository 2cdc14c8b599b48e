/** What of a line is compared: its letters without spacing and case, and all pairs of them. */
export interface Likeness {
  readonly letters: string;
  readonly pairs: ReadonlySet<string>;
}

/** More of a line than this is not looked at, in characters. */
const MOST_CHARACTERS = 800;
const MOST_LETTERS = 400;

/** Takes a line apart for `likeness`: to be done once for a line that is compared often. */
export function likenessOf(line: string): Likeness {
  const letters = line.slice(0, MOST_CHARACTERS).toLowerCase().replace(/\s+/g, "").slice(0, MOST_LETTERS);
  const pairs = new Set<string>();
  for (let index = 0; index + 1 < letters.length; index += 1) pairs.add(letters.slice(index, index + 2));
  return { letters, pairs };
}

/** How alike two lines are, from 0 to 1: the share of letter pairs that they have in common; spacing and case count for nothing. */
export function likeness(a: Likeness, b: Likeness): number {
  if (a.pairs.size === 0 || b.pairs.size === 0) return a.letters === b.letters ? 1 : 0;
  let common = 0;
  for (const pair of a.pairs) if (b.pairs.has(pair)) common += 1;
  return (2 * common) / (a.pairs.size + b.pairs.size);
}

/** The names that look like `wanted`, the most similar first. */
export function similarNames(wanted: string, names: readonly string[], most: number): readonly string[] {
  return names
    .map((name) => ({ name, score: nameScore(wanted, name) }))
    .filter(({ score }) => score >= 0.4)
    .sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1))
    .slice(0, most)
    .map(({ name }) => name);
}

function nameScore(wanted: string, name: string): number {
  if (wanted === "") return 0;
  const [a, b] = [wanted.toLowerCase(), name.toLowerCase()];
  if (a === b) return 1;
  const [stemA, stemB] = [a.replace(/\.[^.]*$/, ""), b.replace(/\.[^.]*$/, "")];
  if (stemA !== "" && stemA === stemB) return 0.95;
  const isPart = stemA.length >= 3 && stemB.length >= 3 && (stemA.includes(stemB) || stemB.includes(stemA));
  return Math.max(isPart ? 0.6 : 0, likeness(likenessOf(a), likenessOf(b)));
}
