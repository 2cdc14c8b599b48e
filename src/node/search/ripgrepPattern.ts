/**
 * A pattern for ripgrep that fits every line which the search itself would find, and maybe more: what it says is only where to look.
 * Undefined where none can be made; everything is then looked through.
 */
export function ripgrepPattern(query: {
  readonly pattern: string;
  readonly isRegExp: boolean;
}): string | undefined {
  const { pattern } = query;
  if (pattern.length > MOST_CHARACTERS || /[\r\n\0]/.test(pattern)) return undefined;
  if (!query.isRegExp) return [...pattern].map(literal).join("");
  return translate(pattern);
}

const MOST_CHARACTERS = 5_000;

/** A character as itself, and as any byte that it may be in a file which is not UTF-8. */
function literal(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code >= 0x80) return withBytes(`\\x{${code.toString(16)}}`);
  return /[\w\s]/.test(character) ? character : `\\x${hex(code)}`;
}

function hex(code: number): string {
  return code.toString(16).padStart(2, "0");
}

const SPACES =
  "\\t\\x0b\\x0c\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}";

/** What stands for a set of characters in JavaScript, as a set of ripgrep's. */
const SETS: Readonly<Record<string, string>> = {
  d: "[0-9]",
  D: "[^0-9]",
  w: "[0-9A-Za-z_]",
  W: "[^0-9A-Za-z_]",
  s: `[${SPACES}]`,
  S: `[^${SPACES}]`,
};

const CONTROLS: Readonly<Record<string, string>> = { t: "\\t", v: "\\x0b", f: "\\x0c", r: "\\r", n: "\\n" };

/** One piece of a regular expression outside of a class: an escape, the beginning of a class or group, or one character. */
const PIECE =
  /\\(?:x[0-9a-fA-F]{2}|u\{[0-9a-fA-F]+\}|u[0-9a-fA-F]{4}|.)|\[\^?|\((?:\?(?:[:=!]|<[=!]|<\w+>))?|[^]/gsuy;

/** JavaScript's regular expression in ripgrep's words: what only narrows (`^`, `$`, `\b`) is left out; undefined where they differ. */
function translate(source: string): string | undefined {
  if (!isReadable(source.replace("(?i)", ""))) return undefined;
  const isFolded = source.startsWith("(?i)");
  let result = isFolded ? "(?i)" : "";
  PIECE.lastIndex = isFolded ? 4 : 0;
  while (PIECE.lastIndex < source.length) {
    const at = PIECE.lastIndex;
    const [piece] = PIECE.exec(source) ?? [];
    if (piece === undefined) return undefined;
    if (piece.startsWith("[")) {
      const set = translateClass(source, at);
      if (set === undefined) return undefined;
      result += set.text;
      PIECE.lastIndex = set.end;
      continue;
    }
    const text = translatePiece(piece);
    if (text === undefined) return undefined;
    result += text;
  }
  return result;
}

/** Without the flag `u` a character outside of the basic plane counts as two, which ripgrep does not do. */
function isReadable(source: string): boolean {
  try {
    return new RegExp(source, "u").source !== "";
  } catch {
    return false;
  }
}

/** What is more than ASCII may also be a byte of an old encoding. */
function withBytes(set: string): string {
  return `(?:${set}|(?-u:[\\x80-\\xff]))`;
}

function translatePiece(piece: string): string | undefined {
  if (piece.startsWith("\\")) return translateEscape(piece);
  // What a bare line end after `^` or before `$` is differs between the two, and a line is looked through anyway.
  if (piece === "^" || piece === "$") return "(?:)";
  if (piece.startsWith("(")) return piece === "(" || piece === "(?:" ? "(?:" : named(piece);
  if (piece === ".") return withBytes(".");
  if (/[*+?{}|),0-9]/.test(piece)) return piece;
  return piece === "]" ? "\\]" : literal(piece);
}

function named(piece: string): string | undefined {
  return /^\(\?<\w+>$/.test(piece) ? "(?:" : undefined;
}

function translateEscape(piece: string): string | undefined {
  const letter = piece.charAt(1);
  if (letter === "b" || letter === "B") return "(?:)";
  const set = SETS[letter];
  if (set !== undefined) return /[DWSs]/.test(letter) ? withBytes(set) : set;
  if (CONTROLS[letter] !== undefined) return CONTROLS[letter];
  const code = codeOf(piece);
  if (code !== undefined) return literal(String.fromCodePoint(code));
  return /[\w]/.test(letter) || piece.length > 2 ? undefined : literal(letter);
}

function codeOf(piece: string): number | undefined {
  const digits = /^\\(?:x([0-9a-fA-F]{2})|u\{([0-9a-fA-F]{1,6})\}|u([0-9a-fA-F]{4}))$/.exec(piece);
  const code = digits && parseInt(digits[1] ?? digits[2] ?? digits[3] ?? "", 16);
  return code !== null && code <= 0x10_ffff && !(code >= 0xd800 && code <= 0xdfff) ? code : undefined;
}

/** One piece of a class. */
const MEMBER = /\\(?:x[0-9a-fA-F]{2}|u\{[0-9a-fA-F]+\}|u[0-9a-fA-F]{4}|.)|[^]/gsuy;

function translateClass(
  source: string,
  at: number,
): { readonly text: string; readonly end: number } | undefined {
  const isNegated = source.startsWith("[^", at);
  let text = isNegated ? "[^" : "[";
  MEMBER.lastIndex = at + (isNegated ? 2 : 1);
  if (source[MEMBER.lastIndex] === "]") return undefined;
  while (MEMBER.lastIndex < source.length) {
    const [piece] = MEMBER.exec(source) ?? [];
    if (piece === undefined) return undefined;
    if (piece === "]") {
      const isAscii = !isNegated && !text.slice(1).includes("[");
      return { text: isAscii ? `${text}]` : withBytes(`${text}]`), end: MEMBER.lastIndex };
    }
    const member = translateMember(piece);
    if (member === undefined) return undefined;
    text += member;
  }
  return undefined;
}

function translateMember(piece: string): string | undefined {
  const letter = piece.charAt(1);
  if (piece.startsWith("\\") && SETS[letter] !== undefined) return SETS[letter];
  if (piece.startsWith("\\") && CONTROLS[letter] !== undefined) return CONTROLS[letter];
  if (piece === "-") return "-";
  const character = piece.startsWith("\\") ? memberOf(piece) : piece;
  if (character === undefined || (character.codePointAt(0) ?? 0) >= 0x80) return undefined;
  return /\w/.test(character) ? character : `\\x${hex(character.charCodeAt(0))}`;
}

function memberOf(piece: string): string | undefined {
  const code = codeOf(piece);
  if (code !== undefined) return String.fromCodePoint(code);
  const letter = piece.charAt(1);
  return piece.length > 2 || /\w/.test(letter) ? undefined : letter;
}
