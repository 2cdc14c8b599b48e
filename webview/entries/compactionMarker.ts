import { currentVersion } from "../../src/shared/compactionView";
import type { CompactionEntry } from "../../src/shared/view";
import { compactionTitle } from "../describe";
import { h, present, setShown, setText } from "../dom";
import { icon } from "../icons";
import { strings } from "../strings";
import { CompactionActions, type MarkerState } from "./compactionActions";
import { compactionSections, type MarkerContext } from "./compactionSections";
import { folded, plainItem, type Item } from "./item";

/** The place where the conversation was compacted: figures at once; unfolded what can be read of it and done about it. */
export class CompactionMarker implements Item<CompactionEntry> {
  readonly element: HTMLLIElement;
  private readonly title = h("span", { class: "marker-title" });
  private readonly undone = h("span", { class: "marker-undone" }, strings.steering.undone);
  private readonly actions: CompactionActions;
  private readonly sections = h("div", { class: "marker-sections" });
  private isOpened = false;

  constructor(
    private entry: CompactionEntry,
    private readonly context: MarkerContext,
  ) {
    this.actions = new CompactionActions(entry.id);
    const head = [icon("compact"), this.title, this.undone, icon("chevron", "fold")];
    const marker = folded(head, "marker", () => {
      this.isOpened = true;
      this.show();
      return [this.actions.element, this.sections];
    });
    this.element = plainItem({ class: "entry compaction", "aria-label": strings.compaction.item }, marker);
    this.update(entry);
  }

  readonly update = (entry: CompactionEntry): void => {
    this.entry = entry;
    setText(this.title, compactionTitle(entry.event, entry.after, this.context.threshold));
    setShown(this.undone, entry.isUndone);
    this.element.classList.toggle("undone", entry.isUndone);
    if (this.isOpened) this.show();
  };

  /** Shows what can be done about it now. */
  steer(state: MarkerState): void {
    this.actions.update(this.entry, state);
  }

  private show(): void {
    this.sections.replaceChildren(...present(compactionSections(this.entry, this.context)));
    this.sections.dataset["version"] = currentVersion(this.entry)?.id ?? "";
  }
}
