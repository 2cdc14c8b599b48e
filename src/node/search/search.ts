import { readFile, stat } from "node:fs";
import { promisify } from "node:util";
import type { SearchMatch, SearchQuery, SearchResult } from "../../core/ports";
import { excerptAround } from "../../core/window/truncate";
import { toLineFeeds } from "../files/lineEnds";
import { isInside } from "../files/realPath";
import { decodeText } from "../files/textEncoding";
import { MOST_TEXT_BYTES } from "../files/textFile";
import { asWalked } from "./candidates";
import { literalSearch, readRegExp, regExpSearch } from "./lineSearch";
import type { Hit, LineSearch } from "./lineSearch";
import { filesWithMatches } from "./ripgrep";
import { ripgrepPattern } from "./ripgrepPattern";
import { pathIn, walk } from "./walk";
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
  /** Files (absolute) with unsaved changes. */
  readonly unsavedFiles?: () => readonly string[];
  /** Where ripgrep is, which tells quickly which files need not be read. */
  readonly ripgrep?: string;
  /** Globs of what `isExcluded` hides, in the words of `.gitignore`. */
  readonly excludedGlobs?: readonly string[];
}

// In a search of very many files these cost half of what their forms with promises do.
const fileStatus = promisify(stat);
const fileContent = promisify(readFile);

/** How much of a line is shown. */
const LINE_CHARACTERS = 200;
/** Files that are read at the same time and searched together. */
const BATCH = 32;

/** Searches files line by line in the order of a listing; binary and ignored files are left out. */
export function searchText(
  query: Omit<SearchQuery, "under">,
  places: SearchPlaces,
  options: SearchOptions,
): Promise<SearchResult | { readonly error: string }> {
  const leavesOut = query.leavesOut ?? (() => false);
  const files = filesOf(query, places, { ...options, leavesOut });
  return searchTexts(query, (search) => contentsOf(files, search, options), options);
}

/** Searches what `contents` reads, some texts at a time. */
export async function searchTexts(
  query: Query & Pick<SearchQuery, "maxMatches">,
  contents: (search: LineSearch) => AsyncIterable<readonly Content[]>,
  options: Pick<SearchOptions, "signal" | "regExpTimeLimitMs">,
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
    return await collect(search, query.maxMatches, contents(search), options.signal);
  } finally {
    options.signal.removeEventListener("abort", stop);
    search.dispose();
  }
}

async function collect(
  search: LineSearch,
  most: number,
  contents: AsyncIterable<readonly Content[]>,
  signal: AbortSignal,
): Promise<SearchResult | { readonly error: string }> {
  const matches: SearchMatch[] = [];
  let skippedFiles = 0;
  for await (const batch of contents) {
    skippedFiles += batch.filter((content) => content === "too_large").length;
    const texts = batch.filter((content) => typeof content === "object");
    if (texts.length === 0) continue;
    const found = await search.find(
      texts.map(({ text }) => text),
      most + 1 - matches.length,
    );
    signal.throwIfAborted();
    if (!found) return { error: tooSlow(texts.map(({ path }) => path)) };
    for (const [index, { path, text }] of texts.entries()) {
      matches.push(...(found[index] ?? []).map((hit) => toMatch(path, text, hit)));
    }
    if (matches.length > most) return { matches: matches.slice(0, most), isCut: true, skippedFiles };
  }
  return { matches, isCut: false, skippedFiles };
}

async function* contentsOf(
  files: AsyncIterable<readonly string[]>,
  search: LineSearch,
  options: SearchOptions,
): AsyncGenerator<readonly Content[]> {
  for await (const batch of batches(files)) {
    yield await Promise.all(batch.map((file) => readSearchable(file, search, options)));
  }
}

/** Which files below a folder are not searched. */
interface Leaving {
  readonly leavesOut: (absolute: string) => boolean;
}

type Query = Pick<SearchQuery, "pattern" | "isRegExp">;

/** The files to be searched, some at a time, in the order of a listing. */
async function* filesOf(
  query: Query,
  { files, starts }: SearchPlaces,
  options: SearchOptions & Leaving,
): AsyncGenerator<readonly string[]> {
  yield files;
  for (const start of starts) {
    const candidates = await candidatesOf(query, start, options);
    if (candidates) {
      yield candidates.filter((absolute) => !options.leavesOut(absolute));
      continue;
    }
    for await (const { folder, entries } of walk([start], options)) {
      const paths = entries.flatMap(({ kind, isIgnored, name }) =>
        kind === "file" && !isIgnored ? [pathIn(folder, name)] : [],
      );
      yield paths.filter((absolute) => !options.leavesOut(absolute));
    }
  }
}

/** What ripgrep and the editor name: all files in which anything can be found. Undefined where every file has to be read. */
async function candidatesOf(
  query: Query,
  start: WalkStart,
  options: SearchOptions,
): Promise<readonly string[] | undefined> {
  const { ripgrep, unsavedFiles, signal, excludedGlobs: excluded = [] } = options;
  const pattern = ripgrep === undefined ? undefined : ripgrepPattern(query);
  if (ripgrep === undefined || pattern === undefined) return undefined;
  const found = await filesWithMatches(ripgrep, { folder: start.folder, pattern, excluded }, signal);
  if (found === undefined) return undefined;
  const unsaved = unsavedFiles?.().filter((path) => isInside(start.folder, path)) ?? [];
  return asWalked([...new Set([...found, ...unsaved])], start, options);
}

async function* batches(files: AsyncIterable<readonly string[]>): AsyncGenerator<readonly string[]> {
  let waiting: readonly string[] = [];
  for await (const more of files) {
    waiting = waiting.length === 0 ? more : [...waiting, ...more];
    let from = 0;
    for (; waiting.length - from >= BATCH; from += BATCH) yield waiting.slice(from, from + BATCH);
    waiting = waiting.slice(from);
  }
  if (waiting.length > 0) yield waiting;
}

/** A text under the path by which it is shown; undefined for what has no text, or none in which anything will be found. */
export type Content = { readonly path: string; readonly text: string } | "too_large" | undefined;

async function readSearchable(
  absolute: string,
  search: LineSearch,
  options: SearchOptions,
): Promise<Content> {
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
