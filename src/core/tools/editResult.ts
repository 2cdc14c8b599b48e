import type { WrittenFile } from "../ports";
import { keepHeadAndTail, countLines, quantity } from "../window/truncate";
import { commonEnds, diffLines } from "./lineDiff";
import { plainName } from "./plainName";
import type { ToolRun } from "./tool";

/** An edit as it was agreed to; `before` is `null` for a new file. */
export interface AgreedEdit {
  readonly shown: string;
  readonly before: string | null;
  readonly after: string;
  readonly isTolerant: boolean;
}

/** A short look at the changed lines; longer only when the text is not the one that the model wrote. */
const EXCERPT_CHARACTERS = 800;
const LINES_AROUND = 2;

/** Tells the model what the file holds now, with the changed lines as they are after any formatter. */
export function describeEdit(edit: AgreedEdit, written: WrittenFile, maxCharacters: number): ToolRun {
  const { shown, before } = edit;
  const { added, removed } = diffLines(shown, before, written.text);
  const isFormatted = written.text !== edit.after;
  const isNew = before === null;
  const amount = `+${added} −${removed}`;
  const remarks = [
    isNew
      ? `Created ${plainName(shown)} (${quantity(countLines(written.text), "line")}).`
      : `Edited ${plainName(shown)} (${amount} lines).`,
    edit.isTolerant
      ? "old_text matched except for blanks or quotes; the file's own indentation and untouched text were kept."
      : "",
    written.hasUnsavedChanges === true
      ? "The person has typed in this file without saving, so it is changed in the editor only: commands still see the old file until they save it."
      : "",
    isFormatted ? "On saving, a formatter changed the text further; it now reads as shown here." : "",
  ];
  const message = remarks.filter((remark) => remark !== "").join(" ");
  const room = maxCharacters - message.length - 1;
  const excerpt =
    isNew && !isFormatted
      ? ""
      : excerptOf(before ?? "", written.text, isFormatted ? room : Math.min(room, EXCERPT_CHARACTERS));
  return {
    outcome: "ok",
    content: excerpt === "" ? message : `${message}\n${excerpt}`,
    summary: `${isNew ? "new file, " : ""}${amount}${isFormatted ? ", formatted on save" : ""}${written.hasUnsavedChanges === true ? ", not saved yet" : ""}`,
    facts: { kind: "edit", path: shown, hash: written.hash, added, removed, isNew },
  };
}

function excerptOf(before: string, after: string, maxCharacters: number): string {
  const [old, now] = [before.split("\n"), after.split("\n")];
  const { head, tail } = commonEnds(old, now);
  const first = Math.max(0, head - LINES_AROUND);
  const last = Math.min(countLines(after), now.length - tail + LINES_AROUND);
  if (last <= first) return "";
  const heading = `Lines ${first + 1}–${last} now:\n`;
  return `${heading}${keepHeadAndTail(now.slice(first, last).join("\n"), Math.max(0, maxCharacters - heading.length))}`;
}
