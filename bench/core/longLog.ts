import { keepFacts } from "../../src/core/compaction/kept";
import { DEFAULT_RATES } from "../../src/core/window/estimate";
import { LOG_VERSION, type LogBody, type LogEvent } from "../../src/shared/events";
import { createRandom, type Random } from "../survival/random";

/** Where the model and the window of a long log are set. */
const MODEL = "bench";

/**
 * A log with `messages` messages, four to a turn: the person, a call, its result, the answer. With `compactEvery` a compaction
 * follows each so many messages, as in a real session of that length; without, everything is still in the context.
 */
export function makeLongLog(messages: number, compactEvery = Infinity): LogEvent[] {
  const random = createRandom(messages);
  const events: LogEvent[] = [];
  const add = (body: LogBody) => events.push({ ...body, v: LOG_VERSION, id: `e${events.length}`, at: 0 });
  add({ type: "session_started", sessionId: "s" });
  add({ type: "window_set", model: MODEL, numCtx: 8192, source: "settings" });
  add({ type: "prompt_built", systemPrompt: prose(random, 1200) });
  let prompt = 1000;
  for (let made = 0; made < messages; made += 4) {
    const turn = turnOf(random, made, prompt);
    for (const body of turn) add(body);
    prompt += 400;
    if ((made + 4) % compactEvery !== 0) continue;
    add(compactionOf(events, random));
    prompt = 2000;
  }
  // As it comes from a file: plain objects of their own.
  return JSON.parse(JSON.stringify(events)) as LogEvent[];
}

function turnOf(random: Random, index: number, promptTokens: number): LogBody[] {
  const path = `src/part_${random.between(1, 400)}/file_${random.between(1, 40)}.ts`;
  const isCommand = random.next() < 0.2;
  const callId = `c${index}`;
  const rest = { model: MODEL, thinking: "", end: "complete" as const, estimatedPromptTokens: promptTokens };
  return [
    { type: "user_message", text: `Never touch port ${random.between(1, 65_535)}. ${prose(random, 200)}` },
    {
      type: "assistant_message",
      ...rest,
      text: "",
      toolCalls: [{ id: callId, name: "read_file", arguments: { path } }],
      usage: { promptTokens, replyTokens: 30 },
    },
    {
      type: "tool_result",
      callId,
      name: "read_file",
      outcome: "ok",
      content: code(random, 900),
      summary: "read",
      facts: isCommand
        ? { kind: "command", command: `npm test -- ${path}`, exitCode: 0 }
        : { kind: "read", path, hash: String(random.between(0, 1e9)) },
    },
    {
      type: "assistant_message",
      ...rest,
      text: prose(random, 300),
      toolCalls: [],
      usage: { promptTokens: promptTokens + 320, replyTokens: 80 },
    },
    { type: "turn_ended", reason: "done" },
  ];
}

function compactionOf(events: readonly LogEvent[], random: Random): LogBody {
  const tail = events.findLast(({ type }) => type === "user_message");
  return {
    type: "compacted",
    trigger: "automatic",
    model: MODEL,
    form: "isolated",
    parts: 1,
    summary: prose(random, 1500),
    systemPrompt: prose(random, 1200),
    ...(tail === undefined ? {} : { tailFrom: tail.id }),
    shortened: [],
    kept: keepFacts(events.slice(-300), undefined, { words: 800, ledger: 400 }, DEFAULT_RATES),
    messagesSummarised: 36,
    messagesKept: 4,
    before: { tokens: 6600, estimated: false },
    afterTokens: 2000,
    durationMs: 4000,
  };
}

const WORDS =
  "the parser reads a line and gives back what it found so that later steps join them again".split(" ") as [
    string,
    ...string[],
  ];

function prose(random: Random, characters: number): string {
  const words: string[] = [];
  for (let length = 0; length < characters; length += (words.at(-1)?.length ?? 0) + 1)
    words.push(random.pick(WORDS));
  return words.join(" ");
}

function code(random: Random, characters: number): string {
  const lines: string[] = [];
  for (let length = 0; length < characters; length += lines.at(-1)?.length ?? 0)
    lines.push(`  const value${random.between(1, 999)} = compute(input, ${random.between(1, 99)});\n`);
  return lines.join("");
}
