import type { JsonValue } from "../../src/shared/events";
import type { PendingApproval, ToolEntry } from "../../src/shared/view";
import { copyButton } from "../copyButton";
import { callTarget, callTitle } from "../describe";
import { h, setShown, setText, type Child } from "../dom";
import { steer } from "../hostApi";
import { icon, type IconName } from "../icons";
import { fileLink } from "../markdown/links";
import { strings } from "../strings";
import { button, progressRing } from "../toolkit";
import { spelledText, visibleCommand, visibleText, withoutColours } from "../visibleText";
import { ApprovalCard } from "./approvalCard";
import { folded, plainItem, type Item } from "./item";

/** How many lines of a running tool's output are shown. */
const OUTPUT_LINES = 8;

const ICONS: Readonly<Record<Exclude<ToolEntry["state"], "running">, IconName>> = {
  pending: "waiting",
  ok: "check",
  error: "warning",
  denied: "denied",
  cancelled: "close",
};

/** One call of a tool: what was called, how it stands, and folded what came back. */
export class ToolCard implements Item<ToolEntry> {
  readonly element: HTMLLIElement;
  private readonly state = h("span", { class: "tool-state" });
  private readonly summary = h("span", { class: "tool-summary", dir: "auto" });
  private readonly output = h("pre", {
    class: "tool-output",
    dir: "ltr",
    "aria-label": strings.transcript.toolOutput,
  });
  private readonly result = h("div", {});
  private readonly dropped = h("div", { class: "dropped" });
  private approval: ApprovalCard | undefined;
  private isOpened = false;

  constructor(private entry: ToolEntry) {
    const { call } = entry;
    const head = [
      this.state,
      h("span", { class: "tool-name" }, spelledText(call.name)),
      h("span", { class: "tool-target", dir: "ltr" }, visibleCommand(callTarget(call))),
      icon("chevron", "fold"),
      call.isRecovered === true ? h("span", { class: "quiet" }, strings.approval.recoveredMark) : undefined,
      this.summary,
    ];
    const card = folded(head, "tool-card", () => this.body());
    this.element = plainItem({ class: "entry tool" }, card, this.dropped, this.output);
    this.output.hidden = true;
    this.output.setAttribute("role", "group");
    this.showState();
  }

  readonly update = (entry: ToolEntry): void => {
    this.entry = entry;
    this.showState();
  };

  /** Shows the end of what the tool printed so far; `undefined` when it is done. */
  showOutput(text: string | undefined): void {
    const lines = withoutColours(text ?? "")
      .trimEnd()
      .split("\n")
      .slice(-OUTPUT_LINES);
    const shown = lines.join("\n");
    this.output.replaceChildren(visibleText(shown));
    setShown(this.output, shown !== "");
  }

  /** Asks for consent below the card; `undefined` takes the question away. */
  showApproval(approval: PendingApproval | undefined): void {
    this.approval?.element.remove();
    this.approval = approval === undefined ? undefined : new ApprovalCard(approval);
    if (this.approval !== undefined) this.element.append(this.approval.element);
  }

  focusApproval(): void {
    this.approval?.focus();
  }

  private showState(): void {
    const { state, call, summary, result } = this.entry;
    const word = h("span", { class: "visually-hidden" }, strings.transcript.toolState(state));
    this.state.replaceChildren(state === "running" ? progressRing() : icon(ICONS[state]), word);
    this.element.dataset["state"] = state;
    this.element.setAttribute(
      "aria-label",
      strings.transcript.toolCall(spelledText(call.name), spelledText(callTarget(call)), state),
    );
    setText(this.summary, spelledText(summary));
    setShown(this.summary, summary !== "");
    if (this.isOpened) this.result.replaceChildren(resultView(result));
    this.showDropped();
  }

  private showDropped(): void {
    const { resultId, isDropped = false } = this.entry;
    setShown(this.dropped, isDropped);
    if (!isDropped || resultId === undefined) return this.dropped.replaceChildren();
    const { isDropped: text, restore, restoreTitle } = strings.steering;
    this.dropped.replaceChildren(
      h("p", { class: "quiet" }, text),
      button({
        label: restore,
        title: restoreTitle(callTitle(this.entry.call)),
        onPress: () => steer({ do: "restore_result", resultId }),
      }),
    );
  }

  private body(): Child[] {
    const { call, result } = this.entry;
    this.isOpened = true;
    this.result.replaceChildren(resultView(result));
    const path = call.arguments["path"];
    return [
      h("h3", {}, strings.transcript.toolArguments),
      call.unreadableArguments === undefined
        ? argumentList(call.arguments)
        : h("pre", { class: "tool-text", dir: "ltr" }, visibleText(call.unreadableArguments)),
      typeof path === "string" ? h("p", { class: "tool-file" }, fileLink(path)) : undefined,
      this.result,
    ];
  }
}

function argumentList(values: Readonly<Record<string, JsonValue>>): HTMLElement {
  const entries = Object.entries(values);
  if (entries.length === 0) return h("p", { class: "quiet" }, strings.transcript.noArguments);
  return h(
    "dl",
    { class: "arguments", dir: "ltr" },
    ...entries.flatMap(([name, value]) => [
      h("dt", {}, spelledText(name)),
      h("dd", {}, visibleCommand(typeof value === "string" ? value : JSON.stringify(value))),
    ]),
  );
}

function resultView(result: string): HTMLElement {
  const { toolResult, notToldYet, copy } = strings.transcript;
  if (result === "") return h("p", { class: "quiet" }, notToldYet);
  return h(
    "div",
    {},
    h(
      "h3",
      {},
      toolResult,
      copyButton(`${copy}: ${toolResult}`, () => result),
    ),
    h(
      "pre",
      { class: "tool-text scrolls", dir: "ltr", tabindex: "0", role: "group", "aria-label": toolResult },
      visibleText(withoutColours(result)),
    ),
  );
}
