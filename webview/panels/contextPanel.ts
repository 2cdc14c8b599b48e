import type { ContextBreakdown, ContextDetails, ContextItem, ContextPart } from "../../src/shared/protocol";
import { h, type Child } from "../dom";
import { number, percent } from "../format";
import { runCommand, steer } from "../hostApi";
import { icon } from "../icons";
import { strings } from "../strings";
import { button } from "../toolkit";
import { spelledText } from "../visibleText";

/** What fills the context window, as a bar and as a table of the same numbers, what takes most, and what a compaction would do. */
export function contextPanel(
  { window, used, compactAt, parts }: ContextBreakdown,
  details: ContextDetails,
  goTo: (entryId: string) => void,
): Child[] {
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
    next(details.next, { used: used.tokens, compactAt, window }, goTo),
    largest(details, window, goTo),
    dropped(details.dropped),
    h(
      "div",
      { class: "actions" },
      button({
        label: strings.steering.showRequest,
        title: strings.steering.showRequestTitle,
        onPress: () => runCommand("showRequest"),
      }),
    ),
  ];
}

function largest(
  { largest: items }: ContextDetails,
  window: number,
  goTo: (entryId: string) => void,
): HTMLElement | undefined {
  const { steering, context } = strings;
  if (items.length === 0) return undefined;
  const heads = [steering.item, context.tokens, context.share].map((text) => h("th", { scope: "col" }, text));
  const rows = items.map((item) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, itemName(item, goTo)),
      h("td", {}, number(item.tokens)),
      h("td", {}, percent(item.tokens, window)),
      h("td", {}, dropButton(item)),
    ),
  );
  const table = h(
    "table",
    { class: "parts items" },
    h("thead", {}, h("tr", {}, ...heads, h("td", {}))),
    h("tbody", {}, ...rows),
  );
  return h("section", {}, h("h3", {}, steering.largest), table);
}

/** The name of an item, as a way to it where it is in the transcript. */
function itemName(item: ContextItem, goTo: (entryId: string) => void): HTMLElement {
  const name = spelledText(strings.steering.itemName(item));
  const { entryId } = item;
  if (entryId === undefined) return h("span", { class: "item-name" }, name);
  const label = strings.steering.goTo(name);
  const link = h("button", { class: "link item-name", type: "button", dir: "auto", title: label }, name);
  link.addEventListener("click", () => goTo(entryId));
  return link;
}

function dropButton({ resultId, title }: ContextItem): HTMLElement | undefined {
  if (resultId === undefined) return undefined;
  const { drop, dropTitle } = strings.steering;
  const element = h(
    "button",
    { class: "link", type: "button", "aria-label": dropTitle(spelledText(title)) },
    drop,
  );
  element.addEventListener("click", () => steer({ do: "drop_result", resultId }));
  return element;
}

function dropped(items: readonly ContextItem[]): HTMLElement | undefined {
  if (items.length === 0) return undefined;
  const { steering } = strings;
  const rows = items.flatMap(({ resultId, title }) => {
    if (resultId === undefined) return [];
    const restore = h(
      "button",
      { class: "link", type: "button", "aria-label": steering.restoreTitle(spelledText(title)) },
      steering.restore,
    );
    restore.addEventListener("click", () => steer({ do: "restore_result", resultId }));
    return [h("li", {}, h("span", { class: "item-name", dir: "auto" }, spelledText(title)), restore)];
  });
  return h("section", {}, h("h3", {}, steering.dropped), h("ul", { class: "dropped-items" }, ...rows));
}

function next(
  { plan, isAutomatic }: ContextDetails["next"],
  { used, compactAt, window }: { readonly used: number; readonly compactAt: number; readonly window: number },
  goTo: (entryId: string) => void,
): HTMLElement {
  const { steering, context } = strings;
  const when = isAutomatic ? context.compactsAt(compactAt, window) : undefined;
  const lines =
    plan === undefined
      ? [steering.nothingToCompact]
      : [
          steering.plan(plan),
          steering.planAfter(used, plan.afterTokens),
          steering.planKeeps(plan),
          ...(plan.wordsCut === 0 ? [] : [steering.planCut(plan.wordsCut)]),
          ...(plan.shortened === 0 ? [] : [steering.planShortened(plan.shortened)]),
        ];
  const kept = (plan?.kept ?? []).map((item) => h("li", {}, itemName(item, goTo)));
  return h(
    "section",
    {},
    h("h3", {}, steering.next),
    h("p", {}, lines.filter((line) => line !== "").join(" ")),
    kept.length === 0
      ? undefined
      : h(
          "details",
          { class: "plan" },
          h("summary", {}, steering.planKept, icon("chevron", "fold")),
          h("ol", {}, ...kept),
        ),
    when === undefined ? undefined : h("p", { class: "quiet" }, when),
  );
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
