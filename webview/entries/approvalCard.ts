import { canRemember, type ApprovalDecision, type ApprovalQuestion } from "../../src/shared/live";
import type { PendingApproval } from "../../src/shared/view";
import { approvalRemarks, approvalTitle } from "../describe";
import { h, type Child } from "../dom";
import { number } from "../format";
import { post } from "../hostApi";
import { icon } from "../icons";
import { isComposing } from "../keys";
import { strings } from "../strings";
import { button, textField } from "../toolkit";
import { spelledText, visibleCommand } from "../visibleText";
import { diffView } from "./diffView";

/** Asks for consent with everything that the person needs in order to decide. It goes when the host says that it is settled. */
export class ApprovalCard {
  readonly element: HTMLElement;
  private readonly reason = textField({
    label: strings.approval.reason,
    placeholder: strings.approval.reasonPlaceholder,
    className: "reason",
  });
  private readonly allow = button({
    label: strings.approval.allow,
    appearance: "primary",
    onPress: () => this.decide({ answer: "allow" }),
  });
  private isDecided = false;

  constructor(private readonly approval: PendingApproval) {
    const { question } = approval;
    const title = strings.approval.needed(approvalTitle(question));
    this.element = h(
      "section",
      { class: "approval", role: "group", "aria-label": title },
      h("p", { class: "approval-title" }, icon("question", "asks"), h("span", {}, ...titleParts(question))),
      content(question),
      ...approvalRemarks(question).map((text) =>
        h("p", { class: "approval-remark", dir: "auto" }, icon("warning"), h("span", {}, text)),
      ),
      this.buttons(question),
    );
    this.reason.element.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !isComposing(event)) this.deny();
    });
  }

  /** Brings the card into view with the keyboard focus on its first button. */
  focus(): void {
    this.element.scrollIntoView({ block: "nearest" });
    this.allow.focus();
  }

  private buttons(question: ApprovalQuestion): HTMLElement {
    const { allowForSession, deny, showDiff, buttons } = strings.approval;
    return h(
      "div",
      { class: "approval-buttons", role: "group", "aria-label": buttons },
      this.allow,
      canRemember(question)
        ? button({ label: allowForSession, onPress: () => this.decide({ answer: "allow_for_session" }) })
        : undefined,
      question.kind === "edit"
        ? button({
            label: showDiff,
            onPress: () => post({ type: "show_diff", callId: this.approval.callId }),
          })
        : undefined,
      h("div", { class: "deny" }, this.reason.element, button({ label: deny, onPress: () => this.deny() })),
    );
  }

  private deny(): void {
    this.decide({ answer: "deny", reason: this.reason.control()?.value.trim() ?? "" });
  }

  private decide(decision: ApprovalDecision): void {
    // A second click before the host answers must not settle the question that comes next.
    if (this.isDecided) return;
    this.isDecided = true;
    const { callId, askId } = this.approval;
    post({ type: "decide", callId, decision, ...(askId === undefined ? {} : { askId }) });
  }
}

function titleParts(question: ApprovalQuestion): Child[] {
  const title = h("strong", {}, approvalTitle(question));
  switch (question.kind) {
    case "edit":
      return [
        title,
        " ",
        h("span", { class: "count" }, `+${number(question.added)}`),
        " ",
        h("span", { class: "count" }, `−${number(question.removed)}`),
      ];
    case "command":
      return [
        title,
        " ",
        h("span", { class: "quiet" }, strings.approval.inFolder(spelledText(question.folder))),
      ];
    case "outside":
    case "secret":
    case "recovered":
      return [title];
  }
}

function content(question: ApprovalQuestion): HTMLElement | undefined {
  switch (question.kind) {
    case "edit":
      return diffView(question.diff);
    case "command":
      return h(
        "pre",
        {
          class: "command scrolls",
          dir: "ltr",
          tabindex: "0",
          role: "group",
          "aria-label": strings.approval.wholeCommand,
        },
        visibleCommand(question.command),
      );
    case "outside":
    case "secret":
    case "recovered":
      return undefined;
  }
}
