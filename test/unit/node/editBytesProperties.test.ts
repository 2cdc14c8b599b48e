import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { safeIndex } from "../../../src/core/window/truncate";
import { replaceInRaw, toLineFeeds } from "../../../src/node/files/lineEnds";
import { decodeText, encodeText } from "../../../src/node/files/textEncoding";
import type { Encoding } from "../../../src/node/files/textEncoding";
import { editorOn } from "../../support/diskEditor";

const ENCODINGS: readonly Encoding[] = ["utf-8", "utf-8 with mark", "utf-16le", "utf-16be", "windows-1252"];
const lineEnd = fc.constantFrom("\n", "\r\n", "\r");
const words = (encoding: Encoding) =>
  fc.string({
    unit: fc.constantFrom(
      "a",
      "b",
      " ",
      "\t",
      "é",
      ...(encoding === "windows-1252" ? ["\u0081", "“"] : ["😀", "漢"]),
    ),
    maxLength: 8,
  });

const edited = fc.constantFrom(...ENCODINGS).chain((encoding) =>
  fc.record({
    encoding: fc.constant(encoding),
    lines: fc.array(fc.tuple(words(encoding), lineEnd), { maxLength: 12 }),
    last: words(encoding),
    start: fc.nat(),
    length: fc.nat({ max: 12 }),
    inserted: fc.array(fc.constantFrom("x", "yy", "\n", ""), { maxLength: 4 }).map((parts) => parts.join("")),
  }),
);

test("E01, E04, E05: whatever encoding, mark, line ends and edit: every byte outside of the replaced text is equal", () => {
  fc.assert(
    fc.property(edited, ({ encoding, lines, last, ...edit }) => {
      // A lone carriage return before a line feed would be read as one line end.
      const raw = (lines.map((line) => line.join("")).join("") + last).replace(/\r+\n/g, "\r\n");
      const bytes = encodeText({ raw, encoding });
      assert.ok(bytes);
      const decoded = decodeText(bytes);
      assert.ok("raw" in decoded);
      // Some bytes in an 8-bit encoding happen to be UTF-8 as well.
      fc.pre(encoding !== "windows-1252" || decoded.encoding === encoding);
      assert.deepEqual(decoded, { raw, encoding });
      const text = toLineFeeds(raw);
      const start = safeIndex(text, text.length === 0 ? 0 : edit.start % text.length);
      const end = Math.max(start, safeIndex(text, start + edit.length));
      const changed = replaceInRaw(raw, [{ start, end, text: edit.inserted }]);
      if (changed === undefined) {
        // Only a CR alone can stand in the way of a change.
        assert.match(raw, /\r(?!\n)/);
        return;
      }
      assert.equal(toLineFeeds(changed), toLineFeeds(text.slice(0, start) + edit.inserted + text.slice(end)));
      const rawOffset = (offset: number) =>
        offset + (raw.match(/\r\n/g) ?? []).filter((_, index) => pairAt(raw, index) < offset).length;
      const after = encodeText({ raw: changed, encoding });
      const head = encodeText({ raw: raw.slice(0, rawOffset(start)), encoding });
      const tail = encodeText({ raw: raw.slice(rawOffset(end)), encoding });
      const mark = encodeText({ raw: "", encoding })?.length ?? 0;
      assert.ok(after && head && tail);
      assert.deepEqual(after.subarray(0, head.length), head);
      assert.deepEqual(after.subarray(after.length - (tail.length - mark)), tail.subarray(mark));
    }),
    { numRuns: 600 },
  );
});

/** Where the line feed of the text with LF line ends lies that stands for the n-th CRLF. */
function pairAt(raw: string, nth: number): number {
  const before = raw.split("\r\n").slice(0, nth + 1);
  return before.join("\n").length;
}

test("every sequence of bytes that is taken for text comes back unchanged", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), fc.constantFrom("", "\uFEFF", "é"), (random, before) => {
      const bytes = Buffer.concat([Buffer.from(before), Buffer.from(random)]);
      const decoded = decodeText(bytes);
      if ("raw" in decoded) assert.deepEqual(encodeText(decoded), bytes);
    }),
    { numRuns: 500 },
  );
});

test("edits through the tool keep every other byte, also when the match is found by its words only", async (context) => {
  const { edit, folder, bytesOf } = await editorOn(context);
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...ENCODINGS.slice(0, 4)),
      fc.array(fc.tuple(words("utf-8"), lineEnd), { maxLength: 8 }),
      fc.boolean(),
      async (encoding, lines, isExact) => {
        const head = lines
          .map((line) => line.join(""))
          .join("")
          .replace(/\r+\n/g, "\r\n");
        const raw = `${head}needle  here\r\nq ${head}`;
        const [before, expected] = [raw, raw.replace("needle  here", "needle  there")].map((text) =>
          encodeText({ raw: text, encoding }),
        );
        assert.ok(before && expected);
        await writeFile(join(folder, "f.txt"), before);
        const blanks = isExact ? "  " : " ";
        const result = await edit("f.txt", `needle${blanks}here`, `needle${blanks}there`);
        assert.equal(result.outcome, "ok", result.content);
        assert.deepEqual(await bytesOf("f.txt"), expected);
      },
    ),
    { numRuns: 40 },
  );
});
