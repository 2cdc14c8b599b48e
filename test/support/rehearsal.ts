import { askedFacts, factIn } from "./rehearsal/facts";
import { asksForSummary, summarise } from "./rehearsal/summary";
import { wishesOf, type Wish } from "./rehearsal/wishes";
import { startScriptedServer, type ScriptedServer, type ScriptedServerOptions } from "./scriptedServer";
import type { Brain, ChatRequestSeen } from "./server/reply";
import type { WireMessage } from "./server/wire";

/** The name under which the rehearsal model is offered. */
export const REHEARSAL_MODEL = "rehearsal-not-an-ai";

/** The sentence that begins the first answer of every conversation. */
export const REHEARSAL_INTRODUCTION =
  "This is the rehearsal model, a set of fixed rules and not an AI: for a real one, install Ollama (https://ollama.com) and pull a model.";

/** A scripted server that offers only the rehearsal model, for a demonstration and for tests of whole conversations. */
export async function startRehearsalServer(
  options: Omit<ScriptedServerOptions, "brain"> & {
    /** Whether the model can think (default true). */
    readonly canThink?: boolean;
  } = {},
): Promise<ScriptedServer> {
  const { canThink = true, ...rest } = options;
  const model = {
    name: REHEARSAL_MODEL,
    size: 20_000,
    family: "rules",
    parameterSize: "0",
    quantization: "none",
    contextLength: 32_768,
    blockCount: 0,
    capabilities: ["completion", "tools", ...(canThink ? ["thinking"] : [])],
  };
  return startScriptedServer({ models: [model], ...rest, brain: rehearse });
}

/**
 * The rehearsal model: rules that know only what is inside the window. They make the calls that the newest message asks for, tell back
 * facts such as "the port is 8080", and summarise by copying; what fell out of the window they do not know.
 */
export const rehearse: Brain = (request) => {
  const { messages, tools, thinks } = request;
  if (asksForSummary(messages, tools.length > 0))
    return { content: summarise(messages, request.numCtx), chunkSize: CHUNK_SIZE };
  const asked = newestRequest(messages);
  const wishes = wishesOf(asked.text);
  const open = wishes.filter((wish) => !asked.done.has(keyOf(wish)));
  const possible = open.filter((wish) => tools.some((tool) => tool.function.name === wish.tool));
  const isFirst = !request.request.messages?.some(isFromEarlier);
  const introduction = isFirst ? `${REHEARSAL_INTRODUCTION}\n\n` : "";
  const thinking = thinks ? { thinking: thoughts(asked, wishes.length, open.length) } : {};
  const calls = nextCalls(possible);
  if (calls.length > 0)
    return { ...thinking, content: introduction.trim(), toolCalls: calls, chunkSize: CHUNK_SIZE };
  return { ...thinking, content: introduction + answer(request, asked, wishes), chunkSize: CHUNK_SIZE };
};

const CHUNK_SIZE = 6;

/** More results than this in one round would crowd a small window. */
const CALLS_IN_ONE_REPLY = 2;

interface Asked {
  readonly text: string;
  /** The messages after the request. */
  readonly since: readonly WireMessage[];
  /** Keys of the calls made since, and of those that a summary says were made. */
  readonly done: ReadonlySet<string>;
}

/** The newest message of the user; after a compaction in mid-turn it is quoted at the end of the summary message. */
function newestRequest(messages: readonly WireMessage[]): Asked {
  const at = messages.findLastIndex((message) => message.role === "user");
  const content = messages[at]?.content ?? "";
  const since = messages.slice(at + 1);
  const isSummary = /^\[Context summary\b/.test(content);
  const quoted = /\bcurrent request[^\n]*:\n([\s\S]+)$/i.exec(content);
  const text = isSummary ? (quoted?.[1] ?? "") : content;
  const made = since.flatMap((message) => message.tool_calls ?? []);
  const done = new Set(
    made.map((call) => keyOf({ tool: call.function.name, arguments: call.function.arguments })),
  );
  if (isSummary) for (const line of content.split("\n")) for (const key of keysListed(line)) done.add(key);
  return { text, since, done };
}

/** The calls that a line such as "- src/a.ts (changed)" or "- npm test → exit code 0" of a summary message tells of. */
function keysListed(line: string): readonly string[] {
  const [, entry] = /^- (\S.*)$/.exec(line) ?? [];
  if (entry === undefined) return [];
  const command = entry.replace(/ → exit code .*$/, "");
  const path = entry.replace(/ \(changed\)$/, "");
  return [keyOf({ tool: "bash", arguments: { command } }), keyOf({ tool: "read_file", arguments: { path } })];
}

/** What makes two calls the same: an edit is told apart by its texts, all others by what they aim at. */
function keyOf(call: {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}): string {
  const { path, command, pattern, old_text, new_text } = call.arguments;
  return JSON.stringify([
    call.tool,
    path,
    command,
    call.tool === "search_text" ? pattern : "",
    old_text,
    new_text,
  ]);
}

/** Looking goes before changing, and changes go one by one. */
function nextCalls(open: readonly Wish[]): { name: string; arguments: Wish["arguments"] }[] {
  const looking = open.filter((wish) => wish.tool !== "edit_file" && wish.tool !== "bash");
  const next = looking.length > 0 ? looking.slice(0, CALLS_IN_ONE_REPLY) : open.slice(0, 1);
  return next.map((wish) => ({ name: wish.tool, arguments: wish.arguments }));
}

function answer(request: ChatRequestSeen, asked: Asked, wishes: readonly Wish[]): string {
  if (asked.text === "")
    return "I see no request of yours in my window, so I don't know what to do. Please ask again.";
  const results = wishes.map((wish) => resultSentence(wish, asked, request));
  const facts = askedFacts(asked.text).map((thing) => factSentence(thing, request.messages));
  const said = [...results, ...facts];
  if (said.length > 0) return said.join("\n");
  if (/\b(?:remember|note|keep in mind)\b|\b(?:is|are|=)\s/i.test(asked.text)) return "Noted.";
  return 'I can read files that you name, list files, search for "text", replace "a" with "b" in a file, run `a command`, and tell back facts such as "the port is 8080".';
}

function resultSentence(wish: Wish, asked: Asked, request: ChatRequestSeen): string {
  const target = Object.values(wish.arguments)[0] ?? "the folder";
  if (!request.tools.some((tool) => tool.function.name === wish.tool))
    return `I was not offered a tool ${wish.tool}, so I left out ${target}.`;
  const result = resultOf(wish, asked.since);
  if (result === undefined)
    return `${wish.tool} on ${target} was done before; its result is no longer in my window.`;
  const lines = result.split("\n").filter((line) => line.trim() !== "");
  const shown = lines[0]?.trim().slice(0, 100) ?? "";
  if (lines.length <= 1) return `${wish.tool} on ${target} answered: ${shown || "(nothing)"}`;
  return `${wish.tool} on ${target} gave ${lines.length} lines, the first of them: ${shown}`;
}

/** The result of a call: that of its own number, or of its place among the results for models without numbers. */
function resultOf(wish: Wish, since: readonly WireMessage[]): string | undefined {
  for (const [index, message] of since.entries()) {
    const calls = message.tool_calls ?? [];
    const place = calls.findIndex(
      (call) => keyOf({ tool: call.function.name, arguments: call.function.arguments }) === keyOf(wish),
    );
    if (place < 0) continue;
    const results = since.slice(index + 1).filter((other) => other.role === "tool");
    const id = calls[place]?.id;
    const own = results.find((result) => id !== undefined && result.tool_call_id === id);
    return (own ?? results[place])?.content ?? undefined;
  }
  return undefined;
}

function factSentence(thing: string, messages: readonly WireMessage[]): string {
  // Its own answers are no source: they would make a "don't know" or a mistake of before into knowledge.
  const sources = messages.filter((message) => message.role !== "assistant").toReversed();
  const value = sources
    .map((message) => factIn(message.content ?? "", thing))
    .find((found) => found !== undefined);
  if (value === undefined) return `I don't know the ${thing}; it is not in my window.`;
  return `The ${thing} is ${value}.`;
}

function isFromEarlier(message: WireMessage): boolean {
  return message.role === "assistant" || /^\[Context summary\b/.test(message.content ?? "");
}

function thoughts(asked: Asked, wishes: number, open: number): string {
  if (wishes === 0) return "No call is asked for, so I answer from what is in my window.";
  return `The newest message asks for ${wishes} call(s); ${open} still to make, ${asked.since.length} message(s) since.`;
}
