import { h } from "../dom";
import { strings } from "../strings";

/** The slash commands and the keys. */
export function helpPanel(): HTMLElement[] {
  const { help } = strings;
  const rows = (entries: readonly (readonly [string, string])[]) =>
    entries.map(([name, does]) =>
      h("tr", {}, h("th", { scope: "row" }, h("code", {}, name)), h("td", {}, does)),
    );
  return [
    h(
      "table",
      { class: "help" },
      h(
        "thead",
        { class: "visually-hidden" },
        h("tr", {}, h("th", { scope: "col" }, help.command), h("th", { scope: "col" }, help.does)),
      ),
      h("tbody", {}, ...rows(help.commands)),
      h("tbody", {}, ...rows(help.keys)),
    ),
    h("p", { class: "quiet" }, help.note),
  ];
}
