import type { SessionView } from "../../src/shared/view";
import { h, setShown, setText } from "../dom";
import { runCommand, steer } from "../hostApi";
import { strings } from "../strings";

/** From this share of the window on it is said when the automatic compaction will come. */
const SAID_FROM = 0.7;

/** When the automatic compaction will come, what it would do, and a way to put it off once. */
export class Forecast {
  readonly element: HTMLElement;
  private readonly text = h("span", {});
  private readonly notNow: HTMLButtonElement;
  private shown: readonly unknown[] = [];

  constructor() {
    const { preview, previewTitle, notNow, notNowTitle } = strings.steering;
    const show = h("button", { class: "link", type: "button", title: previewTitle }, preview);
    show.addEventListener("click", () => runCommand("showContext"));
    this.notNow = h("button", { class: "link", type: "button", title: notNowTitle }, notNow);
    this.notNow.addEventListener("click", () => steer({ do: "postpone" }));
    this.element = h("p", { class: "forecast" }, this.text, show, this.notNow);
    setShown(this.element, false);
  }

  update({ meter, steering, isPostponed, phase }: SessionView): void {
    const shown = [meter, steering?.isAutomatic, isPostponed, phase.name];
    if (shown.every((part, index) => part === this.shown[index])) return;
    this.shown = shown;
    const isNear = meter !== null && meter.used.tokens > meter.window * SAID_FROM;
    const isShown = isNear && steering?.isAutomatic === true && phase.name !== "compacting";
    setShown(this.element, isShown);
    if (!isShown) return;
    const { soon, afterTurn, postponed } = strings.steering;
    const left = meter.compactAt - meter.used.tokens;
    const words = left >= 0 ? soon(left, meter.compactAt, meter.window) : afterTurn;
    setText(this.text, isPostponed ? postponed : words);
    setShown(this.notNow, !isPostponed);
  }
}
