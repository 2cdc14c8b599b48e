import { readFile, stat } from "node:fs";
import { promisify } from "node:util";
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
  /** How long a regular expression may take on a few files, in milliseconds. */
  readonly regExpTimeLimitMs: number;
}

// In a search of very many files these cost half of what their forms with promises do.
const fileStatus = promisify(stat);
const fileContent = promisify(readFile);

/** How much of a line is shown. */
const LINE_CHARACTERS = 200;
/** Files that are read at the same time and searched together. */
const BATCH = 32;

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
    const leavesOut = query.leavesOut ?? (() => false);
    return await collect(search, query.maxMatches, places, { ...options, leavesOut });
  } finally {
    options.signal.removeEventListener("abort", stop);
    search.dispose();
  }
}

async function collect(
  search: LineSearch,
  most: number,
  places: SearchPlaces,
  options: SearchOptions & Leaving,
): Promise<SearchResult | { readonly error: string }> {
  const matches: SearchMatch[] = [];
  let skippedFiles = 0;
  for await (const batch of batches(places, options)) {
    const contents = await Promise.all(batch.map((file) => readSearchable(file, search, options)));
    skippedFiles += contents.filter((content) => content === "too_large").length;
    const files = contents.filter((content) => typeof content === "object");
    if (files.length === 0) continue;
    const found = await search.find(
      files.map(({ text }) => text),
      most + 1 - matches.length,
    );
    options.signal.throwIfAborted();
    if (!found) return { error: tooSlow(files.map(({ path }) => path)) };
    for (const [index, { path, text }] of files.entries()) {
      matches.push(...(found[index] ?? []).map((hit) => toMatch(path, text, hit)));
    }
    if (matches.length > most) return { matches: matches.slice(0, most), isCut: true, skippedFiles };
  }
  return { matches, isCut: false, skippedFiles };
}

/** Which files below a folder are not searched. */
interface Leaving {
  readonly leavesOut: (absolute: string) => boolean;
}

async function* batches(
  places: SearchPlaces,
  options: SearchOptions & Leaving,
): AsyncGenerator<readonly string[]> {
  let waiting = [...places.files];
  for await (const entries of walk(places.starts, options)) {
    const files = entries.filter(({ kind, isIgnored }) => kind === "file" && !isIgnored);
    waiting.push(...files.map(({ absolute }) => absolute).filter((absolute) => !options.leavesOut(absolute)));
    while (waiting.length >= BATCH) {
      yield waiting.slice(0, BATCH);
      waiting = waiting.slice(BATCH);
    }
  }
  if (waiting.length > 0) yield waiting;
}

interface SearchableFile {
  readonly path: string;
  readonly text: string;
}

/** Undefined when the file has no text, or none in which anything will be found. */
async function readSearchable(
  absolute: string,
  search: LineSearch,
  options: SearchOptions,
): Promise<SearchableFile | "too_large" | undefined> {
  const unsaved = options.unsavedText(absolute);
  if (unsaved !== undefined) return { path: options.toShown(absolute), text: unsaved };
  try {
    if ((await fileStatus(absolute)).size > MOST_TEXT_BYTES) return "too_large";
    const bytes = await fileContent(absolute);
    if (!search.mayFind(bytes)) return undefined;
    const decoded = decodeText(bytes);
    return "raw" in decoded ? { path: options.toShown(absolute), text: toLineFeeds(decoded.raw) } : undefined;
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

function tooSlow(paths: readonly string[]): string {
  const where = paths.length === 1 ? `in ${paths[0]}` : `between ${paths[0]} and ${paths.at(-1)}`;
  return `This regular expression takes too long (stopped ${where}). Avoid nested repetition such as (a+)+, or search for a plain text.`;
}
