import DOMPurify from "dompurify";
import MarkdownIt from "markdown-it";
import { codeBlock } from "./codeBlock";
import { highlight } from "./highlight";
import { setImage, setLink } from "./links";

const TAGS =
  "a blockquote br code del em h3 h4 h5 h6 hr li ol p pre s span strong table tbody td th thead tr ul".split(
    " ",
  );
const ATTRIBUTES = ["class", "start", "data-url", "data-picture"];

const parser = new MarkdownIt({ html: false, linkify: true });
// A word such as main.py is a file here, not an address: only what names its protocol becomes a link.
parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false });

// Nothing may load by itself, so neither links nor pictures carry an address that the browser acts on.
parser.renderer.rules["link_open"] = (tokens, index) =>
  `<a data-url="${parser.utils.escapeHtml(String(tokens[index]?.attrGet("href") ?? ""))}">`;
parser.renderer.rules["image"] = (tokens, index, options, env) => {
  const token = tokens[index];
  const description = parser.renderer.renderInlineAsText(token?.children ?? [], options, env);
  const { escapeHtml } = parser.utils;
  return `<span data-picture="${escapeHtml(String(token?.attrGet("src") ?? ""))}">${escapeHtml(description)}</span>`;
};

// Headings of an answer stand below the headings of the page.
for (const rule of ["heading_open", "heading_close"]) {
  parser.renderer.rules[rule] = (tokens, index, options) => {
    const token = tokens[index];
    if (token !== undefined) token.tag = `h${Math.min(6, Number(token.tag.slice(1)) + 2)}`;
    return parser.renderer.renderToken(tokens, index, options);
  };
}

// The content policy forbids style attributes, which is how the parser says that a column is aligned.
for (const rule of ["th_open", "td_open"]) {
  parser.renderer.rules[rule] = (tokens, index) => {
    const token = tokens[index];
    const side = /text-align:(\w+)/.exec(String(token?.attrGet("style") ?? ""))?.[1] ?? "left";
    return `<${token?.tag ?? "td"} class="align-${side}">`;
  };
}

/** Where the last block (paragraph, list, fence, …) of a Markdown text begins, in characters; 0 when there is only one. */
export function lastBlockStart(text: string): number {
  const starts = parser
    .parse(text, {})
    .filter(({ level, nesting, map }) => level === 0 && nesting >= 0 && map !== null);
  const line = starts.length > 1 ? (starts.at(-1)?.map?.[0] ?? 0) : 0;
  return line === 0 ? 0 : startOfLine(text, line);
}

/**
 * Markdown from the model or a file as safe nodes. HTML in it shows as text, links and pictures act only when pressed.
 * `isWhole` is false while the text still streams: code then has no colours and no buttons.
 */
export function renderMarkdown(text: string, isWhole = true): DocumentFragment {
  parser.set({ highlight: isWhole ? highlight : null });
  const fragment = DOMPurify.sanitize(parser.render(text), {
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: ATTRIBUTES,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    RETURN_DOM_FRAGMENT: true,
  });
  for (const pre of fragment.querySelectorAll("pre")) {
    const place = document.createComment("");
    pre.replaceWith(place);
    place.replaceWith(codeBlock(pre, isWhole));
  }
  for (const link of fragment.querySelectorAll<HTMLAnchorElement>("a[data-url]")) setLink(link);
  for (const picture of fragment.querySelectorAll<HTMLElement>("[data-picture]")) setImage(picture);
  for (const table of fragment.querySelectorAll("table")) makeScrollable(table);
  return fragment;
}

function makeScrollable(table: HTMLTableElement): void {
  const frame = document.createElement("div");
  frame.className = "table-frame";
  frame.tabIndex = 0;
  table.replaceWith(frame);
  frame.append(table);
}

function startOfLine(text: string, line: number): number {
  const ends = text.matchAll(/\r\n?|\n/g);
  let seen = 0;
  for (const end of ends) {
    seen += 1;
    if (seen === line) return end.index + end[0].length;
  }
  return 0;
}
