/** What cannot be seen or begins a line of its own; file names may hold it, and results must not. */
const UNSEEN = /\p{C}|\p{Zl}|\p{Zp}/gu;

/** A path as one line that shows all of it: what cannot be seen is spelled out, e.g. `\u{202e}`. */
export function plainName(path: string): string {
  return path.replace(UNSEEN, (character) => {
    const code = character.codePointAt(0) ?? 0;
    // Private characters are shown by some fonts, and halves of pairs cannot be in a result.
    return `\\u{${code.toString(16)}}`;
  });
}
