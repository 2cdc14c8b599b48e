import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { DEFAULT_RATES, estimateText } from "../../../src/core/window/estimate";
import type { ContextMessage } from "../../../src/core/window/messages";
import { findPromptCut, promisedPrompt } from "../../../src/core/window/promptCut";

describe("the fingerprints of a prompt that was cut in silence", () => {
  for (const [what, promptTokens, { expected, counted }, numCtx] of [
    ["all of the window", 4096, { expected: 4700, counted: 0 }, 4096],
    ["the window but one", 4095, { expected: 4700, counted: 3900 }, 4096],
    ["half of the window and two", 2050, { expected: 3000, counted: 0 }, 4096],
    ["half of the window and two, give or take two", 2052, { expected: 3000, counted: 2900 }, 4096],
    [
      "far below what was counted before, in a window of unknown size",
      1500,
      { expected: 3000, counted: 2900 },
      4096,
    ],
    [
      "M03: half of another window while 15,000 tokens were sent",
      2051,
      { expected: 15_000, counted: 0 },
      16_384,
    ],
    ["another window", 4096, { expected: 7000, counted: 0 }, 8192],
    ["far below the estimate", 1700, { expected: 15_000, counted: 0 }, 16_384],
  ] as const) {
    test(`${what}: ${promptTokens}`, () => {
      assert.ok(findPromptCut({ promptTokens }, { expected, counted }, numCtx));
    });
  }

  for (const [what, promptTokens, { expected, counted }, numCtx] of [
    ["a count close to the estimate", 2950, { expected: 3000, counted: 2900 }, 4096],
    ["half of the window when that is what was sent", 2050, { expected: 2300, counted: 1900 }, 4096],
    ["a full window that was estimated to be just full", 4095, { expected: 4090, counted: 4000 }, 4096],
    ["a small prompt that was estimated far too high", 300, { expected: 1500, counted: 0 }, 4096],
    ["a dense text that was estimated at double", 3111, { expected: 6200, counted: 0 }, 8192],
    ["a prompt that is a little smaller than before", 1000, { expected: 1500, counted: 1300 }, 8192],
    ["a small prompt that is much smaller than before", 300, { expected: 500, counted: 450 }, 8192],
  ] as const) {
    test(`are not ${what}`, () => {
      assert.equal(findPromptCut({ promptTokens }, { expected, counted }, numCtx), undefined);
    });
  }

  test("are not looked for in counts that are absent or zero", () => {
    for (const usage of [{}, { promptTokens: 0 }]) {
      assert.equal(findPromptCut(usage, { expected: 9000, counted: 8000 }, 4096), undefined);
    }
  });

  test("name the window that the server has, where it is another", () => {
    const promised = { expected: 7000, counted: 0 };
    assert.equal(findPromptCut({ promptTokens: 2050 }, promised, 8192)?.window, 4096);
    assert.equal(findPromptCut({ promptTokens: 4095 }, promised, 16_384)?.window, 4096);
    assert.equal(findPromptCut({ promptTokens: 4098 }, promised, 8192)?.window, undefined);
  });

  test("are not the thinking that servers leave out", () => {
    const thinking = "Let me think about this once more. ".repeat(300);
    const messages: ContextMessage[] = [
      { role: "system", source: "s", content: "You are Loom." },
      { role: "user", source: "u1", content: "Why?" },
      { role: "assistant", source: "a1", content: "Because.", thinking, toolCalls: [] },
      { role: "user", source: "u2", content: "And now?" },
    ];
    const anchor = { index: 2, tokens: 600 + estimateText(thinking, DEFAULT_RATES) };
    const promised = promisedPrompt({ messages, anchor }, anchor.tokens + 12, DEFAULT_RATES);
    assert.deepEqual(promised, { expected: 612, counted: 600 });
    assert.equal(findPromptCut({ promptTokens: 615 }, promised, 4096), undefined);
    assert.ok(findPromptCut({ promptTokens: 300 }, promised, 4096));
  });
});
