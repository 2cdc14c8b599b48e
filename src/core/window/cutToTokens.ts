import { estimateText, type Rates } from "./estimate";

/**
 * `text` shortened to about `tokens` tokens, never more: its beginning and its end with a bracketed line between that says how
 * many characters are left out and `why`. A text that fits is returned as it is.
 */
export function cutToTokens(text: string, tokens: number, rates: Rates, why: string): string {
  const total = estimateText(text, rates);
  if (total <= tokens) return text;
  let characters = Math.floor((text.length * tokens) / total);
  for (;;) {
    const cut = headAndTail(text, characters, why);
    if (estimateText(cut, rates) <= tokens || characters === 0) return cut;
    characters = Math.floor(characters * 0.9) - 8 > 0 ? Math.floor(characters * 0.9) - 8 : 0;
  }
}

/** Two thirds of what is kept comes from the beginning, which usually says what the text is. */
function headAndTail(text: string, characters: number, why: string): string {
  const head = wholeCharacters(text.slice(0, Math.ceil((characters * 2) / 3)));
  const tailStart = text.length - Math.floor(characters / 3);
  const tail = isLowSurrogate(text.charCodeAt(tailStart)) ? text.slice(tailStart + 1) : text.slice(tailStart);
  return `${head}\n[… ${text.length - head.length - tail.length} characters left out: ${why} …]\n${tail}`;
}

function wholeCharacters(head: string): string {
  const last = head.charCodeAt(head.length - 1);
  return last >= 0xd800 && last <= 0xdbff ? head.slice(0, -1) : head;
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
