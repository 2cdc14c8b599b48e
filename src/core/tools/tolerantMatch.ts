import { diffArrays } from "diff";
import type { TextReplacement } from "../ports";
import { indentationMapper } from "./indentation";
import type { IndentPair } from "./indentation";
import { findTokens, indentationIn, isLineEnd, tokenize } from "./textTokens";
import type { Token } from "./textTokens";

/** More different pieces than this are taken as written, since looking for what stayed would take too long. */
const MOST_COMPARED = 500;

/** A text without the blanks and line ends around it. */
interface Framed {
  readonly linesBefore: number;
  /** The indentation of its first line. */
  readonly indent: string;
  readonly core: readonly Token[];
  readonly linesAfter: number;
}

/** Where the model's text was found. `isWholeLine` means that only blanks stand before it in its line. */
interface Hit {
  readonly from: number;
  readonly start: number;
  readonly lineStart: number;
  readonly isWholeLine: boolean;
}

/** Where a text is found when blanks, line ends and typographic quotes may differ. */
export interface TolerantMatch {
  /** Start of each hit; UTF-16 code units. */
  readonly starts: readonly number[];
  /** The change, when there is exactly one hit. */
  readonly replacement?: TextReplacement;
}

/**
 * Looks for `oldText` where only whole words and signs must agree, and makes the change there: what `newText` keeps of
 * `oldText` stays as the file has it, and what it adds gets the file's own indentation. All texts have LF line ends.
 */
export function matchTolerantly(text: string, oldText: string, newText: string): TolerantMatch {
  const wanted = frame(oldText);
  const replacing = frame(newText);
  const isShifted = replacing.core.length > 0 && wanted.linesBefore !== replacing.linesBefore;
  if (wanted.core.length === 0 || isShifted) return { starts: [] };
  const tokens = tokenize(text);
  const hits = findTokens(tokens, wanted.core)
    .map((from) => locate(text, tokens, from))
    .filter((hit) => hit.isWholeLine || (wanted.indent === "" && wanted.linesBefore === 0))
    .filter((hit) => endsLikeWanted(text, endOfCore(tokens, hit, wanted), { wanted, replacing }));
  const [only] = hits;
  const starts = hits.map((hit) => hit.start);
  if (!only || hits.length > 1) return { starts };
  return { starts, replacement: replaceAt(text, tokens, only, { wanted, replacing }) };
}

function frame(text: string): Framed {
  const before = /^\s*/.exec(text)?.[0] ?? "";
  const rest = text.slice(before.length);
  const core = rest.trimEnd();
  const after = core === "" ? text : rest.slice(core.length);
  return {
    linesBefore: core === "" ? 0 : before.split("\n").length - 1,
    indent: core === "" ? "" : before.slice(before.lastIndexOf("\n") + 1),
    core: tokenize(core),
    linesAfter: after.split("\n").length - 1,
  };
}

function locate(text: string, tokens: readonly Token[], from: number): Hit {
  const start = tokens[from]?.start ?? 0;
  const lineStart = text.lastIndexOf("\n", start - 1) + 1;
  return {
    from,
    start,
    lineStart,
    isWholeLine: text.slice(lineStart, start).trim() === "",
  };
}

interface Texts {
  readonly wanted: Framed;
  readonly replacing: Framed;
}

function endOfCore(tokens: readonly Token[], hit: Hit, { core }: Framed): number {
  const last = tokens[hit.from + core.length - 1];
  return last ? last.start + last.text.length : hit.start;
}

/** A line that goes on is another than one that ends, and line ends that the change takes away must be there; the end of the text is one. */
function endsLikeWanted(text: string, end: number, { wanted, replacing }: Texts): boolean {
  const { linesAfter } = wanted;
  const needed = linesAfter > replacing.linesAfter ? linesAfter : Math.min(1, linesAfter);
  return new RegExp(`^(?:[^\\S\\n]*(?:\\n|$)){${needed}}`).test(text.slice(end));
}

function replaceAt(text: string, tokens: readonly Token[], hit: Hit, texts: Texts): TextReplacement {
  const { wanted, replacing } = texts;
  const coreEnd = endOfCore(tokens, hit, wanted);
  const missing = wanted.linesAfter - replacing.linesAfter;
  const end = missing > 0 ? skipLineEnds(text, coreEnd, missing) : coreEnd;
  const own = tokens.slice(hit.from, hit.from + wanted.core.length);
  const ownIndent = hit.isWholeLine ? text.slice(hit.lineStart, hit.start) : "";
  const toOwn = mapperFor({ wanted, replacing, own, ownIndent, hit }, /^\t/m.test(text));
  const first = replacing.indent === wanted.indent ? ownIndent : toOwn(replacing.indent);
  const indent = hit.isWholeLine && replacing.core.length > 0 ? first : "";
  return {
    start: hit.isWholeLine ? hit.lineStart : hit.start,
    end,
    text: `${indent}${merge(own, wanted.core, replacing.core, toOwn)}${"\n".repeat(Math.max(0, -missing))}`,
  };
}

function skipLineEnds(text: string, from: number, count: number): number {
  const match = new RegExp(`^(?:[^\\S\\n]*\\n){1,${count}}`).exec(text.slice(from));
  return from + (match?.[0].length ?? 0);
}

interface Aligned extends Texts {
  readonly own: readonly Token[];
  readonly ownIndent: string;
  readonly hit: Hit;
}

function mapperFor(aligned: Aligned, fileUsesTabs: boolean): (written: string) => string {
  const { wanted, replacing, own, ownIndent, hit } = aligned;
  const pairs: IndentPair[] = wanted.core.flatMap((token, index) => {
    const mine = own[index];
    const isBlank = isLineEnd(wanted.core[index + 1]);
    if (!mine || !isLineEnd(token) || isBlank) return [];
    return [{ written: indentationIn(token), own: indentationIn(mine) }];
  });
  // A first line without indentation was often copied from the middle of its line and says nothing about the others.
  const isTelling = wanted.indent !== "" || pairs.every((pair) => pair.written === "");
  if (hit.isWholeLine && isTelling) pairs.unshift({ written: wanted.indent, own: ownIndent });
  const ends = [...wanted.core, ...replacing.core].filter(isLineEnd).map(indentationIn);
  return indentationMapper(pairs, [wanted.indent, replacing.indent, ...ends], fileUsesTabs);
}

/** The new text, with the file's own pieces wherever the new text has the same piece as the old one. */
function merge(
  own: readonly Token[],
  wanted: readonly Token[],
  replacing: readonly Token[],
  toOwn: (written: string) => string,
): string {
  const [oldTexts, newTexts] = [wanted.map((token) => token.text), replacing.map((token) => token.text)];
  const parts = diffArrays(oldTexts, newTexts, { maxEditLength: MOST_COMPARED }) ?? [
    { removed: true, added: false, count: wanted.length },
    { removed: false, added: true, count: replacing.length },
  ];
  let inOld = 0;
  let inNew = 0;
  let merged = "";
  for (const part of parts) {
    if (part.removed) {
      inOld += part.count;
      continue;
    }
    for (let index = 0; index < part.count; index += 1) {
      const token = replacing[inNew + index];
      if (part.added && token) merged += written(token, replacing[inNew + index + 1], toOwn);
      if (!part.added) merged += kept(own[inOld + index], replacing[inNew + index + 1]);
    }
    inNew += part.count;
    if (!part.added) inOld += part.count;
  }
  return merged;
}

/** The file's own piece; what indented a line that is empty now is no part of it. */
function kept(own: Token | undefined, next: Token | undefined): string {
  const text = own?.text ?? "";
  return isLineEnd(own) && isLineEnd(next) ? text.slice(0, text.indexOf("\n") + 1) : text;
}

function written(token: Token, next: Token | undefined, toOwn: (written: string) => string): string {
  if (!isLineEnd(token)) return token.text;
  return isLineEnd(next) ? "\n" : `\n${toOwn(indentationIn(token))}`;
}
