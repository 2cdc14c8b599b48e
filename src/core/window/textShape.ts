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

const [MARK, LOWER, UPPER, DIGIT, BLANK] = [0, 1, 2, 3, 4] as const;
const SPACE = 0x20;

/** The class of each ASCII character: every character of every conversation is looked up here. */
const CLASSES = Uint8Array.from({ length: 0x80 }, (_, code) => {
  if (code >= 0x61 && code <= 0x7a) return LOWER;
  if (code >= 0x41 && code <= 0x5a) return UPPER;
  if (code >= 0x30 && code <= 0x39) return DIGIT;
  return code <= SPACE ? BLANK : MARK;
});

/**
 * The shape of a text, in one pass. Words begin after what is no letter, at a capital in mid-word, and where several capitals end:
 * three of them in `readXMLFile`, and many in base64. A single space belongs to the word after it; other white space is
 * a break for each run of the same character.
 */
export function shapeOf(text: string): TextShape {
  const counts = [0, 0, 0, 0, 0];
  const others = { foreign: 0, wide: 0, rare: 0 };
  let [words, breaks, last, before] = [0, 0, MARK as number, MARK as number];
  for (let index = 0, code = 0, lastCode = 0; index < text.length; index++, lastCode = code) {
    code = text.charCodeAt(index);
    const kind = CLASSES[code] ?? MARK;
    if (code > 0x7f) others[kindOf(code)]++;
    else counts[kind] = (counts[kind] ?? 0) + 1;
    if (kind === LOWER) {
      if (last !== LOWER && (last !== UPPER || before === UPPER)) words++;
    } else if (kind === UPPER) {
      if (last !== UPPER) words++;
    } else if (kind === BLANK) {
      const isRun =
        code === SPACE ? last === BLANK && (lastCode !== SPACE || before !== BLANK) : code !== lastCode;
      if (isRun) breaks++;
    }
    before = last;
    last = kind;
  }
  const [marks = 0, lower = 0, upper = 0, digits = 0, spaces = 0] = counts;
  return { letters: lower + upper, words, digits, marks, spaces, breaks, ...others, messages: 0 };
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
