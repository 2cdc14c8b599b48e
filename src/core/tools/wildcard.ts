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

/** Names that are `**` stand for any number of names, signs in a name that are `*` for any number of signs. */
function fits(pattern: string, path: string): boolean {
  const names = pattern.replace(/(^|\/)\*\*$/, "$1**/*").split("/");
  return fitsInTurn(names, path.split("/"), "**", (name, its) =>
    fitsInTurn([...name], [...its], "*", (sign, other) => sign === "?" || sign === other),
  );
}

/** Goes back to the last wildcard only, which is enough and keeps no name busy for ever. */
function fitsInTurn(
  pattern: readonly string[],
  parts: readonly string[],
  wildcard: string,
  isFit: (one: string, part: string) => boolean,
): boolean {
  let [p, t, last, from] = [0, 0, -1, 0];
  while (p < pattern.length || t < parts.length) {
    const [one, part] = [pattern[p], parts[t]];
    if (one === wildcard) {
      p += 1;
      [last, from] = [p, t];
    } else if (one !== undefined && part !== undefined && isFit(one, part)) {
      p += 1;
      t += 1;
    } else if (last < 0 || from >= parts.length) return false;
    else {
      from += 1;
      [p, t] = [last, from];
    }
  }
  return true;
}
