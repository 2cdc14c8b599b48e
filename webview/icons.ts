const SVG = "http://www.w3.org/2000/svg";

/** Pictures on a grid of 16 by 16, drawn with lines of the text's colour. */
const PATHS = {
  check: "M3 8.5 6.5 12 13 4.5",
  close: "M4 4l8 8M12 4l-8 8",
  copy: "M6 5.5h7v8H6zM10 5.5v-3H3v8h3",
  insert: "M13 3v4.5a2 2 0 0 1-2 2H3.5M6.5 6.5l-3 3 3 3",
  send: "M2.5 8h10.5M8.5 3.5 13 8l-4.5 4.5",
  stop: "M4 4h8v8H4z",
  down: "M8 3v9.5M4 8.5l4 4 4-4",
  chevron: "M4.5 6.5 8 10l3.5-3.5",
  warning: "M8 2.5 14 13H2zM8 6.5v3M8 11.2v.3",
  denied: "M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11M4.2 4.2l7.6 7.6",
  waiting: "M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11M8 5v3.2l2 1.3",
  question:
    "M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11M6.3 6.4a1.7 1.7 0 1 1 2.4 1.6c-.5.2-.7.5-.7 1M8 11v.3",
  compact: "M8 1.5v4.3M5.8 3.8 8 6l2.2-2.2M8 14.5v-4.3M5.8 12.2 8 10l2.2 2.2M2.5 8h11",
  pin: "M5.5 2.5h5M6.5 2.5v4L4 9.5h8L9.5 6.5v-4M8 9.5v4",
  undo: "M5.5 3 2.5 6l3 3M2.5 6h7a3.8 3.8 0 0 1 0 7.5H6",
  edit: "M3 13v-2.5L10.5 3 13 5.5 5.5 13zM9 4.5 11.5 7",
  again: "M13 8a5 5 0 1 1-1.6-3.7M13 2.5v3h-3",
  picture: "M2.5 3.5h11v9h-11zM2.5 11l3.5-3.5 3 3 1.5-1.5 3 3M10.5 6.3v.2",
  info: "M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11M8 7.5v3.3M8 5.2v.3",
} as const;

export type IconName = keyof typeof PATHS;

/** A picture beside text that says the same; assistive technology skips it. */
export function icon(name: IconName, className = ""): SVGSVGElement {
  const svg = document.createElementNS(SVG, "svg");
  const path = document.createElementNS(SVG, "path");
  for (const [attribute, value] of Object.entries({
    class: `icon ${className}`.trim(),
    viewBox: "0 0 16 16",
    width: "16",
    height: "16",
    "aria-hidden": "true",
  })) {
    svg.setAttribute(attribute, value);
  }
  path.setAttribute("d", PATHS[name]);
  svg.append(path);
  return svg;
}
