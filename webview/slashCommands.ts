import type { PageCommand } from "../src/shared/protocol";
import { strings } from "./strings";

/** What a text in the composer is, when it is not a message. */
export type SlashInput =
  | { readonly type: "command"; readonly command: PageCommand; readonly argument: string }
  | { readonly type: "help" }
  | { readonly type: "mistake"; readonly message: string };

const COMMANDS: Readonly<Record<string, PageCommand>> = {
  "/clear": "newSession",
  "/context": "showContext",
  "/summary": "showSummary",
  "/sessions": "showSessions",
};

/**
 * Reads a text as a slash command; undefined when it is a message. Only a slash at the very start followed by one word of letters
 * is a command, known or not: `/etc/hosts`, `// why?` and anything after a space are messages.
 */
export function parseSlash(text: string): SlashInput | undefined {
  const match = /^(\/(?:[a-z]+|\??))(?:\s+(.*))?$/is.exec(text.trimEnd());
  const name = match?.[1]?.toLowerCase();
  if (name === undefined) return undefined;
  const argument = match?.[2]?.trim() ?? "";
  if (name === "/compact") return { type: "command", command: "compactNow", argument };
  const command = COMMANDS[name];
  const isHelp = ["/help", "/", "/?"].includes(name);
  if (command === undefined && !isHelp) {
    return { type: "mistake", message: strings.composer.unknownCommand(name) };
  }
  if (argument !== "") return { type: "mistake", message: strings.composer.takesNothing(name) };
  return command === undefined ? { type: "help" } : { type: "command", command, argument };
}

/** The commands that a text which begins with a slash could become, with what they do. */
export function slashHints(text: string): readonly (readonly [string, string])[] {
  return /^\/[a-z]*$/i.test(text)
    ? strings.help.commands.filter(([name]) => name.startsWith(text.toLowerCase()))
    : [];
}
