import { h } from "./dom";

/**
 * Characters that do not show or that change how others show: controls, bidirectional controls, zero-width and other invisible
 * characters, tags, line and paragraph separators, and the Braille pattern without a dot. Those that only choose between two forms
 * of a picture stay behind a picture.
 */
const HIDDEN = String.raw`(?!(?<=\p{Extended_Pictographic})[\uFE0E\uFE0F])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]`;
/** Blanks that look like the usual one; to a shell or a disk they are letters. */
const BLANKS = String.raw`(?! )\p{Zs}`;

const IN_TEXTS = new RegExp(String.raw`(?![\t\n])${HIDDEN}`, "gu");
const IN_COMMANDS = new RegExp(String.raw`(?![\t\n])${HIDDEN}|${BLANKS}`, "gu");
const IN_NAMES = new RegExp(`${HIDDEN}|${BLANKS}`, "gu");

const ESCAPE = String.fromCharCode(27);
/** Sequences by which programs colour their output. */
const COLOURS = new RegExp(`${ESCAPE}\\[[\\d;:]*m`, "g");

/** Text as nodes in which every character that could hide or disguise something is spelled out, e.g. `U+202E`. */
export function visibleText(text: string): DocumentFragment {
  return spelledNodes(text, IN_TEXTS);
}

/** The same for what runs as it stands, in which also a blank must be the usual one to look like it. */
export function visibleCommand(text: string): DocumentFragment {
  return spelledNodes(text, IN_COMMANDS);
}

/** Names, and sentences that hold some, on one line: the same as plain text, with line ends and tabs spelled out as well. */
export function spelledText(text: string): string {
  return text.replace(IN_NAMES, spelled);
}

function spelledNodes(text: string, hidden: RegExp): DocumentFragment {
  const fragment = document.createDocumentFragment();
  let end = 0;
  for (const match of text.matchAll(hidden)) {
    fragment.append(text.slice(end, match.index), h("span", { class: "escape" }, spelled(match[0])));
    end = match.index + match[0].length;
  }
  fragment.append(text.slice(end));
  return fragment;
}

/** What a program printed, without its colours and with Windows line ends as plain ones. */
export function withoutColours(text: string): string {
  return text.replace(COLOURS, "").replaceAll("\r\n", "\n");
}

function spelled(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}
