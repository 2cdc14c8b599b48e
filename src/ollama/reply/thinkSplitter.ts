import type { ReplyDelta } from "../../core/ports";

const OPEN = "<think>";
const CLOSE = "</think>";
const NOTHING: ReplyDelta = { text: "", thinking: "" };

/**
 * Parts thinking that a model writes into its answer from the answer, also where a tag is split between chunks. A thinking part
 * stands at the beginning only: `<think>…</think>`, or just everything before a lone `</think>`. A tag in code is text.
 */
export class ThinkSplitter {
  #text = "";
  #thinking = "";
  #held = "";
  /** `open`: no tag seen so far; `settled`: all that follows is answer. */
  #state: "start" | "open" | "thinking" | "settled" = "start";
  #skipsSpace = false;

  /** The answer so far. A lone closing tag moves what was answer before it to the thinking. */
  get text(): string {
    return this.#text;
  }

  get thinking(): string {
    return this.#thinking;
  }

  /** Takes a piece of content; the result is what is new. Up to seven characters may be held back that could begin a tag. */
  push(content: string): ReplyDelta {
    this.#held += content;
    switch (this.#state) {
      case "start":
        return this.#pushStart();
      case "open":
        return this.#pushOpen();
      case "thinking":
        return this.#pushThinking();
      case "settled":
        return this.#answer(this.#takeHeld());
    }
  }

  /** Takes a piece of thinking that the server itself has parted from the answer, which then holds no more. */
  pushThinking(thinking: string): ReplyDelta {
    const before = this.end();
    this.#state = "settled";
    this.#thinking += thinking;
    return { text: before.text, thinking: before.thinking + thinking };
  }

  /** Takes what is held back; to be called when nothing more comes. */
  end(): ReplyDelta {
    const isThinking = this.#state === "thinking";
    return isThinking ? this.#think(this.#takeHeld()) : this.#answer(this.#takeHeld());
  }

  #pushStart(): ReplyDelta {
    const start = this.#held.trimStart();
    if (OPEN.startsWith(start)) return NOTHING;
    if (!start.startsWith(OPEN)) {
      this.#state = "open";
      return this.#pushOpen();
    }
    this.#held = start.slice(OPEN.length);
    this.#state = "thinking";
    this.#skipsSpace = true;
    return this.#pushThinking();
  }

  #pushThinking(): ReplyDelta {
    const end = this.#held.indexOf(CLOSE);
    if (end < 0) return this.#think(this.#takeUnlessTag());
    const rest = this.#held.slice(end + CLOSE.length);
    const { thinking } = this.#think(this.#held.slice(0, end));
    return { thinking, text: this.#settle(rest).text };
  }

  #pushOpen(): ReplyDelta {
    const end = this.#held.indexOf(CLOSE);
    if (end < 0) return this.#answer(this.#takeUnlessTag());
    const before = this.#held.slice(0, end);
    const rest = this.#held.slice(end + CLOSE.length);
    if (isInCode(this.#text + before)) {
      this.#held = rest;
      const tag = this.#answer(before + CLOSE);
      const after = this.#pushOpen();
      return { text: tag.text + after.text, thinking: after.thinking };
    }
    this.#thinking = this.#text + before;
    this.#text = "";
    return { thinking: before, text: this.#settle(rest).text };
  }

  #settle(rest: string): ReplyDelta {
    this.#held = "";
    this.#state = "settled";
    this.#skipsSpace = true;
    return this.#answer(rest);
  }

  #answer(piece: string): ReplyDelta {
    const text = this.#withoutLeadingSpace(piece);
    this.#text += text;
    return { text, thinking: "" };
  }

  #think(piece: string): ReplyDelta {
    const thinking = this.#withoutLeadingSpace(piece);
    this.#thinking += thinking;
    return { text: "", thinking };
  }

  #withoutLeadingSpace(piece: string): string {
    if (!this.#skipsSpace) return piece;
    const rest = piece.trimStart();
    if (rest !== "") this.#skipsSpace = false;
    return rest;
  }

  #takeHeld(): string {
    const held = this.#held;
    this.#held = "";
    return held;
  }

  /** What is held, but for an end that could begin a closing tag. */
  #takeUnlessTag(): string {
    const start = this.#held.lastIndexOf("<");
    const isTagStart = start >= 0 && CLOSE.startsWith(this.#held.slice(start));
    if (!isTagStart) return this.#takeHeld();
    const free = this.#held.slice(0, start);
    this.#held = this.#held.slice(start);
    return free;
  }
}

/** True when what follows the text is inside a fenced block or between backticks. */
function isInCode(text: string): boolean {
  let fence: string | undefined;
  const lines = text.split("\n");
  for (const line of lines) {
    const mark = /^ {0,3}(```|~~~)/.exec(line)?.[1];
    if (fence === undefined) fence = mark;
    else if (fence === mark) fence = undefined;
  }
  const backticks = lines.at(-1)?.split("`").length ?? 1;
  return fence !== undefined || backticks % 2 === 0;
}
