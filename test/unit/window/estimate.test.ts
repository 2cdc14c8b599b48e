import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  DEFAULT_RATES,
  estimateConversation,
  estimateMessages,
  estimateText,
  learn,
  type Rates,
} from "../../../src/core/window/estimate";
import type { ContextMessage } from "../../../src/core/window/messages";
import {
  breakdownOf,
  compactAtOf,
  meterOf,
  promptTokens,
  replyRoomOf,
  type Window,
} from "../../../src/core/window/window";
import type { AssistantMessage, LogEvent, Usage } from "../../../src/shared/events";
import { countTokens } from "../../support/scriptedServer";

const user = (content: string, source = "u"): ContextMessage => ({ role: "user", source, content });
const reply = (usage: Usage): LogEvent & AssistantMessage => ({
  type: "assistant_message",
  v: 1,
  id: "r",
  at: 0,
  model: "m",
  text: "ok",
  thinking: "",
  toolCalls: [],
  end: "complete",
  usage,
  estimatedPromptTokens: 0,
});
const windowOf = (numCtx: number, rates: Rates = DEFAULT_RATES): Window => ({
  numCtx,
  compactAt: compactAtOf(numCtx, 0.8),
  tools: [],
  rates,
});

describe("the estimator", () => {
  test("errs high, but not absurdly, for prose, code and CJK before anything is measured", () => {
    for (const [text, tokens] of [
      ["The quick brown fox jumps over the lazy dog and runs away. ".repeat(20), 260],
      ["export function add(a: number, b: number): number {\n  return a + b;\n}\n".repeat(20), 420],
      ["日本語の文章をここに書きます。".repeat(20), 260],
    ] as const) {
      const estimate = estimateText(text, DEFAULT_RATES);
      assert.ok(estimate > tokens * 0.95 && estimate < tokens * 1.8, `${estimate} for about ${tokens}`);
    }
  });

  test("errs high also for what tokenizers split finely: short words, capitals, base64, minified code, blanks", () => {
    for (const text of [
      "a b c d e f g h i j k l m n o p ".repeat(40),
      "NO_SUCH_ENTRY_IN_TABLE MAX_VALUE ".repeat(40),
      "iVBORw0KGgoAAAANSUhEUgAABVYAAAMACAYAAADPPjzCAAgAElEQVR4nOzdd5xcZb0".repeat(30),
      "function a(b,c){return b&&c?b[c]:{}}var d=a(e,1);".repeat(30),
      "        \n\n\t\tx".repeat(60),
    ]) {
      const [estimate, tokens] = [estimateText(text, DEFAULT_RATES), countTokens(text)];
      assert.ok(
        estimate > tokens * 0.97 && estimate < tokens * 1.6,
        `${estimate} for ${tokens}: ${text.slice(0, 20)}`,
      );
    }
  });

  test("gives letters of other alphabets a few to a token", () => {
    const text = "Съешь же ещё этих мягких французских булок, да выпей чаю. ".repeat(20);
    const estimate = estimateText(text, DEFAULT_RATES);
    assert.ok(
      estimate > text.length / 4 && estimate < text.length,
      `${estimate} for ${text.length} characters`,
    );
  });

  test("of a conversation that has grown is the same as that of all its messages, whatever was asked before", () => {
    const messages = Array.from({ length: 30 }, (_, n) =>
      user(`line ${n} of the Text, with ${n * 7919}\n`, `u${n}`),
    );
    const all = (count: number) => estimateMessages(messages.slice(0, count), DEFAULT_RATES);
    for (const count of [0, 3, 3, 10, 4, 11, 30, 29, 30]) {
      assert.equal(
        estimateConversation(messages.slice(0, count), DEFAULT_RATES),
        all(count),
        `${count} messages`,
      );
    }
    const tail = messages.slice(5, 30);
    assert.equal(estimateConversation(tail, DEFAULT_RATES), estimateMessages(tail, DEFAULT_RATES));
  });

  test("learns a tokenizer from the server's counts: after ten rounds it is within 5 %, and not below by more than 3 %", () => {
    let rates = DEFAULT_RATES;
    const line = (n: number) =>
      `  const total${n} = items.filter((item) => item.price > ${n * 37}).length; // step ${n}\n`;
    const text = (round: number) => Array.from({ length: 12 }, (_, n) => line(round * 12 + n)).join("");
    const messages: ContextMessage[] = [];
    let counted = 0;
    for (let round = 0; round < 10; round++) {
      messages.push(user(text(round), `u${round}`));
      const anchor = round === 0 ? undefined : { index: messages.length - 2, tokens: counted };
      counted += countTokens(text(round)) + 6;
      rates = learn(rates, messages, anchor, {
        reply: reply({ promptTokens: counted, replyTokens: 1 }),
        tools: [],
      });
    }
    const [estimate, actual] = [estimateText(text(99), rates), countTokens(text(99))];
    assert.ok(estimate > actual * 0.97 && estimate < actual * 1.1, `${estimate} for ${actual}`);
  });

  test("M02: absent, zero and cut counts teach nothing", () => {
    const messages = [user("hello ".repeat(100))];
    for (const event of [
      reply({}),
      reply({ promptTokens: 0, replyTokens: 3 }),
      reply({ replyTokens: 3 }),
      { ...reply({ promptTokens: 2050, replyTokens: 3 }), isPromptCut: true },
    ]) {
      assert.equal(learn(DEFAULT_RATES, messages, undefined, { reply: event, tools: [] }), DEFAULT_RATES);
    }
  });
});

describe("the window", () => {
  test("compactAt is floor(N × 8 / 10)", () => {
    for (const n of [2048, 4096, 4097, 4099, 8192, 32_768, 1_048_575]) {
      assert.equal(compactAtOf(n, 0.8), Math.floor((n * 8) / 10));
    }
  });

  test("the room for a reply is a tenth of the window within bounds", () => {
    assert.deepEqual([2048, 8192, 1_048_576].map(replyRoomOf), [256, 819, 4096]);
  });

  test("the meter is measured at an anchor, estimated beyond it, and honest above 100 %", () => {
    const messages = [user("a"), user("b".repeat(40_000))];
    const measured = {
      messages: [user("a")],
      anchor: { index: 0, tokens: 3300 },
      compaction: undefined,
      dropped: new Set<string>(),
    };
    assert.deepEqual(meterOf(measured, windowOf(4096)), {
      used: { tokens: 3300, estimated: false },
      window: 4096,
      compactAt: 3276,
      level: "near",
    });
    const beyond = {
      messages,
      anchor: { index: 0, tokens: 3300 },
      compaction: undefined,
      dropped: new Set<string>(),
    };
    const meter = meterOf(beyond, windowOf(4096));
    assert.ok(meter.used.estimated && meter.used.tokens > 4096 && meter.level === "full");
  });

  test("M01: the breakdown adds up to what the meter shows, and with what is free to the window", () => {
    const messages: ContextMessage[] = [
      { role: "system", source: "s", content: "You are Loom." },
      user("do it"),
      { role: "tool", source: "t", content: "const a = 1;\n".repeat(40), toolName: "read_file", callId: "c" },
    ];
    for (const anchor of [undefined, { index: 2, tokens: 777 }]) {
      const context = { messages, anchor, compaction: undefined, dropped: new Set<string>() };
      const { parts, used } = breakdownOf(context, windowOf(4096));
      const sum = (names: (name: string) => boolean) =>
        parts.filter(({ name }) => names(name)).reduce((total, { tokens }) => total + tokens, 0);
      assert.equal(used.tokens, promptTokens(context, windowOf(4096)).tokens);
      assert.equal(
        sum((name) => name !== "free" && name !== "reply_room"),
        used.tokens,
      );
      assert.equal(
        sum(() => true),
        4096,
      );
    }
  });
});
