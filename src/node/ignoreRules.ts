import { readFile } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import ignore from "ignore";
import type { Ignore } from "ignore";
import { isInside } from "./realPath";

/** The `.gitignore` files that hold for a folder, its own first. */
export type IgnoreRules = readonly RuleFile[];

interface RuleFile {
  readonly folder: string;
  readonly rules: Ignore;
}

/** Adds the rules that a folder brings for itself and everything below it. */
export async function withRulesOf(folder: string, outer: IgnoreRules): Promise<IgnoreRules> {
  try {
    const rules = ignore({ allowRelativePaths: true }).add(
      await readFile(join(folder, ".gitignore"), "utf8"),
    );
    return [{ folder, rules }, ...outer];
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
    if (isIgnored(rules, current, true)) return [];
  }
  return rules;
}

/** Whether a path is ignored, by the innermost file that says anything about it. */
export function isIgnored(rules: IgnoreRules, absolute: string, isFolder: boolean): boolean {
  if (isFolder && absolute.endsWith(`${sep}.git`)) return true;
  for (const file of rules) {
    const path = relative(file.folder, absolute).split(sep).join("/");
    const { ignored, unignored } = file.rules.test(isFolder ? `${path}/` : path);
    if (ignored || unignored) return ignored;
  }
  return false;
}
