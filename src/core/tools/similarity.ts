/** How alike two lines are, from 0 to 1: the share of letter pairs that they have in common; spacing and case count for nothing. */
export function similarity(first: string, second: string): number {
  const a = letterPairs(first);
  const b = letterPairs(second);
  if (a.size === 0 || b.size === 0) return simplified(first) === simplified(second) ? 1 : 0;
  let common = 0;
  for (const pair of a) if (b.has(pair)) common += 1;
  return (2 * common) / (a.size + b.size);
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
  return Math.max(isPart ? 0.6 : 0, similarity(a, b));
}

function simplified(line: string): string {
  return line.toLowerCase().replace(/\s+/g, "");
}

function letterPairs(line: string): ReadonlySet<string> {
  const letters = simplified(line).slice(0, 400);
  const pairs = new Set<string>();
  for (let index = 0; index + 1 < letters.length; index += 1) pairs.add(letters.slice(index, index + 2));
  return pairs;
}
