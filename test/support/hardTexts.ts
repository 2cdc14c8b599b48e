import * as fc from "fast-check";

/** Texts that tokenizers find hard in different ways, each as long as it is asked for (UTF-16 units). */
const KINDS: Readonly<Record<string, (characters: number) => string>> = {
  prose: (characters) => repeat("The parser reads a line, and gives back what it found there. ", characters),
  code: (characters) =>
    repeat("  const total = items.filter((item) => item.price > limit).map(toRow);\n", characters),
  json: (characters) => repeat('{"name":"alpha","size":418,"tags":["a","b"],"ok":true},\n', characters),
  log: (characters) => repeat("2026-01-18 12:41:07.331 INFO request 48213 took 17 ms\n", characters),
  cjk: (characters) => repeat("この関数は入力を読み込み、結果を一覧に加えます。", characters),
  emoji: (characters) => repeat("👩‍👩‍👧‍👦🧵🎉 ", characters),
  minified: (characters) => repeat("function a(b,c){return b&&c?b[c]:{}}var d=a(e,1);", characters),
  blank: (characters) => repeat("        \n\n\t\t", characters),
  base64,
};

function repeat(sample: string, characters: number): string {
  return sample.repeat(Math.ceil(characters / sample.length)).slice(0, characters);
}

/** A picture as text: letters of both cases and digits as if by chance. */
function base64(characters: number): string {
  let text = "";
  for (let value = 12_345; text.length < characters; value = (value * 48_271) % 2_147_483_647) {
    text += "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".charAt(value % 64);
  }
  return text;
}

/** A text of one kind and length (UTF-16 units); as data, so that a failing example can be read. */
export interface HardText {
  readonly kind: string;
  readonly characters: number;
}

export function anyHardText(sizes: fc.Arbitrary<number>): fc.Arbitrary<HardText> {
  const kind = fc.constantFrom(...Object.keys(KINDS));
  return fc.record({ kind, characters: sizes.map(Math.floor) });
}

export function textOf({ kind, characters }: HardText): string {
  return KINDS[kind]?.(characters) ?? "";
}
