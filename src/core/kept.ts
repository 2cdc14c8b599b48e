import type { KeptCommand, KeptFacts, LogEvent } from "../shared/events";
import { estimateText, type Rates } from "./estimate";
import { latestFiles } from "./files";

/** The caps of what is kept by code, in tokens. */
export interface KeptCaps {
  readonly words: number;
  readonly ledger: number;
}

/**
 * What is kept word for word of the events before the tail (design §3.8), from the log alone. `request` is the newest message
 * of the user when the tail does not hold it: it is never cut.
 */
export function keepFacts(
  events: readonly LogEvent[],
  request: string | undefined,
  caps: KeptCaps,
  rates: Rates,
): KeptFacts {
  const typed: string[] = [];
  const results: LogEvent[] = [];
  // One look at each event: a log may have tens of thousands, and a plan is made of several drafts.
  for (const event of events) {
    if (event.type === "user_message") typed.push(event.text);
    else if (event.type === "tool_result" && event.facts !== undefined) results.push(event);
  }
  if (request !== undefined) typed.splice(typed.lastIndexOf(request), 1);
  const { words, wordsCut } = keepWords(typed, caps.words, rates);
  const files = latestFiles(results);
  const commands = latestCommands(results);
  const keptFiles = newestThatFit(files, (file) => file.path, caps.ledger / 2, rates);
  const keptCommands = newestThatFit(commands, (command) => command.command, caps.ledger / 2, rates);
  return {
    words,
    wordsCut,
    ...(request === undefined ? {} : { request }),
    files: keptFiles,
    filesCut: files.length - keptFiles.length,
    commands: keptCommands,
    commandsCut: commands.length - keptCommands.length,
  };
}

/** What the person typed, in order, within `cap` tokens: the oldest are cut to what matters, then dropped. */
export function keepWords(
  typed: readonly string[],
  cap: number,
  rates: Rates,
): { readonly words: readonly string[]; readonly wordsCut: number } {
  // Of equal messages the newest counts, so that nothing is listed twice.
  const words = [
    ...new Set(
      typed
        .map(withoutPastedBlocks)
        .filter((text) => text !== "")
        .reverse(),
    ),
  ].reverse();
  const cost = (text: string) => (text === "" ? 0 : estimateText(text, rates) + TOKENS_PER_ITEM);
  const all = fitFromNewest(words, cost, cap);
  if (all.start === 0) return { words, wordsCut: 0 };
  const keys = new Map<number, string>();
  const keyOf = (text: string, index: number) => {
    const key = keys.get(index) ?? keySentences(text);
    keys.set(index, key);
    return key;
  };
  const cut = fitFromNewest(words, (text, index) => cost(keyOf(text, index)), cap);
  const shortened = words.map((text, index) => (index < cut.start ? "" : keyOf(text, index)));
  // Where all key sentences fit, only as many of the oldest are cut as must be.
  let whole = cut.start === 0 ? words.length : 0;
  let total = cut.tokens;
  while (whole > 0) {
    const text = words[whole - 1] ?? "";
    total += cost(text) - cost(shortened[whole - 1] ?? "");
    if (total > cap) break;
    whole--;
    shortened[whole] = text;
  }
  return {
    words: shortened.filter((text) => text !== ""),
    wordsCut: shortened.filter((text, index) => text !== words[index]).length,
  };
}

/** Where the newest of `words` begin that take at most `cap` together, and what they take; the older ones are not looked at. */
function fitFromNewest(
  words: readonly string[],
  cost: (text: string, index: number) => number,
  cap: number,
): { readonly start: number; readonly tokens: number } {
  let tokens = 0;
  let start = words.length;
  while (start > 0) {
    const next = cost(words[start - 1] ?? "", start - 1);
    if (tokens + next > cap) break;
    tokens += next;
    start--;
  }
  return { start, tokens };
}

/** The dash, the indentation and the line end of a list item, in tokens. */
export const TOKENS_PER_ITEM = 4;

/** A message without its fenced blocks: pasted text is not what the person typed. */
export function withoutPastedBlocks(text: string): string {
  if (!text.includes("```") && !text.includes("~~~")) return text.trim();
  return text
    .replace(
      /^(`{3,}|~{3,})[^\n]*\n([\s\S]*?)(?:^\1[ \t]*$|$(?![\s\S]))/gm,
      (_block, _fence, body: string) => {
        const lines = body.split("\n").length - 1;
        return `[pasted block of ${lines} ${lines === 1 ? "line" : "lines"}]`;
      },
    )
    .trim();
}

const RULE =
  /\b(?:never|always|must|mustn't|don't|do not|only|no longer|decided?|decision|use|instead|remember)\b/i;
// Each alternative begins with a character that prose is poor in, so that most of a text is passed over quickly.
const EXACT_VALUE = /\d|`[^`]+`|"[^"]+"|'[^']{2,}'|(?<=\S)[/\\]\S|(?<=\w)[._-]\w|[A-Z]{2,}|(?<=[a-z])[A-Z]/;

/** The sentences of a message that hold exact values, rules or decisions, in order. */
export function keySentences(text: string): string {
  return text
    .split(/(?<=[.!?。！？])\s+|\n+/)
    .filter((sentence) => RULE.test(sentence) || EXACT_VALUE.test(sentence))
    .join(" ");
}

function latestCommands(events: readonly LogEvent[]): KeptCommand[] {
  const commands = new Map<string, KeptCommand>();
  for (const event of events) {
    if (event.type !== "tool_result" || event.facts?.kind !== "command") continue;
    const { command, exitCode } = event.facts;
    commands.delete(command);
    commands.set(command, { command, exitCode });
  }
  return [...commands.values()];
}

/** The newest of `items` whose texts fit into `cap` tokens as a list, in their order. */
export function newestThatFit<Item>(
  items: readonly Item[],
  textOf: (item: Item) => string,
  cap: number,
  rates: Rates,
): Item[] {
  let left = cap;
  let start = items.length;
  while (start > 0) {
    const item = items[start - 1];
    if (item === undefined) break;
    left -= estimateText(textOf(item), rates) + 2 * TOKENS_PER_ITEM;
    if (left < 0) break;
    start--;
  }
  return items.slice(start);
}
