import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  countLines,
  excerptAround,
  HeadAndTail,
  keepHead,
  keepHeadAndTail,
  keepLines,
  keepTail,
  safeIndex,
} from "../../../src/core/window/truncate";

const text = fc.string({ unit: fc.constantFrom("a", "b", " ", "\n", "é", "😀", "👩‍🚀"), maxLength: 300 });
const size = fc.nat({ max: 200 });
const hasHalfPair = (piece: string) => /\p{Surrogate}/u.test(piece);

test("a head is the beginning of the text, fits, ends at a line end where it can and splits no character", () => {
  fc.assert(
    fc.property(text, size, (whole, most) => {
      const head = keepHead(whole, most);
      assert.ok(whole.startsWith(head) && head.length <= most);
      assert.ok(!hasHalfPair(head));
      const hasLineEnd = whole.slice(0, most).includes("\n");
      if (head !== whole && hasLineEnd) assert.ok(head.endsWith("\n"));
    }),
  );
});

test("a tail is the end of the text, fits, begins at a line where it can and splits no character", () => {
  fc.assert(
    fc.property(text, size, (whole, most) => {
      const tail = keepTail(whole, most);
      assert.ok(whole.endsWith(tail) && tail.length <= most);
      assert.ok(!hasHalfPair(tail));
      const before = whole.slice(0, whole.length - tail.length);
      const hasLineEnd = whole.slice(whole.length - most, -1).includes("\n");
      if (most > 0 && tail !== whole && hasLineEnd) assert.ok(before.endsWith("\n"));
    }),
  );
});

test("head and tail in pieces: bounded, nothing lost below the limit, and the notice says exactly what is missing", () => {
  fc.assert(
    fc.property(fc.array(text, { maxLength: 12 }), fc.integer({ min: 80, max: 400 }), (pieces, most) => {
      const kept = new HeadAndTail(most);
      for (const piece of pieces) kept.append(piece);
      const whole = pieces.join("");
      const shown = kept.toString();
      assert.ok(shown.length <= most);
      assert.ok(!hasHalfPair(shown));
      if (whole.length <= most) return assert.equal(shown, whole);
      const [, head, lines, characters, tail] =
        /^(.*?)\n?\[… (?:([\d,]+) lines?, )?([\d,]+) characters? left out …\]\n(.*)$/s.exec(shown) ?? [];
      assert.ok(head !== undefined && tail !== undefined && characters !== undefined);
      assert.ok(whole.startsWith(head) && whole.endsWith(tail));
      const left = Number(characters.replaceAll(",", ""));
      // The line end before the notice may be the text's own or the notice's.
      const ownEnd =
        whole.startsWith(`${head}\n`) && head.length + tail.length + left + 1 === whole.length ? 1 : 0;
      assert.equal(head.length + tail.length + left + ownEnd, whole.length);
      const ends = (part: string) => part.split("\n").length - 1;
      assert.equal(
        Number((lines ?? "0").replaceAll(",", "")),
        ends(whole) - ends(head) - ends(tail) - ownEnd,
      );
    }),
  );
});

test("lines are kept whole with a notice that counts towards the limit", () => {
  const lines = Array.from({ length: 100 }, (_, index) => `line ${index + 1}`);
  const { text: shown, shown: count } = keepLines(lines, 120, (kept) => `[${100 - kept} left]`);
  assert.ok(shown.length <= 120);
  assert.equal(shown, [...lines.slice(0, count), `[${100 - count} left]`].join("\n"));
  assert.ok(120 - shown.length < "line 99".length + 1, "as many lines as fit are shown");
  assert.deepEqual(
    keepLines(["a", "b"], 3, () => "x"),
    { text: "a\nb", shown: 2 },
  );
});

test("an excerpt shows the part that matters, marks its cuts and splits no character", () => {
  fc.assert(
    fc.property(text, size, fc.integer({ min: 10, max: 60 }), (line, at, most) => {
      const excerpt = excerptAround(line, Math.min(at, line.length), 3, most);
      assert.ok(excerpt.length <= most && !hasHalfPair(excerpt));
      assert.ok(line.includes(excerpt.replace(/^…|…$/g, "")) || line === excerpt);
    }),
  );
  assert.ok(excerptAround(`${"x".repeat(500)}needle${"y".repeat(500)}`, 500, 6, 50).includes("needle"));
});

test("a text of 600 kB in one line is cut to head and tail by size", () => {
  const shown = keepHeadAndTail("x".repeat(600_000), 1_000);
  assert.ok(shown.length <= 1_000 && shown.length > 900);
  assert.match(shown, /^x+\n\[… 599,\d{3} characters left out …\]\nx+$/);
});

test("an index never lies within a surrogate pair", () => {
  assert.deepEqual(
    [0, 1, 2, 3, 4, 9].map((index) => safeIndex("a😀b", index)),
    [0, 1, 1, 3, 4, 4],
  );
});

test("a line end at the end begins no further line", () => {
  assert.deepEqual(["", "a", "a\n", "a\nb", "\n"].map(countLines), [0, 1, 1, 2, 1]);
});
