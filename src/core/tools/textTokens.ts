/** A piece of text for comparing: a word, one other sign, a run of blanks, or a line end with the blanks around it. */
export interface Token {
  readonly text: string;
  /** Equal for pieces that differ only in blanks or in the typography of quotes. */
  readonly key: string;
  readonly start: number;
}

const TOKEN = /[^\S\n]*\n[^\S\n]*|[^\S\n]+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gsu;

const QUOTES: ReadonlyMap<string, string> = new Map([
  ..."\u2018\u2019\u201A\u201B\u2032\u00B4".split("").map((quote) => [quote, "'"] as const),
  ..."\u201C\u201D\u201E\u201F\u2033\u00AB\u00BB".split("").map((quote) => [quote, '"'] as const),
]);

/** Takes a text (LF line ends) apart; the pieces in order make up the whole text again. */
export function tokenize(text: string): readonly Token[] {
  return Array.from(text.matchAll(TOKEN), (match) => ({
    text: match[0],
    key: keyOf(match[0]),
    start: match.index,
  }));
}

/** Whether a piece is a line end; the blanks after it are the indentation of the next line. */
export function isLineEnd(token: Token | undefined): boolean {
  return token?.key === "\n";
}

/** The indentation that a line-end piece holds. */
export function indentationIn(token: Token): string {
  return token.text.slice(token.text.indexOf("\n") + 1);
}

function keyOf(text: string): string {
  if (/^\s/.test(text)) return text.includes("\n") ? "\n" : " ";
  return QUOTES.get(text) ?? text;
}

/** All positions at which the keys of `wanted` follow each other in `tokens`. */
export function findTokens(tokens: readonly Token[], wanted: readonly Token[]): readonly number[] {
  const found: number[] = [];
  for (let from = 0; from + wanted.length <= tokens.length; from += 1) {
    if (wanted.every((token, index) => tokens[from + index]?.key === token.key)) found.push(from);
  }
  return found;
}
