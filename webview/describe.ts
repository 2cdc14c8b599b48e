import type { Compacted, JsonValue, ToolCall, TokenCount, TurnEnded } from "../src/shared/events";
import { startsPrograms, type ApprovalQuestion, type Phase, type SessionEvent } from "../src/shared/live";
import type { Entry, SessionView } from "../src/shared/view";
import { strings } from "./strings";
import { spelledText } from "./visibleText";

/** The arguments that say best what a call is about, in the order in which they are shown. */
const TELLING = ["command", "pattern", "query", "path"];

/** What a tool call is about, in one line: the command, the pattern and the path, whichever there are. */
export function callTarget(call: ToolCall): string {
  if (call.unreadableArguments !== undefined) return oneLine(call.unreadableArguments);
  const named = TELLING.flatMap((name) => textOf(call.arguments[name]));
  if (named.length > 0) return named.map(oneLine).join(" · ");
  return oneLine(Object.values(call.arguments).flatMap(textOf)[0] ?? "");
}

/** The name and the target of a call with everything invisible spelled out, e.g. `read_file src/app.ts`. */
export function callTitle(call: ToolCall): string {
  return spelledText(`${call.name} ${callTarget(call)}`.trim());
}

/** What an entry says, for the clipboard; empty for what is only there for the person. */
export function entryText(entry: Entry): string {
  switch (entry.kind) {
    case "user":
    case "assistant":
      return entry.text;
    case "tool":
      return [`${entry.call.name} ${callTarget(entry.call)}`.trim(), entry.result].join("\n").trim();
    default:
      return "";
  }
}

/** What a person is asked, in one line. */
export function approvalTitle(question: ApprovalQuestion): string {
  const { approval } = strings;
  switch (question.kind) {
    case "edit":
      return spelledText(question.isNew ? approval.newFile(question.path) : approval.edit(question.path));
    case "command":
      return approval.command;
    case "outside":
      return spelledText(
        question.access === "read"
          ? approval.readOutside(question.path)
          : approval.writeOutside(question.path),
      );
    case "secret":
      return spelledText(
        question.access === "read" ? approval.readSecret(question.path) : approval.writeSecret(question.path),
      );
    case "recovered":
      return spelledText(approval.recovered(`${question.tool} ${question.target}`.trim()));
  }
}

/** What a person should know before they answer a question, a sentence each. */
export function approvalRemarks(question: ApprovalQuestion): readonly string[] {
  const { approval } = strings;
  const remarks: string[] = [];
  if (question.isRecovered === true && question.kind !== "recovered") remarks.push(approval.isRecovered);
  if (question.kind === "edit" && question.isAgain === true) remarks.push(approval.changedMeanwhile);
  if (question.kind === "edit" && startsPrograms(question.path)) remarks.push(approval.startsPrograms);
  if (question.kind === "command") {
    const { programs = [], secrets = [], isDangerous } = question;
    if (programs.length > 1) remarks.push(approval.runsPrograms(programs.join(", ")));
    if (secrets.length > 0) remarks.push(approval.namesSecrets(secrets.join(", ")));
    if (isDangerous === true) remarks.push(approval.isDangerous);
  }
  return remarks.map(spelledText);
}

/** The line of a compaction's marker. `threshold` is e.g. `80 %`, where it is known. */
export function compactionTitle(event: Compacted, after: TokenCount, threshold: string | undefined): string {
  const { compaction } = strings;
  return [
    compaction.headline(event.messagesSummarised),
    compaction.sizes(event.before, after),
    compaction.took(event.durationMs),
    compaction.trigger(event.trigger, threshold),
  ].join(", ");
}

/** Why a turn ended, in the words of the host where it sent some; empty for a turn that ended as it should. */
export function turnEndText({ reason, failure, message }: TurnEnded): string {
  const { transcript } = strings;
  const own = {
    done: "",
    stopped: transcript.stopped,
    failed: transcript.failed,
    no_answer: transcript.noAnswer,
    round_limit: transcript.roundLimit,
    repeating: transcript.repeating,
  }[reason];
  return failure?.message ?? message ?? own;
}

/** What a screen reader is told when `event` happens; `view` is the view after it, `before` the one before. Empty for most events. */
export function announcement(event: SessionEvent, view: SessionView, before: SessionView): string {
  const { announced, approval, compaction, steering } = strings;
  switch (event.type) {
    case "phase_changed":
      return phaseAnnouncement(event.phase, view, before);
    case "compaction_undone":
      return steering.announced.undone;
    case "summary_replaced":
    case "summary_chosen":
      return steering.announced.summary;
    case "result_dropped":
      return steering.announced.dropped;
    case "result_restored":
      return steering.announced.restored;
    case "compaction_postponed":
      return steering.announced.postponed;
    case "pinned":
      return steering.pinned;
    case "unpinned":
      return steering.unpinned;
    case "approval_asked":
      return [`${approval.needed(approvalTitle(event.question))}.`, ...approvalRemarks(event.question)].join(
        " ",
      );
    case "compacted":
      return `${compactionTitle(event, { tokens: event.afterTokens, estimated: true }, undefined)}.`;
    case "compaction_failed":
      return compaction.failed(event.message);
    case "turn_ended":
      return event.reason === "done" && event.failure === undefined
        ? announced.replyFinished
        : turnEndText(event);
    case "notice":
      return event.text;
    case "turn_restored":
      return strings.restore.restored(event.files);
    default:
      return "";
  }
}

/** Once when a compaction starts, however often its progress is told, and when it ends without anything to show for it. */
function phaseAnnouncement(phase: Phase, view: SessionView, before: SessionView): string {
  const { announced } = strings;
  const wasCompacting = before.phase.name === "compacting";
  if (phase.name === "compacting") return wasCompacting ? "" : announced.compacting(phase.messages);
  if (phase.name === "tool") return announced.running(toolTitle(view, phase.callId));
  return "";
}

/** The name and the target of the call with this id, or nothing when the view has none. */
export function toolTitle(view: SessionView, callId: string): string {
  const entry = view.entries.findLast(({ kind, id }) => kind === "tool" && id === callId);
  return entry?.kind === "tool" ? callTitle(entry.call) : "";
}

function textOf(value: JsonValue | undefined): string[] {
  return typeof value === "string" && value !== "" ? [value] : [];
}

function oneLine(text: string): string {
  const [first = "", ...rest] = text.trim().split("\n");
  return rest.length > 0 ? `${first} …` : first;
}
