/**
 * The order of the alternatives matters: a word takes the one space before it along, so the rule for runs of spaces
 * leaves the last space of a run to the word.
 */
const PIECES = new RegExp(
  [
    "[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}]",
    " ?[A-Z]?[a-zß-öø-ÿ]{1,6}",
    " ?[A-Z]{1,4}",
    " ?[\\p{L}\\p{M}]{1,3}",
    "\\p{N}",
    "(?:\\r?\\n){1,3}",
    "\\t{1,4}",
    " {1,16}(?= )",
    " ?[^\\s\\p{L}\\p{M}\\p{N}]",
    "[\\s\\S]",
  ].join("|"),
  "gu",
);

/**
 * Splits text into the tokens of the scripted models; joined they give the text again. Words go in pieces of up to six letters
 * with the space before them, digits and punctuation one by one, an emoji in two halves: close to what the vocabularies
 * of real models give, and unlike any "characters divided by four".
 */
export function tokenize(text: string): readonly string[] {
  const tokens: string[] = [];
  for (const piece of text.match(PIECES) ?? []) {
    const code = piece.codePointAt(piece.length - 2) ?? 0;
    if (code > 0xffff) tokens.push(piece.slice(0, -1), piece.slice(-1));
    else tokens.push(piece);
  }
  return tokens;
}

/** The number of tokens that text has for the scripted models, without any chat template around it. */
export function countTokens(text: string): number {
  return tokenize(text).length;
}
