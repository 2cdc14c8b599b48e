import { h } from "../dom";
import { lastBlockStart, renderMarkdown } from "./markdown";

/** A line that defines a reference: `[name]: address`. It may change how earlier blocks read. */
const REFERENCE = /^ {0,3}\[[^\]]+\]:/m;

/**
 * Markdown that grows at its end. Blocks that are complete are rendered once and then left alone; only the last one is made
 * anew when text arrives, so the work for a piece of text does not grow with what came before.
 */
export class StreamedMarkdown {
  readonly element = h("div", { class: "markdown", dir: "auto" });
  /** Holds the last block, which may still change. */
  private readonly open = h("div", { class: "open-block" });
  private text = "";
  /** The characters whose blocks are rendered for good. */
  private settled = 0;

  constructor() {
    this.element.append(this.open);
  }

  /** Shows `text`, which continues the one before. */
  grow(text: string): void {
    if (text.length === this.text.length) return;
    this.text = text;
    const rest = text.slice(this.settled);
    const start = lastBlockStart(rest);
    if (start > 0) {
      this.open.before(renderMarkdown(rest.slice(0, start)));
      this.settled += start;
    }
    this.open.replaceChildren(renderMarkdown(rest.slice(start), false));
  }

  /** Shows the complete text, with everything that only complete text gets. */
  finish(text: string): void {
    const isContinued = text.startsWith(this.text.slice(0, this.settled)) && !REFERENCE.test(text);
    if (isContinued) this.open.replaceWith(renderMarkdown(text.slice(this.settled)));
    else this.element.replaceChildren(renderMarkdown(text));
  }
}
