/** A path with `*` or `?` in it, taken apart: the folder before the first wildcard, and the pattern below it. */
export interface WildcardPath {
  readonly folder: string;
  readonly pattern: string;
}

/** Takes a path with wildcards apart; undefined when it has none. */
export function splitWildcard(path: string): WildcardPath | undefined {
  const parts = path.split("/");
  const first = parts.findIndex((part) => /[*?]/.test(part));
  if (first < 0) return undefined;
  const folder = parts.slice(0, first).join("/");
  return {
    folder: folder === "" && path.startsWith("/") && first > 0 ? "/" : folder,
    pattern: parts.slice(first).join("/"),
  };
}

/**
 * Tests paths below a folder against a pattern: `*` and `?` stay within a name, `**` crosses folders; a pattern without `/`
 * is compared with the name at any depth.
 */
export function wildcardTest(pattern: string): (path: string) => boolean {
  const source = pattern
    .split(/(\*\*\/|\*+|\?)/)
    .map((part) => {
      if (part === "**/") return "(?:.*/)?";
      if (part === "*") return "[^/]*";
      if (part === "?") return "[^/]";
      return /^\*+$/.test(part) ? ".*" : part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
    })
    .join("");
  const test = new RegExp(pattern.includes("/") ? `^${source}/?$` : `(?:^|/)${source}/?$`, "s");
  return (path) => test.test(path);
}
