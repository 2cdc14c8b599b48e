import { readFile } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import ignore from "ignore";
import type { Ignore } from "ignore";
import { isInside } from "../files/realPath";

/** The `.gitignore` files that hold for a folder, its own first. */
export type IgnoreRules = readonly RuleFile[];

interface RuleFile {
  readonly folder: string;
  readonly rules: Ignore;
  /** Fits every name that a rule can be about. */
  readonly names: RegExp;
}

/** Whether capitals matter, as git has it by default. */
const IGNORES_CASE = process.platform !== "linux";

/** Adds the rules that a folder brings for itself and everything below it. */
export async function withRulesOf(folder: string, outer: IgnoreRules): Promise<IgnoreRules> {
  try {
    const text = await readFile(join(folder, ".gitignore"), "utf8");
    const rules = ignore({ allowRelativePaths: true, ignorecase: IGNORES_CASE }).add(text);
    return [{ folder, rules, names: namesIn(text) }, ...outer];
  } catch {
    // Most folders have none, and one that cannot be read ignores nothing.
    return outer;
  }
}

/** The rules that hold in `folder`; none when it is ignored itself, since whoever names it wants to see what is in it. */
export async function rulesFor(folder: string, root: string): Promise<IgnoreRules> {
  let rules: IgnoreRules = [];
  let current = root;
  const below = isInside(root, folder) ? relative(root, folder).split(sep) : [];
  for (const name of below.filter((part) => part !== "")) {
    rules = await withRulesOf(current, rules);
    current = join(current, name);
    if (ignoredIn(rules, dirname(current))(name, true)) return [];
  }
  return rules;
}

/** Tells for the names in a folder which are ignored, by the innermost file that says anything about them. */
export function ignoredIn(rules: IgnoreRules, folder: string): (name: string, isFolder: boolean) => boolean {
  const files = rules.map(({ folder: base, rules: own, names }) => ({
    own,
    names,
    prefix: prefixOf(base, folder),
  }));
  return (name, isFolder) => {
    if (isFolder && name === ".git") return true;
    for (const { own, names, prefix } of files) {
      // A folder that is ignored is not entered, so a rule can only be about the name itself.
      if (!names.test(name)) continue;
      const { ignored, unignored } = own.test(isFolder ? `${prefix}${name}/` : prefix + name);
      if (ignored || unignored) return ignored;
    }
    return false;
  };
}

function prefixOf(base: string, folder: string): string {
  const path = relative(base, folder).split(sep).join("/");
  return path === "" ? "" : `${path}/`;
}

/** The last parts of all patterns as one test, which is much quicker than the rules and lets too much through at most. */
function namesIn(text: string): RegExp {
  const parts = text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => line.replace(/^!/, "").replace(/\/+$/, "").split("/").at(-1) ?? "");
  const isAny = parts.some((part) => part === "" || part === "**" || /\\|\[(?![^\]]+\])/.test(part));
  if (isAny) return /^/;
  return new RegExp(`^(?:${parts.map(looseGlob).join("|") || "(?!)"})$`, IGNORES_CASE ? "is" : "s");
}

function looseGlob(part: string): string {
  return part
    .split(/(\*+|\?|\[[^\]]+\])/)
    .map((piece, index) => {
      if (index % 2 === 0) return piece.replace(/[\^$.+()[\]{}|/]/g, "\\$&");
      return piece.startsWith("*") ? ".*" : ".";
    })
    .join("");
}
