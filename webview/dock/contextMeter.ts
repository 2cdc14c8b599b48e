import type { Meter } from "../../src/shared/live";
import type { SessionView } from "../../src/shared/view";
import { h, setShown, setText } from "../dom";
import { runCommand } from "../hostApi";
import { icon } from "../icons";
import { strings } from "../strings";
import { button } from "../toolkit";
import { Forecast } from "./forecast";

/** How full the context window is: a bar with a tick where compaction comes, the figures, and words once it gets tight. */
export class ContextMeter {
  readonly element: HTMLElement;
  private readonly fill = h("span", { class: "meter-fill" });
  private readonly tick = h("span", { class: "meter-tick" });
  private readonly bar = h(
    "div",
    { class: "meter-bar", role: "meter", "aria-label": strings.meter.label, "aria-valuemin": "0" },
    this.fill,
    this.tick,
  );
  private readonly figures = h("span", { class: "meter-count" });
  private readonly words = h("span", {});
  private readonly warning = h("p", { class: "meter-warning" }, icon("warning"), this.words);
  private readonly forecast = new Forecast();
  private readonly pins = h("button", { class: "link pin-count", type: "button" });
  private meter: Meter | null | undefined;

  /** `onPins` shows what is pinned. */
  constructor(onPins: () => void) {
    const { show, unit, compactNow, compactTitle } = strings.meter;
    const count = h(
      "button",
      { class: "meter-button", type: "button", title: show },
      this.figures,
      h("span", { class: "meter-unit" }, ` ${unit}`),
    );
    // The whole meter answers to a click; the keyboard reaches the same by the button in it.
    const gauge = h("div", { class: "meter", title: show }, this.bar, count);
    gauge.addEventListener("click", () => runCommand("showContext"));
    const compact = button({
      label: compactNow,
      icon: "compact",
      title: compactTitle,
      className: "compact-now",
      onPress: () => runCommand("compactNow"),
    });
    this.pins.title = strings.steering.showPins;
    this.pins.addEventListener("click", onPins);
    this.element = h(
      "section",
      { class: "meter-row", "aria-label": strings.meter.label },
      gauge,
      compact,
      this.warning,
      h("div", { class: "meter-notes" }, this.forecast.element, this.pins),
    );
  }

  update(view: SessionView): void {
    const { meter } = view;
    this.forecast.update(view);
    setText(this.pins, strings.steering.pinCount(view.pins.length));
    setShown(this.pins, view.pins.length > 0);
    if (meter === this.meter) return;
    this.meter = meter;
    setShown(this.element, meter !== null);
    if (meter !== null) this.show(meter);
  }

  private show(meter: Meter): void {
    const { used, window, compactAt, level } = meter;
    const words = warningWords(meter);
    this.element.dataset["level"] = level;
    this.fill.style.width = `${Math.min(100, (used.tokens / window) * 100)}%`;
    this.tick.style.insetInlineStart = `${Math.min(100, (compactAt / window) * 100)}%`;
    // The range ends at the window; what lies above it is in the text.
    this.bar.setAttribute("aria-valuemax", String(window));
    this.bar.setAttribute("aria-valuenow", String(Math.min(used.tokens, window)));
    const spoken = [strings.meter.spoken(used, window), words].filter((text) => text !== "").join(", ");
    this.bar.setAttribute("aria-valuetext", spoken);
    setText(this.figures, strings.meter.count(used, window));
    setText(this.words, words);
    setShown(this.warning, words !== "");
  }
}

function warningWords({ used, window, level }: Meter): string {
  if (used.tokens > window) return strings.meter.over(used.tokens - window);
  if (level === "full") return strings.meter.full;
  return level === "near" ? strings.meter.near : "";
}
