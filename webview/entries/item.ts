import type { Entry } from "../../src/shared/view";
import { h, type Child } from "../dom";
import { strings } from "../strings";

/** One thing in the transcript on the screen. */
export interface Item<Of extends Entry = Entry> {
  readonly element: HTMLLIElement;
  /** Shows another state of the same entry; absent where an entry never changes. */
  update?(entry: Of): void;
}

let count = 0;

/** An item of the list whose name is its author's; `isFirst` shows the name, which is otherwise only spoken. */
export function authoredItem(
  author: "you" | "loom",
  isFirst: boolean,
  ...children: readonly Child[]
): HTMLLIElement {
  count += 1;
  const id = `author-${count}`;
  const name = h(
    "h2",
    { id, class: isFirst ? "author" : "author visually-hidden" },
    strings.transcript[author],
  );
  return plainItem({ class: `entry ${author}`, "aria-labelledby": id }, name, ...children);
}

/** An item of the list that nobody wrote, named by `aria-label`. */
export function plainItem(
  attributes: Readonly<Record<string, string>>,
  ...children: readonly Child[]
): HTMLLIElement {
  return h("li", attributes, ...children);
}

/** Something folded: its content is made the first time that it is opened. */
export function folded(
  summary: readonly Child[],
  className: string,
  content: () => Child[],
): HTMLDetailsElement {
  const details = h("details", { class: className }, h("summary", {}, ...summary));
  const fill = () => details.append(...content().filter((child) => child !== undefined && child !== null));
  details.addEventListener("toggle", fill, { once: true });
  return details;
}
