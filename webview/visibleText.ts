import { h } from "./dom";

/**
 * Characters that do not show or that change how others show: controls except tab and line feed, bidirectional controls,
 * zero-width and other invisible characters, tags, line and paragraph separators. Variation selectors of emoji stay.
 */
const INVISIBLE =
  /(?![\t\n])(?!\u{FE0E}|\u{FE0F})[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

const ESCAPE = String.fromCharCode(27);
/** Sequences by which programs colour their output. */
const COLOURS = new RegExp(`${ESCAPE}\\[[\\d;:]*m`, "g");

/** Text as nodes in which every character that could hide or disguise something is spelled out, e.g. `U+202E`. */
export function visibleText(text: string): DocumentFragment {
  const fragment = document.createDocumentFragment();
  let end = 0;
  for (const match of text.matchAll(INVISIBLE)) {
    fragment.append(text.slice(end, match.index), h("span", { class: "escape" }, spelled(match[0])));
    end = match.index + match[0].length;
  }
  fragment.append(text.slice(end));
  return fragment;
}

/** The same as plain text, for names and announcements. */
export function spelledText(text: string): string {
  return text.replace(INVISIBLE, spelled);
}

/** What a program printed, without its colours and with Windows line ends as plain ones. */
export function withoutColours(text: string): string {
  return text.replace(COLOURS, "").replaceAll("\r\n", "\n");
}

function spelled(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}
