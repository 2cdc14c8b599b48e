/** A path with `*`, `?` or `{a,b}` in it, taken apart: the folder before the first wildcard, and the pattern below it. */
export interface WildcardPath {
  readonly folder: string;
  readonly pattern: string;
}

/** Takes a path with wildcards apart; undefined when it has none. */
export function splitWildcard(path: string): WildcardPath | undefined {
  const parts = path.split("/");
  const first = parts.findIndex((part) => /[*?]|\{.*,/.test(part));
  if (first < 0) return undefined;
  const folder = parts.slice(0, first).join("/");
  return {
    folder: folder === "" && path.startsWith("/") && first > 0 ? "/" : folder,
    pattern: parts.slice(first).join("/"),
  };
}

/**
 * Tests paths below a folder against a pattern: `*` and `?` stay within a name, `**` crosses folders, `{a,b}` is either; a pattern
 * without `/` is compared with the name at any depth.
 */
export function wildcardTest(pattern: string): (path: string) => boolean {
  const patterns = expand(pattern.includes("/") ? pattern : `**/${pattern}`);
  return (path) => patterns.some((each) => fits(each, each.endsWith("/") ? path : path.replace(/\/$/, "")));
}

/** More forms of one pattern than this are not told apart. */
const MOST_FORMS = 64;

function expand(pattern: string): readonly string[] {
  let forms: readonly string[] = [pattern];
  while (forms.length < MOST_FORMS && forms.some((form) => BRACES.test(form)))
    forms = forms.flatMap(alternatives);
  return forms;
}

/** The innermost braces with a comma in them. */
const BRACES = /^(.*)\{([^{}]*,[^{}]*)\}(.*)$/s;

function alternatives(form: string): readonly string[] {
  const [, before = "", inner = "", after = ""] = BRACES.exec(form) ?? [];
  return inner === "" ? [form] : inner.split(",").map((part) => before + part + after);
}

/** Where a wildcard may take in more. */
interface Retry {
  /** Behind the wildcard in the pattern. */
  readonly p: number;
  readonly t: number;
  readonly isFolders?: boolean;
}

/** Goes back to the last wildcard of each kind only, so that no name can keep a pattern busy for ever. */
function fits(pattern: string, path: string): boolean {
  let star: Retry | undefined;
  let across: Retry | undefined;
  for (let [p, t] = [0, 0]; p < pattern.length || t < path.length;) {
    const wildcard = pattern[p] === "*" ? (/^\*+/.exec(pattern.slice(p))?.[0].length ?? 0) : 0;
    if (wildcard > 0) {
      const isFirst = p === 0 || pattern[p - 1] === "/";
      p += wildcard;
      const isFolders = isFirst && wildcard === 2 && pattern[p] === "/";
      if (isFolders) p += 1;
      if (wildcard > 1) across = { p, t, isFolders };
      star = wildcard > 1 ? undefined : { p, t };
    } else if (t < path.length && (pattern[p] === path[t] || (pattern[p] === "?" && path[t] !== "/"))) {
      p += 1;
      t += 1;
    } else if (star && star.t < path.length && path[star.t] !== "/") {
      star = { p: star.p, t: star.t + 1 };
      ({ p, t } = star);
    } else {
      const next = across?.isFolders === true ? path.indexOf("/", across.t) + 1 : (across?.t ?? Infinity) + 1;
      if (!across || next === 0 || next > path.length) return false;
      across = { ...across, t: next };
      ({ p, t } = across);
      star = undefined;
    }
  }
  return true;
}
