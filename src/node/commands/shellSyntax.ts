import {
  forEachChild,
  parse,
  type Command,
  type ParsedScript,
  type SyntaxNode,
  type Word,
  type WordPart,
} from "unbash";
import type { CommandSyntax } from "../../core/approvals/commandSyntax";

/** Longer command lines are not taken apart, in characters. */
const MOST_CHARACTERS = 100_000;

/** Takes a command line for a POSIX shell apart; undefined for one that the parser cannot read whole. */
export function readShellCommand(text: string): CommandSyntax | undefined {
  if (text.length > MOST_CHARACTERS) return undefined;
  const found: Found = { commands: [], words: [], isWhole: true };
  try {
    const script = parse(text);
    visit(script, found);
    if (!found.isWhole) return undefined;
    const plain = plainWords(script, text);
    return { commands: found.commands, words: found.words, ...(plain === undefined ? {} : { plain }) };
  } catch {
    return undefined;
  }
}

interface Found {
  readonly commands: (readonly (string | null)[])[];
  readonly words: string[];
  isWhole: boolean;
}

function visit(node: SyntaxNode, found: Found): void {
  if (node.type === "Script" && hasErrors(node)) found.isWhole = false;
  if (node.type === "Command") {
    const words = wordsOf(node);
    // A line of assignments alone runs no program by itself.
    if (words.length > 0) found.commands.push(words);
  }
  if (node.type === "Word") found.words.push(node.value);
  if (node.type === "HereDocBody") found.words.push(node.text);
  forEachChild(node, (child) => visit(child, found));
}

function hasErrors(script: ParsedScript): boolean {
  return (script.errors?.length ?? 0) > 0;
}

function wordsOf({ name, args }: Command): readonly (string | null)[] {
  if (name === undefined) return [];
  return [name, ...args].map((word) => (word.type === "Word" ? literal(word) : word.text));
}

/** The text of a word that is the same whatever the shell knows; null for any other. */
function literal(word: Word): string | null {
  const isFixed = (word.parts ?? []).every(isFixedPart);
  return isFixed && !word.text.startsWith("~") ? word.value : null;
}

function isFixedPart(part: WordPart): boolean {
  if (part.type === "DoubleQuoted") return part.parts.every(({ type }) => type === "Literal");
  return part.type === "Literal" || part.type === "SingleQuoted";
}

/** What stands between quotes, which the shell takes as it is. */
const QUOTED = /'[^']*'|"[^"\\$`]*"/g;
/** Outside of quotes, each of these makes a shell do something beside running one program; so may what no eye can see. */
const SIGNS = /[;&|<>()$`\\!{}*?[\]~#"'^]/;
const UNSEEN = /[^\P{C}\t]|(?! )\p{Z}/u;

/**
 * The words of the only command, when nothing else is in the line. The text itself is looked through too, so that a mistake of the
 * parser cannot let something ride along.
 */
function plainWords(script: ParsedScript, text: string): readonly string[] | undefined {
  const [statement, ...others] = script.commands;
  if (UNSEEN.test(text) || SIGNS.test(text.replace(QUOTED, ""))) return undefined;
  if (statement === undefined || others.length > 0 || statement.background === true) return undefined;
  const { command } = statement;
  if (command.type !== "Command" || command.prefix.length > 0 || command.redirects.length > 0)
    return undefined;
  const words = wordsOf(command);
  if (words.length === 0 || words.some((word) => word === null)) return undefined;
  // `A=1` in place of a program sets a variable; later ones are words like any other.
  if (/^[^/]*=/.test(words[0] ?? "")) return undefined;
  return words.filter((word) => word !== null);
}
