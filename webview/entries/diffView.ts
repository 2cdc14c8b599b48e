import { h } from "../dom";
import { strings } from "../strings";
import { visibleText } from "../visibleText";

/** A whole unified diff, line by line, with everything invisible spelled out. The signs stay, so colour is never all there is. */
export function diffView(diff: string): HTMLElement {
  const lines = diff.replace(/\n$/, "").split("\n");
  const body = lines.findIndex((line) => line.startsWith("@@"));
  return h(
    "pre",
    {
      class: "diff scrolls",
      dir: "ltr",
      tabindex: "0",
      role: "group",
      "aria-label": strings.approval.change,
    },
    ...lines.map((line, index) =>
      h("span", { class: `line ${index < body ? "file" : kindOf(line)}` }, visibleText(line)),
    ),
  );
}

function kindOf(line: string): string {
  if (line.startsWith("@@")) return "hunk";
  if (line.startsWith("+")) return "added";
  return line.startsWith("-") ? "removed" : "same";
}
