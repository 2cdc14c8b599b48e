import type { SearchMatch, SearchQuery, SearchResult, Workspace } from "../ports";
import { keepLines, quantity } from "../window/truncate";
import { cleanPath, PATH_ALIASES, readArguments, toSchema } from "./arguments";
import type { ArgumentsOf } from "./arguments";
import { failed, noFolder } from "./outcomes";
import { plainName } from "./plainName";
import { notFound, reach, type ReachedPath, type ReachPorts } from "./reach";
import type { Tool, ToolContext, ToolRun } from "./tool";

const FIELDS = {
  pattern: {
    type: "string",
    isRequired: true,
    aliases: ["query", "text", "search", "regex", "search_text", "search_term", "string"],
    example: "createServer",
  },
  path: {
    type: "string",
    isRequired: false,
    aliases: [...PATH_ALIASES, "directory", "dir", "folder"],
  },
  is_regex: {
    type: "boolean",
    isRequired: false,
    aliases: ["is_regexp", "regexp", "use_regex", "is_regular_expression"],
  },
} as const;

type SearchArguments = ArgumentsOf<typeof FIELDS>;

/** More matches than a model can use. */
const MOST_MATCHES = 500;

/** Signs that a pattern was meant as a regular expression although is_regex was not set. */
const LOOKS_LIKE_REGEX = /\\[bdswBDSW.()[\]{}|*+?^$]|\.[*+]|\||^\^|\$$|\[.+\]|\(\?/;

/** `search_text`: lines that hold a text or match a regular expression, grouped by file. */
export function createSearchTextTool(ports: ReachPorts): Tool<SearchArguments> {
  const { workspace, isSecret } = ports;
  return {
    schema: toSchema("search_text", "Find lines with a text in files", FIELDS),
    parse(input) {
      const parsed = readArguments("search_text", FIELDS, input);
      if ("error" in parsed || parsed.pattern !== "") return parsed;
      return { error: 'search_text needs a pattern that is not empty, e.g. {"pattern":"createServer"}.' };
    },
    async run(input, context, signal) {
      const under = await searchRoot(ports, input.path, context, signal);
      if ("outcome" in under) return under;
      const query: SearchQuery = {
        pattern: input.pattern,
        isRegExp: input.is_regex ?? false,
        ...(under.absolute === undefined ? {} : { under: under.absolute }),
        maxMatches: MOST_MATCHES,
        ...(isSecret && { leavesOut: isSecret }),
      };
      const result = await searchBothWays(workspace, query, signal);
      if ("error" in result) return failed(result.error, "search failed");
      const found = { ...result, leavesOut: isSecret !== undefined && under.kind !== "file" };
      return showMatches(`"${input.pattern}" in ${plainName(under.shown)}`, found, context.maxCharacters);
    },
  };
}

async function searchRoot(
  ports: ReachPorts,
  path: string | undefined,
  context: ToolContext,
  signal: AbortSignal,
): Promise<ToolRun | (Pick<ReachedPath, "shown" | "kind"> & { readonly absolute: string | undefined })> {
  const { workspace } = ports;
  const wanted = cleanPath(path ?? "");
  if (["", ".", "./", "/"].includes(wanted)) {
    const root = await workspace.resolve(".");
    return root.place === "no_folder"
      ? noFolder()
      : { shown: "the workspace", absolute: undefined, kind: "folder" };
  }
  const reached = await reach(ports, { path: wanted, access: "read" }, context, signal);
  if ("end" in reached) return reached.end;
  if (reached.path.kind === "missing") return notFound(workspace, reached.path);
  return reached.path;
}

type Found = SearchResult & { readonly remark?: string; readonly leavesOut?: boolean };

/** A text without a hit that looks like a regular expression is tried as one: models forget is_regex. */
async function searchBothWays(
  workspace: Workspace,
  query: SearchQuery,
  signal: AbortSignal,
): Promise<Found | { readonly error: string }> {
  const result = await workspace.search(query, signal);
  if ("error" in result || result.matches.length > 0 || query.isRegExp) return result;
  if (!LOOKS_LIKE_REGEX.test(query.pattern)) return result;
  const second = await workspace.search({ ...query, isRegExp: true }, signal);
  if ("error" in second || second.matches.length === 0) return result;
  return { ...second, remark: " (read as a regular expression)" };
}

/** The same sentence whether there are such files or not, so that it gives away nothing of what is in them. */
const SECRETS_LEFT_OUT =
  "\n[Files that look secret, such as .env, are not searched; name one as path to ask for it]";

function showMatches(what: string, result: Found, maxCharacters: number): ToolRun {
  const skipped = result.skippedFiles
    ? `\n[${quantity(result.skippedFiles, "large file")} not searched]`
    : "";
  const total = result.matches.length;
  const secret = result.leavesOut ? SECRETS_LEFT_OUT : "";
  if (total === 0)
    return { outcome: "ok", content: `No matches for ${what}.${skipped}${secret}`, summary: "no matches" };
  const files = new Set(result.matches.map((match) => match.path)).size;
  const amount = `${quantity(total, "match", "matches")}${result.isCut ? " or more" : ""}`;
  const header = `${amount} for ${what}${result.remark ?? ""}, ${quantity(files, "file")}:\n`;
  const lines = grouped(result.matches);
  const room = maxCharacters - header.length - skipped.length;
  const notice = (shown: number) => {
    const left = total - lines.slice(0, shown).filter((line) => !line.isHeading).length;
    const amountLeft =
      left === 0 ? "More matches" : `${quantity(left, "match", "matches")}${result.isCut ? " or more" : ""}`;
    return `[${amountLeft} left out; narrow it with path or a longer pattern]`;
  };
  const texts = lines.map((line) => line.text);
  const { text } = keepLines(result.isCut ? [...texts, notice(texts.length)] : texts, room, notice);
  return { outcome: "ok", content: `${header}${text}${skipped}`, summary: amount };
}

interface ResultLine {
  readonly text: string;
  readonly isHeading: boolean;
}

function grouped(matches: readonly SearchMatch[]): readonly ResultLine[] {
  const lines: ResultLine[] = [];
  let path: string | undefined;
  for (const match of matches) {
    if (match.path !== path) lines.push({ text: plainName(match.path), isHeading: true });
    path = match.path;
    lines.push({ text: `  ${match.line}: ${match.text}`, isHeading: false });
  }
  return lines;
}
