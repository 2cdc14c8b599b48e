import type { FailureKind, TurnEnded } from "../../src/shared/events";
import type { PageCommand } from "../../src/shared/protocol";
import type { Entry } from "../../src/shared/view";
import { turnEndText } from "../describe";
import { h, setShown } from "../dom";
import { post, runCommand } from "../hostApi";
import { icon } from "../icons";
import { withCode } from "../inlineCode";
import { strings } from "../strings";
import { button } from "../toolkit";
import { folded, plainItem, type Item } from "./item";
import { keptFiles } from "./restoreNote";

type TurnEndEntry = Extract<Entry, { kind: "turn_ended" }>;

/** The command that gets a person past a failure, where there is one. */
const WAY_OUT: Readonly<Partial<Record<FailureKind, { label: string; command: PageCommand }>>> = {
  not_running: { label: strings.empty.startOllama, command: "startOllama" },
  wrong_address: { label: strings.empty.openSettings, command: "openSettings" },
  unauthorized: { label: strings.empty.setToken, command: "setToken" },
  model_missing: { label: strings.empty.pullModel, command: "pullModel" },
  no_model: { label: strings.empty.selectModel, command: "selectModel" },
  no_tools: { label: strings.empty.selectModel, command: "selectModel" },
  window_exceeded: { label: strings.meter.compactNow, command: "compactNow" },
  server_error: { label: strings.empty.openLog, command: "openLog" },
  load_failed: { label: strings.empty.openLog, command: "openLog" },
  internal: { label: strings.empty.openLog, command: "openLog" },
};

/** Why a turn ended, with the way to go on; nothing where it ended as it should. */
export function turnEndItem(entry: TurnEndEntry): Item<TurnEndEntry> | undefined {
  const { event, kept } = entry;
  const text = turnEndText(event);
  const files = kept && keptFiles(kept);
  if (text === "") {
    if (files === undefined) return undefined;
    return { element: plainItem({ class: "entry note", "aria-label": strings.transcript.turnEnd }, files) };
  }
  const isProblem = event.reason === "failed" || event.reason === "no_answer";
  const actions = h("div", { class: "actions" }, resumeButton(event), wayOut(event));
  const element = plainItem(
    { class: isProblem ? "entry note problem" : "entry note", "aria-label": strings.transcript.turnEnd },
    h("p", { dir: "auto" }, icon(isProblem ? "warning" : "info"), h("span", {}, ...withCode(text))),
    actions,
    files,
  );
  const update = ({ canResume }: TurnEndEntry) => setShown(actions, canResume);
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

function wayOut({ failure }: TurnEnded): HTMLElement | undefined {
  const way = failure === undefined ? undefined : WAY_OUT[failure.kind];
  return way && button({ label: way.label, onPress: () => runCommand(way.command) });
}
