/** A call that the person's message asks for. */
export interface Wish {
  readonly tool: "read_file" | "list_files" | "search_text" | "edit_file" | "bash";
  readonly arguments: Readonly<Record<string, string>>;
}

/** The calls that a message asks for, in the order in which they are to be made. */
export function wishesOf(text: string): readonly Wish[] {
  const edits = [...text.matchAll(REPLACE), ...text.matchAll(CREATE)];
  const runs = [...text.matchAll(RUN)];
  const searches = [...text.matchAll(SEARCH)];
  // What stands in quotes for one of these is no file to read.
  const rest = [...edits, ...runs, ...searches].reduce((left, match) => left.replace(match[0], " "), text);
  const editWishes = edits.map((match) => editWish(match.groups ?? {}));
  const changed = editWishes.filter((wish) => wish.arguments["old_text"] !== "").map(pathOf);
  const paths = new Set([...filesNamed(rest), ...changed]);
  return [
    ...[...rest.matchAll(LIST)].map((match) => listWish(match.groups?.["path"])),
    ...searches.map((match) => ({
      tool: "search_text" as const,
      arguments: { pattern: quoted(match.groups ?? {}) },
    })),
    ...[...paths].map((path) => ({ tool: "read_file" as const, arguments: { path } })),
    ...editWishes,
    ...runs.map((match) => ({ tool: "bash" as const, arguments: { command: quoted(match.groups ?? {}) } })),
  ];
}

/** The words of a text that look like paths of files. */
export function filesNamed(text: string): readonly string[] {
  const withoutAddresses = text.replace(/\b\w+:\/\/\S+/g, " ");
  return [...new Set([...withoutAddresses.matchAll(FILE)].map((match) => match[1] ?? ""))].filter(Boolean);
}

const EXTENSIONS =
  "tsx?|jsx?|mjs|cjs|json|md|txt|py|go|rs|java|kt|c|h|cc|cpp|hpp|cs|rb|php|swift|css|scss|html|vue|svelte|ya?ml|toml|ini|cfg|conf|sh|csv|log|xml|sql|env|lock";
const PATH = `(?:\\.{0,2}/)?(?:[\\w.@-]+/)*[\\w.@-]*\\w\\.(?:${EXTENSIONS})`;
const FILE = new RegExp(
  `(?<![\\w/.-])(${PATH}|(?:[\\w.@-]+/)*(?:Makefile|Dockerfile|LICENSE|README))(?![\\w/-])(?!\\.\\w)`,
  "g",
);

/** A text in one of the usual quotation marks, as a named group for each. */
function quotedPattern(name: string): string {
  return `(?:"(?<${name}1>[^"]*)"|\`(?<${name}2>[^\`]*)\`|“(?<${name}3>[^”]*)”|'(?<${name}4>[^']*)')`;
}

const REPLACE = new RegExp(
  `\\b(?:replace|change)\\s+${quotedPattern("old")}\\s+(?:with|by|to|into)\\s+${quotedPattern("new")}\\s+in\\s+(?:the\\s+)?(?:file\\s+)?[\`"']?(?<path>${PATH})`,
  "gi",
);
const CREATE = new RegExp(
  `\\b(?:create|write|add)\\s+(?:the\\s+|a\\s+)?(?:new\\s+)?(?:file\\s+)?[\`"']?(?<path>${PATH})[\`"']?\\s+(?:with|containing|that says|saying)\\s*(?:the\\s+(?:text|content)s?)?:?\\s*${quotedPattern("new")}`,
  "gi",
);
const RUN = new RegExp(`\\b(?:run|execute)\\s+(?:the\\s+command\\s+)?${quotedPattern("text")}`, "gi");
const SEARCH = new RegExp(
  `\\b(?:search|grep|look|find)\\s+(?:for\\s+|all\\s+|every\\s+)?${quotedPattern("text")}`,
  "gi",
);
const LIST =
  /\b(?:list\s+(?:all\s+|the\s+|my\s+)*(?:files|folder)|(?:what|which)\s+files)\b(?:\s+(?:are\s+)?in\s+`?(?<path>[\w.-]+(?:\/[\w.-]+)*\/?))?/gi;

type Groups = Readonly<Record<string, string | undefined>>;

function quoted(groups: Groups, name = "text"): string {
  return groups[`${name}1`] ?? groups[`${name}2`] ?? groups[`${name}3`] ?? groups[`${name}4`] ?? "";
}

function editWish(groups: Groups): Wish {
  const old_text = quoted(groups, "old");
  return {
    tool: "edit_file",
    arguments: { path: groups["path"] ?? "", old_text, new_text: quoted(groups, "new") },
  };
}

function listWish(path: string | undefined): Wish {
  const isFolder = path !== undefined && !["the", "this", "my", "here"].includes(path);
  return { tool: "list_files", arguments: isFolder ? { path: path.replace(/\.$/, "") || "." } : {} };
}

function pathOf(wish: Wish): string {
  return wish.arguments["path"] ?? "";
}
