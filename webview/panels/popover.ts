import { focusIfHere, h, setShown, type Child } from "../dom";
import { isComposing } from "../keys";
import { strings } from "../strings";
import { button } from "../toolkit";

/** A sheet above the composer for something to look at. Escape and its button close it and give the focus back. */
export class Popover {
  readonly element = h("section", { class: "popover", role: "dialog", tabindex: "-1" });
  private cameFrom: HTMLElement | undefined;
  private title = "";

  constructor(private readonly fallback: () => HTMLElement) {
    setShown(this.element, false);
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && !isComposing(event)) this.close();
    });
  }

  get isOpen(): boolean {
    return !this.element.hidden;
  }

  /** True while the sheet with this title is open. */
  shows(title: string): boolean {
    return this.isOpen && this.title === title;
  }

  /** Shows `content` in place of what was there. */
  open(title: string, ...content: readonly Child[]): void {
    const isSame = this.shows(title);
    const { scrollTop } = this.element;
    this.title = title;
    const hadFocus = this.element.contains(document.activeElement);
    const active = document.activeElement;
    if (!hadFocus)
      this.cameFrom = active instanceof HTMLElement && active !== document.body ? active : undefined;
    const close = button({
      label: strings.context.close,
      icon: "close",
      appearance: "icon",
      onPress: () => this.close(),
    });
    this.element.setAttribute("aria-label", title);
    this.element.replaceChildren(h("div", { class: "popover-head" }, h("h2", {}, title), close));
    this.element.append(...content.filter((child) => child !== undefined && child !== null));
    setShown(this.element, true);
    // The same sheet with newer figures leaves the reader where they are.
    if (isSame) this.element.scrollTop = scrollTop;
    focusIfHere(this.element);
  }

  close(): void {
    if (!this.isOpen) return;
    setShown(this.element, false);
    this.element.replaceChildren();
    const target = this.cameFrom;
    focusIfHere(target?.checkVisibility() === true ? target : this.fallback());
  }
}
