import type { KeptTurn } from "../../src/shared/keptTurn";
import type { Entry } from "../../src/shared/view";
import { h } from "../dom";
import { runCommand } from "../hostApi";
import { icon } from "../icons";
import { strings } from "../strings";
import { button } from "../toolkit";
import { spelledText } from "../visibleText";
import { plainItem, type Item } from "./item";

/** The files that a turn changed, with the way back; to be put below what is said of its end. */
export function keptFiles({ turnId, paths }: KeptTurn): HTMLElement {
  const { changed, button: label, buttonLabel } = strings.restore;
  return h(
    "div",
    { class: "kept-files" },
    h("p", { dir: "auto" }, icon("info"), h("span", {}, spelledText(changed(paths)))),
    h(
      "div",
      { class: "actions" },
      button({ label, title: buttonLabel, onPress: () => runCommand("restoreTurn", turnId) }),
    ),
  );
}

/** Files that the person took back, with the way back from that. */
export function restoredItem({ event }: Extract<Entry, { kind: "restored" }>): Item {
  const { item, restored, undo, undoLabel } = strings.restore;
  const element = plainItem(
    { class: "entry note", "aria-label": item },
    h("p", { dir: "auto" }, icon("check"), h("span", {}, spelledText(restored(event.files)))),
    h(
      "div",
      { class: "actions" },
      button({ label: undo, title: undoLabel, onPress: () => runCommand("restoreTurn", event.undoId) }),
    ),
  );
  return { element };
}
