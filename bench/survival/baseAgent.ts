import { summaryInstruction } from "../../src/core/compaction/summary";
import { tailStart } from "../../src/core/compaction/tail";
import type { ChatReply, ChatRequest } from "../../src/core/ports";
import { createTools } from "../../src/core/tools";
import { DEFAULT_RATES, estimateText } from "../../src/core/window/estimate";
import type { ContextMessage } from "../../src/core/window/messages";
import { SUMMARY_SENTENCE } from "../../src/core/window/summaryMessage";
import { buildSystemPrompt } from "../../src/core/window/systemPrompt";
import type { Conversation } from "./conversation";
import { needlesIn, type Played } from "./play";
import { createSummariser, type SummariserName } from "./summarisers";
import type { TokenCounter } from "./tokenCounter";

const KEEP = 6;
const unused = {} as never;
const tools = createTools({ workspace: unused, shell: unused, limits: { commandTimeLimitSeconds: 120 } }).map(
  ({ schema }) => schema,
);

/**
 * The base algorithm of design §2 alone, on a server that cuts in silence as Ollama does by default: messages leave from the
 * front, the system prompt stays. It looks at the meter once for each message of the user.
 */
export function playBase(
  conversation: Conversation,
  numCtx: number,
  summariser: SummariserName,
  counter: TokenCounter,
): Pick<Played, "found" | "planted" | "compactions" | "requests" | "overWindow"> {
  const summarise = createSummariser(summariser, conversation.needles);
  const facts = { folders: [], operatingSystem: "linux", shell: "bash", date: "2026-01-01" };
  const system: ContextMessage = {
    role: "system",
    source: "",
    content: buildSystemPrompt(facts, numCtx, DEFAULT_RATES),
  };
  let messages: ContextMessage[] = [system];
  const seen = { requests: 0, overWindow: 0, compactions: 0, lastRequest: "", lastUsed: 0 };
  const send = () => {
    const { sent, tokens } = cutFromFront(messages, numCtx, counter);
    seen.requests++;
    if (sent.length < messages.length) seen.overWindow++;
    seen.lastRequest = sent.map(({ content }) => content).join("\n");
    seen.lastUsed = tokens;
  };
  for (const turn of conversation.turns) {
    messages.push({ role: "user", source: "", content: turn.user });
    for (const round of turn.rounds) {
      send();
      const calls = round.results.map((_, index) => ({ id: `c${index}`, name: "read_file", arguments: {} }));
      messages.push({ role: "assistant", source: "", content: round.text, thinking: "", toolCalls: calls });
      for (const [index, content] of round.results.entries()) {
        messages.push({ role: "tool", source: "", content, toolName: "read_file", callId: `c${index}` });
      }
    }
    send();
    messages.push({ role: "assistant", source: "", content: turn.answer, thinking: "", toolCalls: [] });
    seen.lastUsed += estimateText(turn.answer, DEFAULT_RATES);
    if (seen.lastUsed <= Math.floor((numCtx * 8) / 10)) continue;
    const reply = summarise(summaryRequest(messages, numCtx, counter));
    if (reply.text === "" || reply.toolCalls.length > 0) continue;
    messages = rebuild(system, messages, reply);
    seen.compactions++;
  }
  return { ...seen, ...needlesIn(seen.lastRequest, conversation.needles) };
}

function summaryRequest(
  messages: readonly ContextMessage[],
  numCtx: number,
  counter: TokenCounter,
): ChatRequest {
  const instruction: ContextMessage = {
    role: "user",
    source: "",
    content: summaryInstruction(Math.floor(numCtx / 10), undefined),
  };
  const { sent } = cutFromFront([...messages.slice(1), instruction], numCtx, counter);
  return { model: "", numCtx, messages: sent, tools: [], maxReplyTokens: numCtx, thinking: "default" };
}

function rebuild(
  system: ContextMessage,
  messages: readonly ContextMessage[],
  reply: Pick<ChatReply, "text">,
): ContextMessage[] {
  const summary: ContextMessage = {
    role: "user",
    source: "",
    content: `${SUMMARY_SENTENCE}\n\n${reply.text}`,
  };
  return [system, summary, ...messages.slice(tailStart(messages, KEEP))];
}

/** What the model is left with when the server drops messages from the front until the prompt fits. */
function cutFromFront(messages: readonly ContextMessage[], numCtx: number, counter: TokenCounter) {
  const fixed = messages.filter(({ role }) => role === "system");
  let sent = messages.filter(({ role }) => role !== "system");
  let tokens = counter.prompt([...fixed, ...sent], tools);
  while (tokens > numCtx && sent.length > 1) {
    const [first, ...rest] = sent;
    tokens -= first === undefined ? 0 : counter.message(first);
    sent = rest;
  }
  return { sent: [...fixed, ...sent], tokens: Math.min(tokens, numCtx) };
}
