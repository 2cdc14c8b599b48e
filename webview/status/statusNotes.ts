import type { ModelStatus } from "../../src/shared/protocol";
import { h, setShown, type Child } from "../dom";
import { post, runCommand } from "../hostApi";
import { icon } from "../icons";
import { withCode } from "../markdown/inlineCode";
import { strings } from "../strings";
import { modelTexts } from "../strings/model";
import { button, progressRing } from "../toolkit";
import { adviceFor, type AdvisedAction } from "./modelAdvice";

/** The state of server and model as the host last told it. */
interface Shown {
  readonly status: ModelStatus;
  readonly hasFolder: boolean;
  readonly isEmpty: boolean;
}

/** What stands where the conversation will be: what is missing and how to get it, or a word of welcome. */
export class EmptyState {
  readonly element = h("section", { class: "empty", "aria-label": strings.empty.examplesLabel });

  constructor(private readonly onExample: (text: string) => void) {}

  update({ status, hasFolder, isEmpty }: Shown): void {
    setShown(this.element, isEmpty);
    this.element.replaceChildren(
      ...(isEmpty ? [...this.content(status, hasFolder), ...otherAddress(status)] : []),
    );
  }

  private content(status: ModelStatus, hasFolder: boolean): Node[] {
    const { empty } = strings;
    if (status.state === "ready") return this.welcome(status.model, hasFolder);
    const advice = adviceFor(status);
    if (advice === undefined) {
      return [h("p", { class: "checking" }, progressRing(), empty.lookingFor(status.address))];
    }
    return [
      h("h2", {}, advice.title),
      h("p", {}, ...withCode(advice.text)),
      actionRow(advice.actions, true),
      ...(hasFolder ? [] : [noFolder()]),
    ];
  }

  private welcome(model: string, hasFolder: boolean): Node[] {
    const { empty } = strings;
    const examples = empty.examples.map((text) => h("li", {}, this.example(text)));
    return [
      h("h2", {}, empty.ready),
      h("p", {}, empty.readyText(model)),
      hasFolder ? h("ul", { class: "examples", "aria-label": empty.examplesLabel }, ...examples) : noFolder(),
      h("p", { class: "quiet" }, empty.promise),
    ];
  }

  private example(text: string): HTMLElement {
    const element = h("button", { class: "example", type: "button" }, text);
    element.addEventListener("click", () => this.onExample(text));
    return element;
  }
}

/** One slim line above the composer when server or model stop being usable in the middle of a conversation. */
export class StatusBanner {
  readonly element = h("section", { class: "banner", "aria-label": strings.phase.status });

  update({ status, isEmpty }: Shown): void {
    const advice = isEmpty ? undefined : adviceFor(status);
    setShown(this.element, advice !== undefined);
    this.element.replaceChildren(
      ...(advice === undefined
        ? []
        : [
            h("p", { title: advice.text }, icon("warning"), advice.title),
            actionRow(advice.actions.slice(0, 2), false),
          ]),
    );
  }
}

/** Says for as long as it is so that what answers is a rehearsal and not a model. */
export class RehearsalNote {
  readonly element: HTMLElement;

  constructor() {
    const { rehearsal, empty } = strings;
    const download = button({
      label: rehearsal.download,
      onPress: () => post({ type: "open_link", url: rehearsal.url }),
    });
    this.element = h(
      "details",
      { class: "rehearsal" },
      h(
        "summary",
        {},
        icon("info"),
        h("span", {}, rehearsal.note, " ", h("span", { class: "how" }, rehearsal.how)),
      ),
      h("ol", {}, ...rehearsal.steps.map((step) => h("li", {}, step))),
      h(
        "div",
        { class: "actions" },
        download,
        actionButton({ label: empty.selectModel, command: "selectModel" }, false),
      ),
    );
    setShown(this.element, false);
  }

  update({ status }: Shown): void {
    setShown(this.element, status.state === "ready" && status.isRehearsal);
  }
}

function noFolder(): HTMLElement {
  const { empty } = strings;
  return h(
    "div",
    { class: "aside" },
    h("p", {}, empty.noFolder),
    actionRow([{ label: empty.openFolder, command: "openFolder" }], false),
  );
}

/** What the workspace's settings name as the address while Loom does not use it. */
function otherAddress({ otherAddress: other }: ModelStatus): Node[] {
  if (other === undefined) return [];
  const text = modelTexts.otherAddress(other.url, other.isRefused);
  return [
    h(
      "div",
      { class: "aside" },
      h("p", {}, text),
      actionRow([{ label: modelTexts.chooseAddress, command: "chooseAddress" }], false),
    ),
  ];
}

function actionRow(actions: readonly AdvisedAction[], isMain: boolean): HTMLElement {
  const children: Child[] = actions.map((action, index) => actionButton(action, isMain && index === 0));
  return h("div", { class: "actions" }, ...children);
}

function actionButton({ label, command, argument }: AdvisedAction, isPrimary: boolean): HTMLElement {
  return button({
    label,
    appearance: isPrimary ? "primary" : "secondary",
    onPress: () => runCommand(command, argument),
  });
}
