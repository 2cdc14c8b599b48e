import { h } from "./dom";

/** The one place that a screen reader is told things from; polite, so it never interrupts. */
export const liveRegion = h("div", { class: "visually-hidden", role: "status", "aria-live": "polite" });

let waiting: string[] = [];

/** Has a sentence read out. What is said within one frame of the screen is read together. */
export function announce(sentence: string): void {
  if (sentence === "") return;
  waiting.push(sentence);
  if (waiting.length > 1) return;
  requestAnimationFrame(() => {
    liveRegion.textContent = waiting.join(" ");
    waiting = [];
  });
}
