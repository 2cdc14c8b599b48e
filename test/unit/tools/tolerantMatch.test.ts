import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { applyReplacements, planEdit } from "../../../src/core/tools/editPlan";

/** The text after an edit, or how the edit was refused. */
function edit(text: string, oldText: string, newText: string): string {
  const plan = planEdit(text, { oldText, newText, replaceAll: false });
  return plan.type === "replace" ? applyReplacements(text, plan.replacements) : plan.type;
}

const GO = "func main() {\n\tfor {\n\t\tif ok {\n\t\t\treturn\n\t\t}\n\t}\n}\n";

test("E11: text with four spaces a level matches a file with tabs, and new lines get tabs", () => {
  const old = "    for {\n        if ok {\n            return\n        }";
  const now =
    "    for {\n        if ok {\n            log()\n            for {\n                x()\n            }\n        }";
  assert.equal(
    edit(GO, old, now),
    "func main() {\n\tfor {\n\t\tif ok {\n\t\t\tlog()\n\t\t\tfor {\n\t\t\t\tx()\n\t\t\t}\n\t\t}\n\t}\n}\n",
  );
});

test("E11: two spaces a level, and tabs for a file with spaces, are turned into the file's own", () => {
  assert.equal(
    edit(GO, "  if ok {\n    return", "  if ok {\n    y()\n    return"),
    GO.replace("\t\t\treturn", "\t\t\ty()\n\t\t\treturn"),
  );
  const python = "class A:\n    def f(self):\n        return 1\n";
  assert.equal(
    edit(
      python,
      "\tdef f(self):\n\t\treturn 1\n",
      "\tdef f(self):\n\t\tif self:\n\t\t\treturn 2\n\t\treturn 1\n",
    ),
    "class A:\n    def f(self):\n        if self:\n            return 2\n        return 1\n",
  );
});

test("E11: text that was written without the indentation around it is put where it belongs", () => {
  const text = "if a:\n    if b:\n        c()\n        d()\n";
  assert.equal(
    edit(text, "if b:\n    c()\n    d()", "if b:\n    c()\n    if e:\n        f()\n    d()"),
    "if a:\n    if b:\n        c()\n        if e:\n            f()\n        d()\n",
  );
});

test("E11: text that was copied from the middle of its line keeps the other lines' depth", () => {
  const text = "    if x:  \n        y()\n        z()\n";
  assert.equal(
    edit(text, "if x:\n        y()", "if x:\n        y()\n        w()"),
    "    if x:  \n        y()\n        w()\n        z()\n",
  );
});

test("E11: added empty lines hold no blanks", () => {
  assert.equal(
    edit("\ta()\n\tb()\n", "    a()\n    b()", "    a()\n\n    c()\n    b()"),
    "\ta()\n\n\tc()\n\tb()\n",
  );
  assert.equal(edit("\ta()\n\tb()\n", "a()\nb()", "a()\n\nc()\nb()"), "\ta()\n\n\tc()\n\tb()\n");
});

test("E05: blanks at line ends and runs of blanks do not matter, and stay where the text was not changed", () => {
  assert.equal(edit("x  =  1   \ny = 2\n", "x = 1\ny = 2", "x = 1\ny = 3"), "x  =  1   \ny = 3\n");
  assert.equal(edit("a\u00A0b c\n", "a b c", "a b d"), "a\u00A0b d\n");
});

test("typographic quotes match plain ones, and stay where the text was not changed", () => {
  assert.equal(
    edit("say “hello” to ‘bob’\n", "say \"hello\" to 'bob'", "say \"hello\" to 'eve'"),
    "say “hello” to ‘eve’\n",
  );
});

test("a file without a final line end matches a text with one, and stays without where it ends the same", () => {
  assert.equal(edit("a\nb", "b\n", "c\n"), "a\nc");
  assert.equal(edit("a\nb  \nc\n", "b\n", ""), "a\nc\n");
  assert.equal(edit("a\n\tb\n\tc\n", "    b\n    c\n", "    b\n"), "a\n\tb\n");
});

test("what differs in more than blanks and quotes does not match, nor does half a word", () => {
  assert.equal(edit("foo(a)\n", "foo( a )", "x"), "not_found");
  assert.equal(edit("\tmax = 1\n", "    x = 1", "    y = 1"), "not_found");
  assert.equal(edit("maximum  value\n", "mum value", "x"), "not_found");
  assert.equal(edit("a\n\nb\n", "a\nb", "c"), "not_found");
  assert.equal(edit("  a\n", "   ", "x"), "not_found");
  assert.equal(edit("q a  b\n", "    a b", "c"), "not_found");
});

test("a line that goes on in the file is not one that ends in what the model wrote, and no two lines become one", () => {
  assert.equal(edit("return a + b\n", "return a\n", "return c\n"), "not_found");
  assert.equal(edit("  if (a) {\n    b()\n  }\n", "if (a)\n", "if (c)\n"), "not_found");
  assert.equal(edit("x bar foo\n", "\nfoo", "\nfoo2"), "not_found");
  assert.equal(edit("foo\nbar\n", "foo\n\n", "foo2\n"), "not_found");
  assert.equal(edit("foo\nbar\n", "foo\n\n", "foo2\n\n"), "foo2\nbar\n");
  assert.equal(edit("  foo  \n\nbar\n", "foo\n\n", "foo2\n"), "  foo2\nbar\n");
});

test("an exact hit is taken before any tolerant one", () => {
  assert.equal(edit("a  b\na b\n", "a b", "c"), "a  b\nc\n");
});

test("Windows line ends in what the model writes do not matter", () => {
  assert.equal(edit("alpha\nbeta\ngamma\n", "alpha\r\nbeta", "A\r\nB"), "A\nB\ngamma\n");
});

test("a large text with very many different pieces is still replaced whole", () => {
  const old = Array.from({ length: 3_000 }, (_, index) => `w${index}`).join(" ");
  const now = Array.from({ length: 3_000 }, (_, index) => `v${index}`).join(" ");
  assert.equal(edit(`${old.replaceAll(" ", "  ")}\n`, old, now), `${now}\n`);
});

const word = fc.constantFrom("alpha", "beta", "(x)", "{", "}", '"q"', "return 1;");
const depth = fc.nat({ max: 3 });
const line = fc.record({ depth, words: fc.array(word, { minLength: 1, maxLength: 4 }) });

test("whatever the indentation that the model writes: the change is the same as with the file's own", () => {
  fc.assert(
    fc.property(
      fc.array(line, { minLength: 1, maxLength: 6 }),
      fc.array(line, { minLength: 1, maxLength: 6 }),
      fc.constantFrom(2, 3, 4, 8),
      (oldLines, newLines, width) => {
        const render = (lines: typeof oldLines, unit: string) =>
          lines.map((part) => unit.repeat(part.depth) + part.words.join(" ")).join("\n");
        fc.pre(oldLines.some((part) => part.depth > 0));
        const own = `BEGIN\n${render(oldLines, "\t")}\nEND\n`;
        const spaces = " ".repeat(width);
        const changed = edit(own, render(oldLines, spaces), render(newLines, spaces));
        // All depths are known from the old lines or follow from one of them.
        assert.equal(changed, `BEGIN\n${render(newLines, "\t")}\nEND\n`);
      },
    ),
  );
});

test("bytes outside of a tolerant match are the same afterwards", () => {
  const piece = fc.string({ unit: fc.constantFrom("a", " ", "\t", "\n", "”", "b"), maxLength: 30 });
  fc.assert(
    fc.property(piece, piece, (before, after) => {
      const text = `${before}\nneedle  here\n${after}`;
      assert.equal(edit(text, "needle here", "needle there"), `${before}\nneedle  there\n${after}`);
    }),
  );
});
