import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { placesIn } from "../../../src/vscode/places";

test("an offset becomes the line and character that an editor counts", () => {
  const placeOf = placesIn("ab\n\ncd");
  const places = [0, 2, 3, 4, 6].map(placeOf).map(({ line, character }) => `${line}:${character}`);
  assert.deepEqual(places, ["0:0", "0:2", "1:0", "2:0", "2:2"]);
});

test("every offset of every text comes back from its place", () => {
  const text = fc.array(fc.constantFrom("a", "\n", "é", "😀")).map((parts) => parts.join(""));
  fc.assert(
    fc.property(text, fc.nat(), (content, number) => {
      const offset = number % (content.length + 1);
      const { line, character } = placesIn(content)(offset);
      const before = content.split("\n").slice(0, line);
      assert.equal(before.join("\n").length + (line > 0 ? 1 : 0) + character, offset);
    }),
  );
});
