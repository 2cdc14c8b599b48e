import type { AssistantEntry, Entry, StreamingReply } from "../../src/shared/view";
import { h, setShown, setText } from "../dom";
import { icon } from "../icons";
import { StreamedMarkdown } from "../markdown/streamedMarkdown";
import { pinButton } from "../pinButton";
import { strings } from "../strings";
import { authoredItem, type Item } from "./item";

/** What the person wrote, exactly as it was written. */
export function userItem(entry: Extract<Entry, { kind: "user" }>): Item {
  const text = h("div", { class: "said", dir: "auto" }, entry.text);
  const pin = pinButton(
    () => text,
    () => entry.text,
  );
  return { element: authoredItem("you", true, pin, text) };
}

/** An answer of the model: while it streams, and when it is complete. */
export class AssistantItem implements Item<AssistantEntry> {
  readonly element: HTMLLIElement;
  private readonly answer = new StreamedMarkdown();
  private readonly thinkingTitle = h("span", {}, strings.transcript.thinking);
  private readonly thinkingText = h("div", { class: "thinking-text", dir: "auto" });
  private readonly thinking = h(
    "details",
    { class: "thinking" },
    h("summary", {}, icon("chevron", "fold"), this.thinkingTitle),
    this.thinkingText,
  );
  private thoughtLength = 0;
  private text = "";
  private readonly pin = pinButton(
    () => this.answer.element,
    () => this.text,
  );

  constructor(isFirst: boolean) {
    this.thinking.hidden = true;
    this.element = authoredItem("loom", isFirst, this.pin, this.thinking, this.answer.element);
    setShown(this.pin, false);
  }

  /** Shows a reply of which more may come. */
  stream(reply: StreamingReply): void {
    this.growThinking(reply.thinking);
    this.answer.grow(reply.text);
  }

  /** Shows the complete reply. */
  readonly update = (entry: AssistantEntry): void => {
    this.growThinking(entry.thinking);
    setText(this.thinkingTitle, strings.transcript.thought);
    this.answer.finish(entry.text);
    this.text = entry.text;
    setShown(this.pin, entry.text.trim() !== "");
    const end = endText(entry.end);
    if (end !== undefined) this.element.append(h("p", { class: "answer-end" }, end));
  };

  private growThinking(text: string): void {
    if (text.length < this.thoughtLength) this.thinkingText.replaceChildren();
    const known = text.length < this.thoughtLength ? 0 : this.thoughtLength;
    if (text.length > known) this.thinkingText.append(text.slice(known));
    this.thoughtLength = text.length;
    setShown(this.thinking, text.trim() !== "");
  }
}

function endText(end: AssistantEntry["end"]): string | undefined {
  switch (end) {
    case "complete":
      return undefined;
    case "cut_by_length":
      return strings.transcript.cutByLength;
    case "stopped":
    case "failed":
      return strings.transcript.partialAnswer;
  }
}
