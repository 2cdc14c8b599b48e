import type { CompactingPhase, Phase } from "../../src/shared/live";
import type { SessionView } from "../../src/shared/view";
import { toolTitle } from "../describe";
import { h, setShown, setText } from "../dom";
import { strings } from "../strings";
import { waiting } from "../strings/waiting";
import { button, progressRing } from "../toolkit";

/** What is going on right now and for how long. It ticks only while something is. */
export class PhaseLine {
  readonly element: HTMLElement;
  private readonly text = h("span", { class: "phase-text", dir: "auto" });
  private readonly time = h("span", { class: "phase-time", "aria-hidden": "true" });
  private readonly ring = progressRing();
  private readonly review: HTMLElement;
  private phase: Phase = { name: "idle" };
  private clock: number | undefined;

  constructor(onReview: () => void) {
    this.review = button({ label: strings.phase.review, className: "review", onPress: onReview });
    this.element = h(
      "div",
      { class: "phase", role: "group", "aria-label": strings.phase.status },
      this.ring,
      this.text,
      this.time,
      this.review,
    );
    setShown(this.element, false);
  }

  update(view: SessionView): void {
    const { phase } = view;
    if (phase === this.phase) return;
    this.phase = phase;
    const isBusy = phase.name !== "idle";
    setShown(this.element, isBusy);
    setShown(this.ring, phase.name !== "approval");
    setShown(this.review, phase.name === "approval");
    this.element.dataset["phase"] = phase.name;
    if (isBusy) setText(this.text, phaseText(phase, view));
    this.tick();
    this.runClock(isBusy);
  }

  private runClock(isBusy: boolean): void {
    if (isBusy) this.clock ??= window.setInterval(() => this.tick(), 1_000);
    else {
      window.clearInterval(this.clock);
      this.clock = undefined;
    }
  }

  private tick(): void {
    const { phase } = this;
    if (phase.name === "idle") return;
    const elapsed = Date.now() - phase.since;
    const isExpected = phase.name === "waiting" || phase.name === "compacting";
    const text = isExpected ? waiting.time(phase, elapsed) : strings.phase.elapsed(elapsed);
    setText(this.time, text);
  }
}

function phaseText(phase: Exclude<Phase, { name: "idle" }>, view: SessionView): string {
  switch (phase.name) {
    case "waiting":
      return waiting.text(phase);
    case "thinking":
      return strings.phase.thinking;
    case "writing":
      return strings.phase.writing;
    case "tool":
      return strings.phase.tool(toolTitle(view, phase.callId));
    case "approval":
      return strings.phase.approval;
    case "compacting":
      return compactingText(phase);
  }
}

function compactingText({ messages, used, window, part, parts, writtenTokens = 0 }: CompactingPhase): string {
  const { compacting, compactingFrom, compactingPart } = strings.phase;
  const progress = [
    ...(parts > 1 ? [compactingPart(part, parts)] : []),
    ...(writtenTokens > 0 ? [strings.steering.written(writtenTokens)] : []),
  ];
  return [compacting(messages), compactingFrom(used, window), ...progress].join(", ");
}
