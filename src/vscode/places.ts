/** A place in a text: line and character from 0, as editors count. */
export interface Place {
  readonly line: number;
  readonly character: number;
}

/** Turns offsets in a text with LF as its only line end into places, which do not depend on the line ends of a document. */
export function placesIn(text: string): (offset: number) => Place {
  const lineStarts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lineStarts.push(at + 1);
  return (offset) => {
    let [low, high] = [0, lineStarts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((lineStarts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return { line: low, character: offset - (lineStarts[low] ?? 0) };
  };
}
