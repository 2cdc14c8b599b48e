import { existsSync } from "node:fs";
import { basename, dirname, extname, join, relative, sep } from "node:path";
import { isInside } from "../files/realPath";
import type { IsExcluded } from "./walk";

/** The editor's settings `files.exclude` and `search.exclude` of one folder: globs, and whether or when they hold. */
export type ExcludeSettings = Readonly<Record<string, boolean | { readonly when?: string }>>;

/** What the settings of one folder (a real path) hide, and what they leave out of searches. */
export interface FolderExcludes {
  readonly folder: string;
  readonly settings: ExcludeSettings;
  readonly search?: ExcludeSettings;
}

/** What settings hide: a test, and the same as globs in the words of `.gitignore` as far as they can say it. */
export interface Excludes {
  readonly isExcluded: IsExcluded;
  /** What is left out of searches only: in a listing it is one entry, like what `.gitignore` names. */
  readonly isLeftOut: IsExcluded;
  readonly globs: readonly string[];
}

/** Reads the settings of all folders. Globs are only given for a single folder, since they are relative to it. */
export function readExcludes(folders: readonly FolderExcludes[]): Excludes {
  const [only, ...others] = folders;
  return {
    isExcluded: anyOf(folders.map(({ folder, settings }) => ({ folder, test: testOf(folder, settings) }))),
    isLeftOut: anyOf(folders.map(({ folder, search = {} }) => ({ folder, test: testOf(folder, search) }))),
    globs: only === undefined || others.length > 0 ? [] : globsOf({ ...only.settings, ...only.search }),
  };
}

function anyOf(tests: readonly { readonly folder: string; readonly test: IsExcluded }[]): IsExcluded {
  return (absolute) => tests.some(({ folder, test }) => isInside(folder, absolute) && test(absolute));
}

function testOf(folder: string, settings: ExcludeSettings): IsExcluded {
  const entries = Object.entries(settings).filter(([, value]) => value !== false);
  const always = entries.flatMap(([glob, value]) => (value === true ? [globSource(glob)] : []));
  const all = new RegExp(`^(?:${always.join("|") || "(?!)"})$`, "s");
  const sometimes = entries.flatMap(([glob, value]) => {
    const when = typeof value === "object" ? value.when : undefined;
    return when === undefined ? [] : [{ test: new RegExp(`^${globSource(glob)}$`, "s"), when }];
  });
  return (absolute) => {
    const path = relative(folder, absolute).split(sep).join("/");
    return (
      all.test(path) || sometimes.some(({ test, when }) => test.test(path) && hasSibling(absolute, when))
    );
  };
}

/** Whether there is a file beside this one by the name that `$(basename)` makes, e.g. the source of what was compiled. */
function hasSibling(absolute: string, when: string): boolean {
  const stem = basename(absolute, extname(absolute));
  return existsSync(
    join(
      dirname(absolute),
      when.replace("$(basename)", () => stem),
    ),
  );
}

/** A glob of the editor as the source of a regular expression over a path with `/`. */
export function globSource(glob: string): string {
  let source = "";
  let depth = 0;
  for (const [piece] of glob.matchAll(/\*\*\/|\/\*\*$|\*+|\?|\[[!^]?[^\]]+\]|[^]/gsu)) {
    if (piece === "{") depth += 1;
    if (piece === "{" || (piece === "}" && depth > 0) || (piece === "," && depth > 0)) {
      source += { "{": "(?:", "}": ")", ",": "|" }[piece];
      if (piece === "}") depth -= 1;
    } else source += pieceSource(piece);
  }
  return source + ")".repeat(depth);
}

function pieceSource(piece: string): string {
  if (piece === "**/") return "(?:.*/)?";
  if (piece === "/**") return "/.*";
  if (piece === "*") return "[^/]*";
  if (piece === "?") return "[^/]";
  if (piece.startsWith("*")) return ".*";
  if (piece.length > 1 && piece.startsWith("[")) {
    const isNegated = /^\[[!^]/.test(piece);
    const members = piece.slice(isNegated ? 2 : 1, -1).replace(/[\\[\]^]/g, "\\$&");
    return /^(?:.-.|[^-])+$/s.test(members) ? `[${isNegated ? "^" : ""}${members}]` : "[^/]";
  }
  return piece.replace(/[\\^$.+()[\]{}|/]/g, "\\$&");
}

/** Only what certainly hides no more than the test does. */
function globsOf(settings: ExcludeSettings): readonly string[] {
  const always = Object.entries(settings).filter(([, value]) => value === true);
  return always
    .map(([glob]) => glob)
    .filter((glob) => /^[\w.*/@-]+$/.test(glob) && !glob.endsWith("/"))
    .map((glob) => (glob.startsWith("**/") ? glob : `/${glob}`));
}
