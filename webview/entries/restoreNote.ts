import type { KeptTurn } from "../../src/shared/sessionView";
import type { Entry } from "../../src/shared/view";
import { h } from "../dom";
import { runCommand } from "../hostApi";
import { icon } from "../icons";
import { strings } from "../strings";
import { button } from "../toolkit";
import { spelledText } from "../visibleText";
import { plainItem, type Item } from "./item";

/** The files that a turn changed, with the way back; to be put below what is said of its end. */
export function keptFiles({ turnId, files, more = 0, isCut = false }: KeptTurn): HTMLElement {
  const { changed, expected, lost, isCut: cut, button: label, buttonLabel } = strings.restore;
  const kept = files.filter(({ was }) => was !== "not_kept");
  const gone = files.filter(({ was }) => was === "not_kept");
  const pathsOf = (isExpected: boolean) =>
    kept.filter((file) => (file.isExpected === true) === isExpected).map(({ path }) => path);
  const [sure, unsure] = [pathsOf(false), pathsOf(true)];
  const restoring = button({ label, title: buttonLabel, onPress: () => runCommand("restoreTurn", turnId) });
  return h(
    "div",
    { class: "kept-files" },
    ...line("info", sure.length > 0 && changed(sure)),
    ...line("info", unsure.length > 0 && expected(unsure)),
    ...line("warning", gone.length + more > 0 && lost(gone, more)),
    ...line("info", isCut && cut),
    ...(kept.length > 0 ? [h("div", { class: "actions" }, restoring)] : []),
  );
}

function line(name: "info" | "warning", text: string | false): readonly HTMLElement[] {
  return text === false ? [] : [h("p", { dir: "auto" }, icon(name), h("span", {}, spelledText(text)))];
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
