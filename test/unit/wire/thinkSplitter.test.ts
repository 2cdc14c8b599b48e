import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ThinkSplitter } from "../../../src/ollama/reply/thinkSplitter";

interface Split {
  readonly text: string;
  readonly thinking: string;
}

function split(pieces: readonly string[]): Split & { readonly streamed: Split } {
  const splitter = new ThinkSplitter();
  const deltas = [...pieces.map((piece) => splitter.push(piece)), splitter.end()];
  const streamed = {
    text: deltas.map(({ text }) => text).join(""),
    thinking: deltas.map(({ thinking }) => thinking).join(""),
  };
  return { text: splitter.text, thinking: splitter.thinking, streamed };
}

for (const [name, content, thinking, text] of [
  ["a thinking part at the beginning", "<think>\nhm, so\n</think>\n\nAnswer", "hm, so\n", "Answer"],
  ["white space before the tag", "\n <think>a</think>b", "a", "b"],
  ["no tags", "just an answer", "", "just an answer"],
  ["white space before an answer stays", "  indented", "", "  indented"],
  ["thinking without an end", "<think>and then", "and then", ""],
  ["an empty thinking part", "<think>\n\n</think>\n\nAnswer", "", "Answer"],
  ["a lone closing tag", "first I look</think>Answer", "first I look", "Answer"],
  ["tags after the first part are text", "<think>a</think>b <think>c</think>", "a", "b <think>c</think>"],
  ["an opening tag in mid-answer is text", "see <think> there", "", "see <think> there"],
  ["a closing tag in a fence", "x\n```\n</think>\n```\ny", "", "x\n```\n</think>\n```\ny"],
  ["a closing tag in a tilde fence", "~~~\n```\n</think>\n~~~", "", "~~~\n```\n</think>\n~~~"],
  ["a closing tag in backticks", "ends with `</think>` here", "", "ends with `</think>` here"],
  ["a closing tag after a closed fence", "```\nx\n```\nhm</think>Answer", "```\nx\n```\nhm", "Answer"],
  ["an unfinished tag at the end", "a < b </thin", "", "a < b </thin"],
  ["an unfinished opening tag", "<thi", "", "<thi"],
] as const)
  test(`A10: ${name} is split alike however the content is cut into chunks`, () => {
    const whole = split([content]);
    assert.deepEqual({ thinking: whole.thinking, text: whole.text }, { thinking, text });
    fc.assert(
      fc.property(fc.array(fc.nat({ max: content.length })), (cuts) => {
        const places = [0, ...cuts.toSorted((a, b) => a - b), content.length];
        const pieces = places.slice(1).map((end, index) => content.slice(places[index], end));
        const got = split(pieces);
        assert.equal(got.text, text);
        assert.equal(got.thinking, thinking);
      }),
    );
  });

test("what is streamed is what is kept, unless a lone closing tag came", () => {
  const parts = ["<think>", "</think>", "a", "\n", "```\n", "`", "<", "</", " b"];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...parts), { maxLength: 12 }), (pieces) => {
      const got = split(pieces);
      const hasOnlyOpening = pieces.join("").trimStart().startsWith("<think>");
      if (hasOnlyOpening || got.thinking === "")
        assert.deepEqual(got.streamed, { text: got.text, thinking: got.thinking });
    }),
  );
});

test("nothing but white space around thinking is lost", () => {
  const parts = ["<think>", "</think>", "ab", "\n", "```\n", "`", "<", "</", " c"];
  const bare = (text: string): string => text.replaceAll(/\s|<\/?think>/g, "");
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...parts), { maxLength: 12 }), (pieces) => {
      const { text, thinking } = split(pieces);
      assert.equal(bare(thinking + text), bare(pieces.join("")));
    }),
  );
});

test("thinking that the server parted itself leaves all tags in the answer", () => {
  const splitter = new ThinkSplitter();
  splitter.pushThinking("I see.");
  splitter.push("The tag is </think>, so there.");
  splitter.end();
  assert.equal(splitter.thinking, "I see.");
  assert.equal(splitter.text, "The tag is </think>, so there.");
});
