import type { ContextBreakdown, ContextPart } from "../src/shared/protocol";
import { h } from "./dom";
import { number, percent } from "./format";
import { strings } from "./strings";

/** What fills the context window, as a bar and as a table of the same numbers. */
export function contextPanel({ window, used, compactAt, parts }: ContextBreakdown): HTMLElement[] {
  const { context } = strings;
  const total = parts.reduce((sum, part) => sum + part.tokens, 0);
  // A context that is larger than its window is shown whole.
  const whole = Math.max(total, window);
  const shown = parts.filter((part) => part.tokens > 0 || part.name === "free");
  return [
    h("p", { class: "context-used" }, context.used(used, window)),
    h("div", { class: "stacked", "aria-hidden": "true" }, ...shown.map((part) => segment(part, whole))),
    h(
      "table",
      { class: "parts" },
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          ...[context.part, context.tokens, context.share].map((text) => h("th", { scope: "col" }, text)),
        ),
      ),
      h("tbody", {}, ...shown.map((part) => row(part, window))),
    ),
    h("p", { class: "quiet" }, context.compactsAt(compactAt, window)),
  ];
}

function segment({ name, tokens }: ContextPart, whole: number): HTMLElement {
  const element = h("span", { class: `segment part-${name}` });
  // The content policy allows styles by property, not by attribute.
  element.style.width = `${(tokens / whole) * 100}%`;
  return element;
}

function row({ name, tokens }: ContextPart, window: number): HTMLElement {
  return h(
    "tr",
    {},
    h("th", { scope: "row" }, h("span", { class: `swatch part-${name}` }), strings.context.partName(name)),
    h("td", {}, number(tokens)),
    h("td", {}, percent(tokens, window)),
  );
}
