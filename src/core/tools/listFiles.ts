import type { Listing } from "../ports";
import { formatCount, keepLines, quantity } from "../window/truncate";
import { cleanPath, PATH_ALIASES, readArguments, toSchema } from "./arguments";
import type { ArgumentsOf } from "./arguments";
import { failed, noFolder } from "./outcomes";
import { plainName } from "./plainName";
import { notFound, reach, type ReachPorts } from "./reach";
import type { Tool, ToolRun } from "./tool";
import { splitWildcard, wildcardTest } from "./wildcard";

const FIELDS = {
  path: {
    type: "string",
    description: "Folder, or pattern like src/*.ts",
    isRequired: false,
    aliases: [...PATH_ALIASES, "directory", "dir", "folder", "pattern", "glob"],
  },
} as const;

type ListArguments = ArgumentsOf<typeof FIELDS>;

/** More entries than any window holds, so that a pattern is applied to everything. */
const MOST_ENTRIES = 100_000;

/** The entries that are asked for: without a pattern no more than can be shown, since each takes a line. */
function mostEntries(pattern: string | undefined, maxCharacters: number): number {
  return pattern === undefined ? Math.min(MOST_ENTRIES, Math.ceil(maxCharacters / 2)) : MOST_ENTRIES;
}

/** What is listed: a folder (the whole workspace when undefined) and what of it is wanted. */
interface Target {
  readonly shown: string;
  readonly absolute: string | undefined;
  readonly pattern: string | undefined;
}

/** `list_files`: everything below a folder, upper levels first, or what fits a pattern with wildcards. */
export function createListFilesTool(ports: ReachPorts): Tool<ListArguments> {
  const { workspace } = ports;
  return {
    schema: toSchema("list_files", "List files, all levels", FIELDS),
    parse: (input) => readArguments("list_files", FIELDS, input),
    async run(input, context, signal) {
      const wanted = splitWildcard(cleanPath(input.path ?? ""));
      const folder = wanted?.folder ?? cleanPath(input.path ?? "");
      const pattern = wanted?.pattern;
      const most = mostEntries(pattern, context.maxCharacters);
      if (isWholeWorkspace(folder)) {
        const root = await workspace.resolve(".");
        if (root.place === "no_folder") return noFolder();
        const listing = await workspace.list(undefined, most, signal);
        return showListing({ shown: ".", absolute: undefined, pattern }, listing, context.maxCharacters);
      }
      const reached = await reach(ports, { path: folder, access: "read" }, context, signal);
      if ("end" in reached) return reached.end;
      const { path } = reached;
      if (path.kind === "missing") return notFound(workspace, path);
      if (path.kind !== "folder")
        return failed(`${plainName(path.shown)} is a file. read_file shows it.`, "is a file");
      const listing = await workspace.list(path.absolute, most, signal);
      const target = { shown: path.shown, absolute: path.absolute, pattern };
      return showListing(target, listing, context.maxCharacters);
    },
  };
}

/** Models write the root of the workspace in many ways; `/` never means the whole disk to them. */
function isWholeWorkspace(folder: string): boolean {
  return ["", ".", "./", "/"].includes(folder);
}

function showListing(target: Target, listing: Listing, maxCharacters: number): ToolRun {
  const { entries: found, total } = select(target, listing);
  const entries = found.map(plainName);
  const amount = `${listing.isTotalMinimum ? "at least " : ""}${quantity(total, "entry", "entries")}`;
  const where =
    target.pattern === undefined
      ? plainName(target.shown)
      : `${target.pattern} in ${plainName(target.shown)}`;
  const ignored = listing.ignoredFiles
    ? `\n[${quantity(listing.ignoredFiles, "ignored file")} not listed]`
    : "";
  if (total === 0) {
    const nothing = target.pattern === undefined ? `${where} is empty.` : `Nothing matches ${where}.`;
    return { outcome: "ok", content: `${nothing}${ignored}`, summary: amount };
  }
  const header = `${where}: ${amount}\n`;
  const notice = (count: number) => cutNotice(target, Math.min(count, entries.length), total);
  const { text, shown } = keepLines(
    entries.length < total ? [...entries, notice(entries.length)] : entries,
    maxCharacters - header.length - ignored.length,
    notice,
  );
  const cut = shown < total ? `, ${formatCount(shown)} shown` : "";
  return { outcome: "ok", content: `${header}${text}${ignored}`, summary: `${amount}${cut}` };
}

function select(target: Target, listing: Listing): { entries: readonly string[]; total: number } {
  if (target.pattern === undefined) return listing;
  const prefix = target.absolute === undefined || target.shown === "." ? "" : `${target.shown}/`;
  const isWanted = wildcardTest(target.pattern);
  const entries = listing.entries.filter((entry) =>
    isWanted(entry.replace(/ (->.*|\(ignored\))$/s, "").slice(entry.startsWith(prefix) ? prefix.length : 0)),
  );
  return { entries, total: entries.length };
}

function cutNotice(target: Target, shown: number, total: number): string {
  const below = target.shown === "." ? "src" : `${target.shown}/sub`;
  return `[${formatCount(total - shown)} of ${formatCount(total)} entries left out; narrow it with path, e.g. path="${below}" or a pattern such as path="*.md"]`;
}
