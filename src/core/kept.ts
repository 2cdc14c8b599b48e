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
  const typed = events.flatMap((event) => (event.type === "user_message" ? [event.text] : []));
  if (request !== undefined) typed.splice(typed.lastIndexOf(request), 1);
  const { words, wordsCut } = keepWords(typed, caps.words, rates);
  const files = latestFiles(events);
  const commands = latestCommands(events);
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
  const words = [...new Set(typed.map(withoutPastedBlocks).reverse())].reverse();
  const cost = (text: string) => (text === "" ? 0 : estimateText(text, rates) + TOKENS_PER_ITEM);
  const cut = new Set<number>();
  let total = words.reduce((sum, text) => sum + cost(text), 0);
  for (const shorten of [keySentences, () => ""]) {
    for (let index = 0; index < words.length && total > cap; index++) {
      const text = words[index] ?? "";
      const shorter = shorten(text);
      if (shorter === text) continue;
      total -= cost(text) - cost(shorter);
      words[index] = shorter;
      cut.add(index);
    }
  }
  return { words: words.filter((text) => text !== ""), wordsCut: cut.size };
}

/** The dash, the indentation and the line end of a list item, in tokens. */
export const TOKENS_PER_ITEM = 4;

/** A message without its fenced blocks: pasted text is not what the person typed. */
export function withoutPastedBlocks(text: string): string {
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
const EXACT_VALUE = /\d|`[^`]+`|"[^"]+"|'[^']{2,}'|\S[/\\]\S|\w\.\w|\w_\w|\w-\w|[A-Z]{2,}|[a-z][A-Z]/;

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
