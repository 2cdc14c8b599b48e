import type { TurnEnded } from "../../src/shared/events";
import type { KeptTurn } from "../../src/shared/sessionView";
import type { Entry } from "../../src/shared/view";
import { turnEndText } from "../describe";
import { h, setShown } from "../dom";
import { post, runCommand } from "../hostApi";
import { icon } from "../icons";
import { withCode } from "../markdown/inlineCode";
import { failureActions } from "../status/failureActions";
import { strings } from "../strings";
import { button } from "../toolkit";
import { folded, plainItem, type Item } from "./item";
import { keptFiles } from "./restoreNote";

type TurnEndEntry = Extract<Entry, { kind: "turn_ended" }>;

/** Why a turn ended, with the way to go on; nothing where it ended as it should. */
export function turnEndItem(entry: TurnEndEntry): Item<TurnEndEntry> | undefined {
  const { event, kept } = entry;
  const text = turnEndText(event);
  if (text === "" && kept === undefined) return undefined;
  const isProblem = event.reason === "failed" || event.reason === "no_answer";
  const actions = h("div", { class: "actions" }, resumeButton(event), ...waysOut(event));
  const said = h(
    "p",
    { dir: "auto" },
    icon(isProblem ? "warning" : "info"),
    h("span", {}, ...withCode(text)),
  );
  const element = plainItem(
    { class: isProblem ? "entry note problem" : "entry note", "aria-label": strings.transcript.turnEnd },
    ...(text === "" ? [] : [said, actions]),
  );
  let shown: { readonly kept: KeptTurn | undefined; readonly files?: HTMLElement } = { kept: undefined };
  const update = (next: TurnEndEntry) => {
    setShown(actions, next.canResume);
    if (next.kept === shown.kept) return;
    shown.files?.remove();
    shown = { kept: next.kept, ...(next.kept && { files: keptFiles(next.kept) }) };
    if (shown.files) element.append(shown.files);
  };
  update(entry);
  return { element, update };
}

/** Something that the person should know, or that the model was told without them. */
export function noticeItem({ event }: Extract<Entry, { kind: "notice" }>): Item {
  const { notice, warning, modelNote } = strings.transcript;
  if (event.type === "model_note") {
    const head = [icon("info"), h("span", {}, modelNote), icon("chevron", "fold")];
    const note = folded(head, "model-note", () => [h("p", { class: "said", dir: "auto" }, event.text)]);
    return { element: plainItem({ class: "entry", "aria-label": modelNote }, note) };
  }
  const isWarning = event.level === "warning";
  return { element: note(isWarning ? warning : notice, event.text, isWarning) };
}

/** A compaction that did not come about; the conversation is as it was. */
export function compactionFailedItem({ event }: Extract<Entry, { kind: "compaction_failed" }>): Item {
  return { element: note(strings.transcript.warning, strings.compaction.failed(event.message), true) };
}

function note(label: string, text: string, isWarning: boolean): HTMLLIElement {
  return plainItem(
    { class: isWarning ? "entry note warning" : "entry note", "aria-label": label },
    h("p", { dir: "auto" }, icon(isWarning ? "warning" : "info"), h("span", {}, ...withCode(text))),
  );
}

function resumeButton({ reason }: TurnEnded): HTMLElement | undefined {
  const { retry, continue: goOn } = strings.transcript;
  switch (reason) {
    case "done":
      return undefined;
    case "stopped":
    case "failed":
    case "no_answer":
      return button({ label: retry, onPress: () => post({ type: "resume", how: "retry" }) });
    case "round_limit":
    case "repeating":
      return button({ label: goOn, onPress: () => post({ type: "resume", how: "continue" }) });
  }
}

function waysOut({ failure }: TurnEnded): HTMLElement[] {
  const actions = failure === undefined ? [] : failureActions(failure);
  return actions.map(({ label, command, argument }) =>
    button({ label, onPress: () => runCommand(command, argument) }),
  );
}
