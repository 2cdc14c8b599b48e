import type { Phase } from "../../src/shared/live";
import type { Draft, ModelStatus } from "../../src/shared/protocol";
import { announce } from "../announcer";
import { h, setShown, setText } from "../dom";
import { post, runCommand, steer } from "../hostApi";
import { icon } from "../icons";
import { isComposing } from "../keys";
import { pageState, rememberState } from "../pageState";
import { strings } from "../strings";
import { button, setEnabled, textArea } from "../toolkit";
import { parseSlash, slashHints, type SlashInput } from "./slashCommands";

export interface ComposerListener {
  /** A message is to be sent. */
  onMessage(text: string): void;
  onHelp(): void;
  onPins(): void;
  /** The pin with this number, from 1, is to be taken back. */
  onUnpin(number: number): void;
}

/** Where the person writes. The text stays until it was sent, over everything that can happen to the page. */
export class Composer {
  readonly element: HTMLElement;
  private readonly box = textArea({
    label: strings.composer.label,
    placeholder: strings.composer.placeholder,
    className: "composer-text",
  });
  private readonly note = h("p", { class: "composer-note" });
  private readonly hints = h("ul", { class: "composer-hints" });
  private readonly modelName = h("span", { class: "model-name" });
  private readonly model = h(
    "button",
    { class: "model-button", type: "button" },
    this.modelName,
    icon("chevron"),
  );
  private readonly send = button({
    label: strings.composer.send,
    title: strings.composer.sendTitle,
    icon: "send",
    appearance: "icon",
    className: "send",
    onPress: () => this.submit(),
  });
  private readonly stop = button({
    label: strings.composer.stop,
    title: strings.composer.stopTitle,
    icon: "stop",
    appearance: "icon",
    className: "stop",
    onPress: () => this.stopAndStay(),
  });

  private isBusy = false;

  constructor(private readonly listener: ComposerListener) {
    this.model.addEventListener("click", () => runCommand("selectModel"));
    this.element = h(
      "section",
      { class: "composer", "aria-label": strings.composer.label },
      this.note,
      this.hints,
      h(
        "div",
        { class: "composer-box" },
        this.box.element,
        h("div", { class: "composer-bar" }, this.model, h("span", { class: "grow" }), this.stop, this.send),
      ),
    );
    this.box.element.addEventListener("keydown", (event) => this.pressed(event));
    this.box.element.addEventListener("input", () => this.typed());
    this.box.element.addEventListener("focusin", () => post({ type: "composer_focused" }));
    for (const type of ["keyup", "pointerup", "focusout"]) {
      this.box.element.addEventListener(type, () => this.remember());
    }
    setShown(this.note, false);
    setShown(this.hints, false);
    setShown(this.stop, false);
  }

  /** Brings the draft back; to be called once the composer is in the document. */
  restore(): void {
    const control = this.box.control();
    control?.addEventListener("scroll", () => this.remember(), { passive: true });
    this.showDraft();
  }

  /** Takes over what the host kept if it is newer than what this page knows. */
  adopt(draft: Draft): void {
    if (draft.at <= pageState().draft.at) return;
    const { text } = draft;
    rememberState({
      draft: { ...draft, selectionStart: text.length, selectionEnd: text.length, scrollTop: 0 },
    });
    this.showDraft();
  }

  update(phase: Phase): void {
    const isBusy = phase.name !== "idle";
    if (isBusy === this.isBusy) return;
    this.isBusy = isBusy;
    setShown(this.stop, isBusy);
    this.send.title = isBusy ? strings.composer.queueTitle : strings.composer.sendTitle;
  }

  updateStatus(status: ModelStatus): void {
    const { model, chooseModel } = strings.composer;
    // A server that does not answer changes nothing about what was chosen.
    const isUnknown = status.state === "checking" || status.state === "unreachable";
    if (isUnknown && this.modelName.textContent !== "") return;
    const name = "model" in status ? status.model : "";
    setText(this.modelName, name === "" ? chooseModel : name);
    this.model.title = name === "" ? chooseModel : model(name);
  }

  focus(): void {
    this.field.focus();
  }

  /** What takes the keyboard focus. */
  get field(): HTMLElement {
    return this.box.element;
  }

  /** Puts a text in front of what is written by now, and says why where there is a reason. */
  giveBack(text: string, reason: string): void {
    const draft = this.text();
    this.replace(draft.trim() === "" ? text : `${text}\n${draft}`);
    this.say(reason);
  }

  /** Puts a text into the field if nothing is in it yet, else behind what is there. */
  suggest(text: string): void {
    const draft = this.text();
    this.replace(draft.trim() === "" ? text : `${draft}\n${text}`);
    this.focus();
  }

  private showDraft(): void {
    const { text, selectionStart, selectionEnd, scrollTop } = pageState().draft;
    const control = this.box.control();
    this.box.setText(text);
    control?.setSelectionRange(selectionStart, selectionEnd);
    if (control !== undefined) control.scrollTop = scrollTop;
    this.reflect();
  }

  private text(): string {
    return this.box.control()?.value ?? "";
  }

  private pressed(event: KeyboardEvent): void {
    if (event.key !== "Enter" || event.shiftKey || event.altKey || isComposing(event)) return;
    event.preventDefault();
    this.submit();
  }

  private submit(): void {
    const text = this.text();
    if (text.trim() === "") return;
    const slash = parseSlash(text);
    if (slash?.type === "mistake") {
      this.say(slash.message);
      return;
    }
    this.replace("");
    this.say("");
    if (slash === undefined) this.listener.onMessage(text);
    else this.run(slash);
  }

  private run(slash: Exclude<SlashInput, { type: "mistake" }>): void {
    switch (slash.type) {
      case "help":
        return this.listener.onHelp();
      case "pins":
        return this.listener.onPins();
      case "unpin":
        return this.listener.onUnpin(slash.number);
      case "steer":
        return steer(slash.action);
      case "command":
        return runCommand(slash.command, slash.argument);
    }
  }

  private stopAndStay(): void {
    post({ type: "stop" });
    this.focus();
  }

  private replace(text: string): void {
    this.box.setText(text);
    this.box.control()?.setSelectionRange(text.length, text.length);
    this.reflect();
    this.remember();
  }

  private typed(): void {
    this.say("");
    this.reflect();
    this.remember();
  }

  /** Shows what depends on the text. */
  private reflect(): void {
    const text = this.text();
    setEnabled(this.send, text.trim() !== "");
    const hints = slashHints(text);
    this.hints.replaceChildren(...hints.map(([name, does]) => h("li", {}, h("code", {}, name), ` ${does}`)));
    setShown(this.hints, hints.length > 0);
  }

  /** Says something below the field until the person types. */
  say(sentence: string): void {
    setText(this.note, sentence);
    setShown(this.note, sentence !== "");
    announce(sentence);
  }

  private remember(): void {
    const control = this.box.control();
    if (control === undefined) return;
    const { value: text, selectionStart, selectionEnd, scrollTop } = control;
    const before = pageState().draft;
    const at = text === before.text ? before.at : Date.now();
    rememberState({ draft: { text, at, selectionStart, selectionEnd, scrollTop } });
    if (text !== before.text) post({ type: "draft", draft: { text, at } });
  }
}
