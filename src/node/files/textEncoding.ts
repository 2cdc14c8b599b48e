import { binaryKind } from "./binaryKind";

/** How the bytes of a text file are to be read, and written again without changing any that an edit does not touch. */
export type Encoding = "utf-8" | "utf-8 with mark" | "utf-16le" | "utf-16be" | "windows-1252";

/** The text of a file, still with its own line ends but without a byte-order mark. */
export interface DecodedText {
  readonly raw: string;
  readonly encoding: Encoding;
}

const MARKS: Readonly<Record<Encoding, readonly number[]>> = {
  "utf-8": [],
  "utf-8 with mark": [0xef, 0xbb, 0xbf],
  "utf-16le": [0xff, 0xfe],
  "utf-16be": [0xfe, 0xff],
  "windows-1252": [],
};

/** What Windows-1252 has at 80 to 9F; the five unassigned bytes stand for themselves, so that every byte comes back. */
const WINDOWS_1252 =
  "\u20AC\u0081\u201A\u0192\u201E\u2026\u2020\u2021\u02C6\u2030\u0160\u2039\u0152\u008D\u017D\u008F" +
  "\u0090\u2018\u2019\u201C\u201D\u2022\u2013\u2014\u02DC\u2122\u0161\u203A\u0153\u009D\u017E\u0178";

const TO_BYTE: ReadonlyMap<string, number> = new Map(
  [...WINDOWS_1252].map((character, index) => [character, 0x80 + index]),
);

/**
 * Reads bytes as text: by its byte-order mark, else strictly as UTF-8, else byte by byte as Windows-1252. Says what kind of
 * file it is when it is no text.
 */
export function decodeText(bytes: Buffer): DecodedText | { readonly binary: string } {
  if (hasMark(bytes, "utf-16le") || hasMark(bytes, "utf-16be")) return decodeUtf16(bytes);
  const encoding = hasMark(bytes, "utf-8 with mark") ? "utf-8 with mark" : "utf-8";
  const binary = binaryKind(bytes);
  if (binary !== undefined) return { binary };
  try {
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    return { raw: decoder.decode(bytes.subarray(MARKS[encoding].length)), encoding };
  } catch {
    return { raw: fromWindows1252(bytes), encoding: "windows-1252" };
  }
}

/** The bytes of a text, with the mark that the encoding has; undefined when a character has no bytes in it. */
export function encodeText({ raw, encoding }: DecodedText): Buffer | undefined {
  const mark = Buffer.from(MARKS[encoding]);
  switch (encoding) {
    case "utf-8":
    case "utf-8 with mark":
      // An edit may have taken a surrogate pair apart.
      if (/\p{Surrogate}/u.test(raw)) return undefined;
      return Buffer.concat([mark, Buffer.from(raw, "utf8")]);
    case "utf-16le":
      return Buffer.concat([mark, Buffer.from(raw, "utf16le")]);
    case "utf-16be":
      return Buffer.concat([mark, Buffer.from(raw, "utf16le").swap16()]);
    case "windows-1252":
      return toWindows1252(raw);
  }
}

/**
 * The characters of `added` that must not be written into a file: half surrogate pairs, and in a file of unknown 8-bit
 * encoding everything beyond ASCII that it does not hold already, since its bytes there may mean something else.
 */
export function unwritable(added: string, { raw, encoding }: DecodedText): readonly string[] {
  const suspects = added.match(encoding === "windows-1252" ? /[^\0-\x7F]/gu : /\p{Surrogate}/gu) ?? [];
  return [...new Set(suspects)].filter(
    (character) => encoding !== "windows-1252" || !raw.includes(character),
  );
}

function hasMark(bytes: Buffer, encoding: Encoding): boolean {
  return MARKS[encoding].every((byte, index) => bytes[index] === byte);
}

function decodeUtf16(bytes: Buffer): DecodedText | { readonly binary: string } {
  const encoding = hasMark(bytes, "utf-16le") ? "utf-16le" : "utf-16be";
  const content = Buffer.from(bytes.subarray(2));
  if (content.length % 2 !== 0) return { binary: "binary data" };
  const raw = (encoding === "utf-16be" ? content.swap16() : content).toString("utf16le");
  return raw.includes("\0") ? { binary: "binary data" } : { raw, encoding };
}

function fromWindows1252(bytes: Buffer): string {
  return bytes
    .toString("latin1")
    .replace(/[\x80-\x9F]/g, (byte) => WINDOWS_1252[byte.charCodeAt(0) - 0x80] ?? byte);
}

function toWindows1252(raw: string): Buffer | undefined {
  const bytes = Buffer.alloc(raw.length);
  for (let index = 0; index < raw.length; index += 1) {
    const byte = TO_BYTE.get(raw.charAt(index)) ?? raw.charCodeAt(index);
    if (byte > 0xff) return undefined;
    bytes[index] = byte;
  }
  return bytes;
}
