/** The first bytes of common kinds of files that are no text. */
const SIGNATURES: readonly (readonly [name: string, bytes: readonly number[]])[] = [
  ["PNG image", [0x89, 0x50, 0x4e, 0x47]],
  ["JPEG image", [0xff, 0xd8, 0xff]],
  ["GIF image", [0x47, 0x49, 0x46, 0x38]],
  ["PDF document", [0x25, 0x50, 0x44, 0x46]],
  ["ZIP archive", [0x50, 0x4b, 0x03, 0x04]],
  ["gzip archive", [0x1f, 0x8b]],
  ["ELF program", [0x7f, 0x45, 0x4c, 0x46]],
  ["Windows program", [0x4d, 0x5a, 0x90, 0x00]],
  ["WebAssembly module", [0x00, 0x61, 0x73, 0x6d]],
  ["SQLite database", [0x53, 0x51, 0x4c, 0x69, 0x74, 0x65, 0x20, 0x66]],
  ["Java class", [0xca, 0xfe, 0xba, 0xbe]],
  ["font", [0x77, 0x4f, 0x46]],
];

/** More control characters than this share make a file without NUL binary all the same. */
const MOST_CONTROLS = 0.02;
/** Looked through for control characters; enough to tell, and little work in a search of many files. */
const SAMPLE_BYTES = 4_096;

/** What a file is, when its content is no text in an 8-bit encoding; undefined for text. */
export function binaryKind(bytes: Buffer): string | undefined {
  const known = SIGNATURES.find(([, signature]) => signature.every((byte, index) => bytes[index] === byte));
  if (bytes.includes(0)) return known?.[0] ?? "binary data";
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  let controls = 0;
  for (const byte of sample) if (isControl(byte)) controls += 1;
  if (controls <= sample.length * MOST_CONTROLS) return undefined;
  return known?.[0] ?? "binary data";
}

/** Tab, line feed, form feed, carriage return, backspace, bell and escape occur in texts. */
function isControl(byte: number): boolean {
  return (byte < 0x20 && (byte < 0x07 || byte > 0x0d) && byte !== 0x1b) || byte === 0x7f;
}
