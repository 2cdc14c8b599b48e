import { readFile, stat } from "node:fs/promises";
import type { SearchMatch, SearchQuery, SearchResult } from "../core/ports";
import { excerptAround } from "../core/truncate";
import { toLineFeeds } from "./lineEnds";
import { literalSearch, readRegExp, regExpSearch } from "./lineSearch";
import type { Hit, LineSearch } from "./lineSearch";
import { decodeText } from "./textEncoding";
import { MOST_TEXT_BYTES } from "./textFile";
import { walk } from "./walk";
import type { WalkOptions, WalkStart } from "./walk";

/** What is searched: single files, and everything below folders. */
export interface SearchPlaces {
  readonly files: readonly string[];
  readonly starts: readonly WalkStart[];
}

/** How to search. */
export interface SearchOptions extends WalkOptions {
  readonly toShown: (absolute: string) => string;
  /** The text (LF line ends) of a file that is open with unsaved changes. */
  readonly unsavedText: (absolute: string) => string | undefined;
  /** How long a regular expression may take on one file, in milliseconds. */
  readonly regExpTimeLimitMs: number;
}

/** How much of a line is shown. */
const LINE_CHARACTERS = 200;
/** Files that are read at the same time. */
const BATCH = 16;

/** Searches texts line by line in the order of a listing; binary and ignored files are left out. */
export async function searchText(
  query: Omit<SearchQuery, "under">,
  places: SearchPlaces,
  options: SearchOptions,
): Promise<SearchResult | { readonly error: string }> {
  const expression = query.isRegExp ? readRegExp(query.pattern) : undefined;
  if (expression && "error" in expression) {
    return {
      error: `This is not a regular expression: ${expression.error}. Leave is_regex out to find the text as it is.`,
    };
  }
  const search = expression
    ? regExpSearch(expression, options.regExpTimeLimitMs)
    : literalSearch(query.pattern);
  const stop = (): void => search.dispose();
  options.signal.addEventListener("abort", stop, { once: true });
  try {
    return await collect(search, query.maxMatches, places, options);
  } finally {
    options.signal.removeEventListener("abort", stop);
    search.dispose();
  }
}

async function collect(
  search: LineSearch,
  most: number,
  places: SearchPlaces,
  options: SearchOptions,
): Promise<SearchResult | { readonly error: string }> {
  const matches: SearchMatch[] = [];
  let skippedFiles = 0;
  for await (const batch of batches(places, options)) {
    const read = await Promise.all(batch.map((file) => readSearchable(file, options)));
    for (const [index, content] of read.entries()) {
      const file = batch[index];
      if (content === "too_large") skippedFiles += 1;
      if (content === "too_large" || content === undefined || file === undefined) continue;
      const { text } = content;
      options.signal.throwIfAborted();
      const hits = await search.find(text, most + 1 - matches.length);
      options.signal.throwIfAborted();
      const path = options.toShown(file);
      if (!hits) return { error: tooSlow(path) };
      matches.push(...hits.map((hit) => toMatch(path, text, hit)));
      if (matches.length > most) return { matches: matches.slice(0, most), isCut: true, skippedFiles };
    }
  }
  return { matches, isCut: false, skippedFiles };
}

async function* batches(places: SearchPlaces, options: SearchOptions): AsyncGenerator<readonly string[]> {
  let waiting = [...places.files];
  for await (const entries of walk(places.starts, options)) {
    waiting.push(
      ...entries.filter((entry) => entry.kind === "file" && !entry.isIgnored).map((entry) => entry.absolute),
    );
    while (waiting.length >= BATCH) {
      yield waiting.slice(0, BATCH);
      waiting = waiting.slice(BATCH);
    }
  }
  if (waiting.length > 0) yield waiting;
}

async function readSearchable(
  absolute: string,
  options: SearchOptions,
): Promise<{ readonly text: string } | "too_large" | undefined> {
  const unsaved = options.unsavedText(absolute);
  if (unsaved !== undefined) return { text: unsaved };
  try {
    if ((await stat(absolute)).size > MOST_TEXT_BYTES) return "too_large";
    const decoded = decodeText(await readFile(absolute));
    return "raw" in decoded ? { text: toLineFeeds(decoded.raw) } : undefined;
  } catch {
    // A file that vanished or that may not be read has no text to find anything in.
    return undefined;
  }
}

function toMatch(path: string, text: string, hit: Hit): SearchMatch {
  const line = text.slice(hit.lineStart, hit.lineEnd);
  return {
    path,
    line: hit.line,
    text: excerptAround(line, hit.at - hit.lineStart, hit.length, LINE_CHARACTERS),
  };
}

function tooSlow(path: string): string {
  return `This regular expression takes too long (stopped in ${path}). Avoid nested repetition such as (a+)+, or search for a plain text.`;
}
