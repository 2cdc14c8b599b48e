import type { KeptCommand, KeptFacts, LogEvent, UserMessage } from "../../shared/events";
import { latestFiles } from "../log/files";
import { estimateShape, estimateText, type Rates } from "../window/estimate";
import { shapeOf, type TextShape } from "../window/textShape";

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
  const { typed, results } = sourcesIn(events);
  if (request !== undefined)
    typed.splice(
      typed.findLastIndex(({ text }) => text === request),
      1,
    );
  const { words, wordsCut } = keepSayings(typed.map(sayingOf), caps.words, rates);
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

/** The events that slot 1 is made from, in order. */
interface Sources {
  readonly typed: (LogEvent & UserMessage)[];
  readonly results: LogEvent[];
}

interface SearchedLog extends Sources {
  readonly events: LogEvent[];
  /** Where in the log the typed messages and the results are. */
  readonly typedAt: number[];
  readonly resultsAt: number[];
}

// A log only grows, and each plan asks for several beginnings of it: it is searched once. The keys are the first events.
const searched = new WeakMap<LogEvent, SearchedLog>();

function sourcesIn(events: readonly LogEvent[]): Sources {
  const [first] = events;
  if (first === undefined) return { typed: [], results: [] };
  const known = searched.get(first);
  const common = Math.min(known?.events.length ?? 0, events.length);
  const isSameLog = known !== undefined && known.events[common - 1] === events[common - 1];
  const log = isSameLog ? known : { events: [], typed: [], typedAt: [], results: [], resultsAt: [] };
  for (const event of events.slice(log.events.length)) search(log, event);
  searched.set(first, log);
  return {
    typed: log.typed.slice(0, countBelow(log.typedAt, events.length)),
    results: log.results.slice(0, countBelow(log.resultsAt, events.length)),
  };
}

function search(log: SearchedLog, event: LogEvent): void {
  if (event.type === "user_message") {
    log.typed.push(event);
    log.typedAt.push(log.events.length);
  } else if (event.type === "tool_result" && event.facts !== undefined) {
    log.results.push(event);
    log.resultsAt.push(log.events.length);
  }
  log.events.push(event);
}

/** How many of these ascending places lie before `end`. */
function countBelow(places: readonly number[], end: number): number {
  return places.findLastIndex((place) => place < end) + 1;
}

/** A text that slot 1 may carry. */
interface Item {
  readonly text: string;
  readonly shape: TextShape;
}

/** What the person typed in one message; its key sentences are only looked for when it must be cut. */
interface Saying extends Item {
  key: Item | undefined;
}

// Events are immutable, so each is looked at once in its life.
const sayings = new WeakMap<LogEvent, Saying>();

function sayingOf(event: LogEvent & UserMessage): Saying {
  const known = sayings.get(event) ?? toSaying(event.text);
  sayings.set(event, known);
  return known;
}

function toSaying(typed: string): Saying {
  return { ...toItem(withoutPastedBlocks(typed)), key: undefined };
}

function toItem(text: string): Item {
  return { text, shape: shapeOf(text) };
}

/** What the person typed, in order, within `cap` tokens: the oldest are cut to what matters, then dropped. */
export function keepWords(
  typed: readonly string[],
  cap: number,
  rates: Rates,
): { readonly words: readonly string[]; readonly wordsCut: number } {
  return keepSayings(typed.map(toSaying), cap, rates);
}

function keepSayings(typed: readonly Saying[], cap: number, rates: Rates): ReturnType<typeof keepWords> {
  const all = distinct(typed);
  const cost = ({ text, shape }: Item) => (text === "" ? 0 : estimateShape(shape, rates) + TOKENS_PER_ITEM);
  const keyOf = (saying: Saying) => (saying.key ??= toItem(keySentences(saying.text)));
  if (fitFromNewest(all, cost, cap).start === 0) return { words: all.map(({ text }) => text), wordsCut: 0 };
  const cut = fitFromNewest(all, (saying) => cost(keyOf(saying)), cap);
  const words = all.map((saying, index) => (index < cut.start ? "" : keyOf(saying).text));
  // Where all key sentences fit, only as many of the oldest are cut as must be.
  let left = cap - cut.tokens;
  for (let index = cut.start === 0 ? all.length - 1 : -1; index >= 0; index--) {
    const saying = all[index];
    if (saying === undefined) break;
    left -= cost(saying) - cost(keyOf(saying));
    if (left < 0) break;
    words[index] = saying.text;
  }
  return {
    words: words.filter((text) => text !== ""),
    wordsCut: words.filter((text, index) => text !== all[index]?.text).length,
  };
}

/** Nothing is listed twice: of equal messages the newest counts. */
function distinct(typed: readonly Saying[]): Saying[] {
  const seen = new Map<string, Saying>();
  for (const saying of typed.toReversed())
    if (saying.text !== "" && !seen.has(saying.text)) seen.set(saying.text, saying);
  return [...seen.values()].reverse();
}

/** Where the newest items begin that take at most `cap` together, and what they take; the older ones are not looked at. */
function fitFromNewest<One>(
  items: readonly One[],
  cost: (item: One) => number,
  cap: number,
): { readonly start: number; readonly tokens: number } {
  let tokens = 0;
  let start = items.length;
  while (start > 0) {
    const item = items[start - 1];
    if (item === undefined) break;
    const next = cost(item);
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
