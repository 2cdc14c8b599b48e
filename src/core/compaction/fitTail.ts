import type { ShortenedMessage } from "../../shared/events";
import { cutToTokens } from "../window/cutToTokens";
import { estimateMessages, type Rates } from "../window/estimate";
import type { ContextMessage } from "../window/messages";

/** A tail within its room, with what had to be shortened for that. */
export interface FittedTail {
  readonly tail: readonly ContextMessage[];
  readonly shortened: readonly ShortenedMessage[];
}

/**
 * The newest group when it alone is larger than `room` (tokens): its largest messages are shortened. What the model has read may
 * all be (`read`); of what it has not, nothing (`none`) or only the tool results (`results`).
 */
export function fitTail(
  tail: readonly ContextMessage[],
  room: number,
  rates: Rates,
  mayShorten: "read" | "results" | "none",
): FittedTail {
  const sizes = tail.map((message) => estimateMessages([message], rates));
  if (mayShorten === "none") return { tail, shortened: [] };
  const share = Math.max(MINIMUM_MESSAGE_TOKENS, fairShare(sizes, room));
  const shortened: ShortenedMessage[] = [];
  const fitted = tail.map((message, index) => {
    const tokens = sizes[index] ?? 0;
    const isKept = message.content === "" || (mayShorten === "results" && message.role !== "tool");
    if (tokens <= share || isKept) return message;
    const content = cutToTokens(message.content, share, rates, WHY_SHORTENED);
    shortened.push({ eventId: message.source, content });
    return { ...message, content };
  });
  return { tail: fitted, shortened };
}

const WHY_SHORTENED = "shortened to fit the context window; ask or re-read for the rest";

/** A shortened message keeps at least this much. */
const MINIMUM_MESSAGE_TOKENS = 64;

/** The largest share for each message with which all of them, small ones with less, fit into `room`. */
function fairShare(sizes: readonly number[], room: number): number {
  let left = room;
  const ascending = [...sizes].sort((a, b) => a - b);
  for (const [index, size] of ascending.entries()) {
    const share = Math.floor(left / (ascending.length - index));
    if (size > share) return share;
    left -= size;
  }
  return Infinity;
}
