import type { Steering } from "../../src/shared/live";
import type { CompactionEntry } from "../../src/shared/view";
import { h, setShown, setText } from "../dom";
import { steer } from "../hostApi";
import { isComposing } from "../keys";
import { strings } from "../strings";
import { button, setEnabled, textField } from "../toolkit";

/** What decides about what can be done to a compaction now. */
export interface MarkerState {
  /** The context begins with this one. */
  readonly isCurrent: boolean;
  readonly isBusy: boolean;
  readonly undo: Steering["undo"];
  /** Tokens. */
  readonly window: number;
}

/** What a person can do about a compaction: undo it, edit its summary, have it written again, choose among its versions. */
export class CompactionActions {
  readonly element: HTMLElement;
  private readonly undo: HTMLElement;
  private readonly edit: HTMLElement;
  private readonly again: HTMLElement;
  private readonly wish = textField({
    label: strings.steering.wishLabel,
    placeholder: strings.steering.wish,
    className: "wish-text",
  });
  private readonly note = h("p", { class: "quiet" });
  private readonly versions = h("div", {
    class: "versions",
    role: "group",
    "aria-label": strings.steering.versions,
  });
  private readonly row: HTMLElement;
  private shown = "";

  constructor(private readonly compactionId: string) {
    const { steering } = strings;
    this.undo = button({
      label: steering.undo,
      title: steering.undoTitle,
      icon: "undo",
      onPress: () => steer({ do: "undo", compactionId }),
    });
    this.edit = button({
      label: steering.edit,
      title: steering.editTitle,
      icon: "edit",
      onPress: () => steer({ do: "edit_summary", compactionId }),
    });
    this.again = button({
      label: steering.regenerate,
      title: steering.regenerateTitle,
      icon: "again",
      onPress: () => this.regenerate(),
    });
    this.wish.element.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || isComposing(event)) return;
      event.preventDefault();
      this.regenerate();
    });
    this.row = h(
      "div",
      { class: "marker-actions", role: "group", "aria-label": steering.actions },
      this.undo,
      this.edit,
      h("div", { class: "wish" }, this.wish.element, this.again),
    );
    this.element = h("div", { class: "marker-steering" }, this.row, this.note, this.versions);
  }

  update(entry: CompactionEntry, state: MarkerState): void {
    const { isCurrent, isBusy, undo } = state;
    const key = JSON.stringify([state, entry.version, entry.versions.length, entry.isUndone]);
    if (key === this.shown) return;
    this.shown = key;
    setShown(this.row, isCurrent);
    const fits = undo?.compactionId !== entry.id || undo.fits;
    setEnabled(this.undo, !isBusy && fits);
    for (const action of [this.edit, this.again]) setEnabled(action, !isBusy);
    const words = noteOf(entry, state, fits);
    setText(this.note, words);
    setShown(this.note, words !== "");
    this.showVersions(entry, isCurrent && !isBusy);
  }

  private showVersions(entry: CompactionEntry, canChoose: boolean): void {
    setShown(this.versions, entry.versions.length > 1);
    if (entry.versions.length <= 1) return;
    const focused = [...this.versions.children].indexOf(document.activeElement ?? this.versions);
    const chips = entry.versions.map((version, index) => {
      const isInForce = version.id === entry.version;
      const chip = h(
        "button",
        { class: "version", type: "button", "aria-pressed": String(isInForce), dir: "auto" },
        strings.steering.version(version, index),
      );
      chip.disabled = !canChoose;
      chip.addEventListener("click", () => {
        if (isInForce) return;
        steer({ do: "choose_summary", compactionId: this.compactionId, versionId: version.id });
      });
      return chip;
    });
    this.versions.replaceChildren(...chips);
    chips[focused]?.focus();
  }

  private regenerate(): void {
    const wish = this.wish.control()?.value ?? "";
    this.wish.setText("");
    steer({ do: "regenerate", compactionId: this.compactionId, wish });
  }
}

function noteOf(
  entry: CompactionEntry,
  { isCurrent, isBusy, undo, window }: MarkerState,
  fits: boolean,
): string {
  const { undoneText, older, wait, undoDoesNotFit } = strings.steering;
  if (entry.isUndone) return undoneText;
  if (!isCurrent) return older;
  if (!fits) return undoDoesNotFit(undo?.tokens ?? 0, window);
  return isBusy ? wait : "";
}
