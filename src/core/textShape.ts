/**
 * What tokenizers and chat templates count differently: kinds of character, where runs of them begin (words; breaks and indents),
 * and messages with their marks.
 */
export const KINDS = [
  "letters",
  "words",
  "digits",
  "marks",
  "spaces",
  "breaks",
  "foreign",
  "wide",
  "rare",
  "messages",
] as const;

/** How many characters (UTF-16 units), beginnings and messages of each kind a text has. */
export type TextShape = Readonly<Record<(typeof KINDS)[number], number>>;

/** The shape of nothing. */
export const EMPTY_SHAPE: TextShape = {
  letters: 0,
  words: 0,
  digits: 0,
  marks: 0,
  spaces: 0,
  breaks: 0,
  foreign: 0,
  wide: 0,
  rare: 0,
  messages: 0,
};

/** The shape of a text, in one pass. */
export function shapeOf(text: string): TextShape {
  const shape = { ...EMPTY_SHAPE };
  let before = 0;
  let last = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code > 0x7f) shape[kindOf(code)]++;
    else if (isLetter(code)) {
      shape.letters++;
      if (beginsWord(code, last, before)) shape.words++;
    } else if (code >= 0x30 && code <= 0x39) shape.digits++;
    else if (code <= SPACE) {
      shape.spaces++;
      if (beginsBreak(code, last, before)) shape.breaks++;
    } else shape.marks++;
    before = last;
    last = code;
  }
  return shape;
}

const SPACE = 0x20;

function isLetter(code: number): boolean {
  return (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a && code <= 0x7f;
}

function isCapital(code: number): boolean {
  return code >= 0x41 && code <= 0x5a;
}

/** Words begin after what is no letter, at a capital in mid-word, and where capitals end: three of them in `readXMLFile`, and many in base64. */
function beginsWord(code: number, last: number, before: number): boolean {
  if (!isLetter(last)) return true;
  return isCapital(code) ? !isCapital(last) : isCapital(last) && isCapital(before);
}

/** A single space belongs to the word after it; other white space is a token for each run of the same character. */
function beginsBreak(code: number, last: number, before: number): boolean {
  if (code !== SPACE) return code !== last;
  return last === SPACE ? before > SPACE : last < SPACE;
}

function kindOf(code: number): "foreign" | "wide" | "rare" {
  if (isWide(code)) return "wide";
  return isForeignLetter(code) ? "foreign" : "rare";
}

/** Letters with accents and those of the other alphabets: a few of them to a token. */
function isForeignLetter(code: number): boolean {
  return (code >= 0xc0 && code <= 0x24f) || (code >= 0x370 && code <= 0x1fff);
}

/** CJK ideographs, kana and hangul: about one token each. */
function isWide(code: number): boolean {
  return (
    (code >= 0x3040 && code <= 0x9fff) ||
    (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0xf900 && code <= 0xfaff)
  );
}

/** The shape of two texts together. */
export function addShapes(a: TextShape, b: TextShape): TextShape {
  return sumShapes([a, b], (shape) => shape);
}

/** The shape of many texts together. */
export function sumShapes<One>(items: readonly One[], shapeOfOne: (item: One) => TextShape): TextShape {
  // One object for all of them, field by field: this runs over whole conversations before every request.
  const sum = { ...EMPTY_SHAPE };
  for (const item of items) {
    const shape = shapeOfOne(item);
    sum.letters += shape.letters;
    sum.words += shape.words;
    sum.digits += shape.digits;
    sum.marks += shape.marks;
    sum.spaces += shape.spaces;
    sum.breaks += shape.breaks;
    sum.foreign += shape.foreign;
    sum.wide += shape.wide;
    sum.rare += shape.rare;
    sum.messages += shape.messages;
  }
  return sum;
}
