import type { PageCommand } from "../../src/shared/protocol";
import type { SteeringAction } from "../../src/shared/steeringActions";
import { strings } from "../strings";

/** What a text in the composer is, when it is not a message. */
export type SlashInput =
  | { readonly type: "command"; readonly command: PageCommand; readonly argument: string }
  | { readonly type: "steer"; readonly action: SteeringAction }
  /** Takes back the pin with this number in the list, from 1. */
  | { readonly type: "unpin"; readonly number: number }
  | { readonly type: "help" | "pins" }
  | { readonly type: "mistake"; readonly message: string };

const COMMANDS: Readonly<Record<string, PageCommand>> = {
  "/clear": "newSession",
  "/context": "showContext",
  "/request": "showRequest",
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
  const worded = withWords(name, argument);
  if (worded !== undefined) return worded;
  const plain = withoutWords(name);
  if (plain === undefined) return { type: "mistake", message: strings.composer.unknownCommand(name) };
  return argument === "" ? plain : { type: "mistake", message: strings.composer.takesNothing(name) };
}

/** The commands that take words after them. */
function withWords(name: string, argument: string): SlashInput | undefined {
  switch (name) {
    case "/compact":
      return { type: "steer", action: { do: "compact", focus: argument } };
    case "/pin":
      return argument === ""
        ? { type: "mistake", message: strings.steering.pinWhat }
        : { type: "steer", action: { do: "pin", text: argument } };
    case "/unpin":
      return /^\d+$/.test(argument)
        ? { type: "unpin", number: Number(argument) }
        : { type: "mistake", message: strings.steering.unpinWhich };
    default:
      return undefined;
  }
}

function withoutWords(name: string): SlashInput | undefined {
  switch (name) {
    case "/undo":
      return { type: "steer", action: { do: "undo", compactionId: "" } };
    case "/pins":
      return { type: "pins" };
    case "/help":
    case "/":
    case "/?":
      return { type: "help" };
    default: {
      const command = COMMANDS[name];
      return command && { type: "command", command, argument: "" };
    }
  }
}

/** The commands that a text which begins with a slash could become, with what they do. */
export function slashHints(text: string): readonly (readonly [string, string])[] {
  return /^\/[a-z]*$/i.test(text)
    ? strings.help.commands.filter(([name]) => name.startsWith(text.toLowerCase()))
    : [];
}
