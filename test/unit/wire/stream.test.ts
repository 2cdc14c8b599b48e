import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createGate, type Reply } from "../../support/scriptedServer";
import { chat, NEVER, reply, requestFor, startWire } from "./fixture";

const FINAL = {
  prompt_eval_count: 100,
  prompt_eval_cached_count: 0,
  eval_count: 7,
  load_duration: 600_000_000,
  prompt_eval_duration: 1_500_000_000,
  eval_duration: 250_000_000,
};

/** The reply that the client makes of a scripted one. */
function replyTo(
  name: string,
  scripted: Reply,
  check: (got: Awaited<ReturnType<typeof reply>>) => void,
): void {
  test(name, async (context) => check(await reply(await startWire(context, { brain: () => scripted }))));
}

test("text and thinking stream as they come, and add up to the reply", async (context) => {
  const models = [{ name: "scripted", capabilities: ["completion", "tools", "thinking"] }];
  const scripted = { thinking: "Let me see.", content: "It is so, ähm, 東京 🗼.", chunkSize: 2 };
  const wire = await startWire(context, { models, brain: () => scripted });
  const { outcome, text, thinking } = await chat(wire);
  assert.ok(outcome.type === "reply");
  assert.equal(outcome.reply.text, scripted.content);
  assert.equal(outcome.reply.thinking, scripted.thinking);
  assert.equal(text, scripted.content);
  assert.equal(thinking, scripted.thinking);
});

test("a piece is passed on before the next one comes", async (context) => {
  const gate = createGate();
  const wire = await startWire(context, {
    brain: () => ({
      content: "abcd",
      chunkSize: 2,
      before: (piece) => (piece === 1 ? gate.opened : undefined),
    }),
  });
  const heard: string[] = [];
  const onDelta = ({ text }: { text: string }): void => {
    heard.push(text);
    gate.open();
  };
  const { model } = wire;
  await model.chat(requestFor(), onDelta, NEVER);
  assert.deepEqual(heard, ["ab", "cd"]);
});

describe("tool calls", () => {
  const path = (name: string): { path: string } => ({ path: name });

  replyTo(
    "gathered over chunks, all with index 0 and without ids",
    {
      deltas: [
        { toolCalls: [{ name: "read_file", arguments: path("a"), id: null, index: 0 }] },
        { content: "and" },
        { toolCalls: [{ name: "read_file", arguments: path("b"), id: null, index: 0 }] },
      ],
    },
    ({ toolCalls, text }) => {
      assert.deepEqual(
        toolCalls.map((call) => call.arguments),
        [path("a"), path("b")],
      );
      assert.equal(new Set(toolCalls.map(({ id }) => id)).size, 2);
      assert.equal(text, "and");
    },
  );

  replyTo(
    "two with the same arguments and without ids are two",
    {
      deltas: [1, 2].map(() => ({ toolCalls: [{ name: "read_file", arguments: path("a"), id: null }] })),
    },
    ({ toolCalls }) => assert.equal(toolCalls.length, 2),
  );

  replyTo(
    "one that comes twice with its id is one; another with the same id is another",
    {
      deltas: [
        { toolCalls: [{ name: "read_file", arguments: path("a"), id: "call_x" }] },
        { toolCalls: [{ name: "read_file", arguments: path("a"), id: "call_x" }] },
        { toolCalls: [{ name: "read_file", arguments: path("b"), id: "call_x" }] },
      ],
    },
    ({ toolCalls }) => {
      assert.deepEqual(
        toolCalls.map((call) => call.arguments),
        [path("a"), path("b")],
      );
      assert.equal(toolCalls[0]?.id, "call_x");
      assert.notEqual(toolCalls[1]?.id, "call_x");
    },
  );

  replyTo(
    "in the last chunk, as llama-server sends them",
    { toolCalls: [{ name: "read_file", arguments: path("a") }], callsIn: "done" },
    ({ toolCalls }) => assert.deepEqual(toolCalls[0]?.arguments, path("a")),
  );

  replyTo(
    "without a name are kept, so that the model can be told",
    { deltas: [{ toolCalls: [{ name: "", arguments: {} }] }] },
    ({ toolCalls }) => assert.equal(toolCalls[0]?.name, ""),
  );

  replyTo(
    'A01: arguments that are the string {"path":"a.txt"} are read',
    { deltas: [{ toolCalls: [{ name: "read_file", arguments: '{"path":"a.txt"}' }] }] },
    ({ toolCalls }) => {
      assert.deepEqual(toolCalls[0]?.arguments, path("a.txt"));
      assert.ok(toolCalls[0] && !("unreadableArguments" in toolCalls[0]));
    },
  );

  for (const written of ["{path: a.txt", '["a.txt"]', "null", "7"])
    replyTo(
      `A01: arguments that are the string ${written} are kept as what the model wrote`,
      { deltas: [{ toolCalls: [{ name: "read_file", arguments: written }] }] },
      ({ toolCalls }) => {
        assert.deepEqual(toolCalls[0]?.arguments, {});
        assert.equal(toolCalls[0]?.unreadableArguments, written);
      },
    );

  replyTo(
    "A05: in a reply cut by length come with done_reason length, for the loop not to run them",
    {
      deltas: [{ toolCalls: [{ name: "edit_file", arguments: { new_text: "half a wo" } }] }],
      doneReason: "length",
    },
    ({ doneReason }) => assert.equal(doneReason, "length"),
  );
});

describe("a call written as text", () => {
  const call = '{"name": "read_file", "arguments": {"path": "a.txt"}}';
  for (const [form, content] of [
    ["alone", call],
    ["in a fence", `\`\`\`json\n${call}\n\`\`\``],
    ["in tags", `<tool_call>\n${call}\n</tool_call>`],
    ["in a list", `[${call}]`],
    ["with parameters", call.replace("arguments", "parameters")],
    ["in function tags", "<function=read_file>\n<parameter=path>\na.txt\n</parameter>\n</function>"],
    [
      "in both kinds of tags",
      "<tool_call>\n<function=read_file><parameter=path>a.txt</parameter></function>\n</tool_call>",
    ],
    [
      "with arguments in a string",
      `{"function":{"name":"read_file","arguments":"{\\"path\\":\\"a.txt\\"}"}}`,
    ],
  ] as const)
    replyTo(`${form} is a call that is marked as recovered`, { content }, ({ text, toolCalls }) => {
      assert.equal(text, "");
      assert.deepEqual(toolCalls, [
        { id: "call_1", name: "read_file", arguments: { path: "a.txt" }, isRecovered: true },
      ]);
    });

  const tagged = `<tool_call>${call}</tool_call>`;
  replyTo(
    "in tags at the end of an answer is a call, and the text before it stays",
    { content: `I look.\n${tagged}\n${tagged}\n` },
    ({ text, toolCalls }) => {
      assert.equal(text, "I look.");
      assert.deepEqual(
        toolCalls.map(({ id }) => id),
        ["call_1", "call_2"],
      );
    },
  );

  for (const [form, content] of [
    ["inside an answer", `Like this: ${call}`],
    ["of a tool that was not offered", call.replace("read_file", "rm_file")],
    ["without arguments", '{"name": "read_file"}'],
    ["which is only JSON", '{"path": "a.txt"}'],
    ["in tags in the middle of an answer", `Write ${tagged} and wait.`],
    ["in tags in a code block", `Like this:\n\`\`\`\n${tagged}\n\`\`\``],
    ["in tags in a code block that is not closed", `Like this:\n\`\`\`\n${tagged}`],
    ["in tags with something else between", `<tool_call>${call} or so</tool_call>`],
    [
      "in tags beside one of another tool",
      `${tagged}<tool_call>${call.replace("read_file", "rm")}</tool_call>`,
    ],
    ["in function tags with something else between", "<function=read_file>a.txt</function>"],
  ] as const)
    replyTo(`${form} stays text`, { content }, ({ text, toolCalls }) => {
      assert.equal(text, content);
      assert.deepEqual(toolCalls, []);
    });

  test("stays text when no tools were offered", async (context) => {
    const wire = await startWire(context, { brain: () => ({ content: call }) });
    assert.equal((await reply(wire, { tools: [] })).text, call);
  });
});

describe("counts of the last chunk", () => {
  replyTo(
    "prompt, cached and reply tokens, with durations in milliseconds",
    { content: "ok", final: FINAL },
    (got) => {
      assert.deepEqual(got.usage, { promptTokens: 100, cachedTokens: 0, replyTokens: 7 });
      assert.deepEqual(got.timings, { loadMs: 600, promptMs: 1500, replyMs: 250 });
    },
  );

  for (const count of [undefined, 0, null, -3, "12", Number.NaN])
    replyTo(
      `M02: a prompt count of ${String(count)} is no count`,
      { content: "ok", final: { prompt_eval_count: count } },
      ({ usage }) => assert.ok(!("promptTokens" in usage), JSON.stringify(usage)),
    );

  replyTo(
    "M02: absent counts and durations are absent",
    {
      content: "ok",
      final: Object.fromEntries(Object.keys(FINAL).map((name) => [name, undefined])),
    },
    (got) => {
      assert.deepEqual(got.usage, {});
      assert.ok(!("timings" in got));
    },
  );

  replyTo(
    "M03: a prompt count that shows a cut is reported as it is",
    { content: "ok", final: { prompt_eval_count: 2051 } },
    ({ usage }) => assert.equal(usage.promptTokens, 2051),
  );

  test("M02: the prompt count of 0.30.0, which leaves out cached tokens, is not believed", async (context) => {
    const old = await startWire(context, { version: "0.30.0" });
    assert.ok(!("promptTokens" in (await reply(old)).usage));
    const next = await startWire(context, { version: "0.30.1" });
    assert.ok((await reply(next)).usage.promptTokens);
  });

  replyTo(
    "empty content with done_reason length is a reply cut by length",
    { content: "", doneReason: "length" },
    (got) => {
      assert.equal(got.text, "");
      assert.equal(got.doneReason, "length");
    },
  );
});

replyTo(
  "a last chunk with done_reason but without done, as from MLX models, completes the reply",
  { content: "all of it", final: { done: undefined, done_reason: "stop" } },
  ({ text, doneReason }) => {
    assert.equal(text, "all of it");
    assert.equal(doneReason, "stop");
  },
);

test("A10: thinking before a lone closing tag, split between chunks, is thinking", async (context) => {
  const wire = await startWire(context, {
    brain: () => ({ deltas: [{ content: "first I look</th" }, { content: "ink>Answer" }] }),
  });
  const { outcome, text } = await chat(wire);
  assert.ok(outcome.type === "reply");
  assert.equal(outcome.reply.thinking, "first I look");
  assert.equal(outcome.reply.text, "Answer");
  assert.doesNotMatch(text, /<|>/);
});

test("A10: a closing tag in a fenced code block of an answer stays as typed", async (context) => {
  const content = "See:\n```html\n<think>x</think>\n```\nDone.";
  const wire = await startWire(context, { brain: () => ({ content, chunkSize: 3 }) });
  assert.equal((await reply(wire)).text, content);
});
