import type { QueuedMessage } from "../../src/shared/live";
import { h, setShown } from "../dom";
import { strings } from "../strings";
import { button } from "../toolkit";

/** The messages that were sent while the agent works and that go out when it is done. */
export class QueueList {
  readonly element = h("ul", { class: "queue", "aria-label": strings.composer.waitingMessages });
  private queue: readonly QueuedMessage[] = [];

  /** `onEdit` takes a message back into the field, `onWithdraw` takes it away. */
  constructor(
    private readonly onEdit: (message: QueuedMessage) => void,
    private readonly onWithdraw: (message: QueuedMessage) => void,
  ) {
    setShown(this.element, false);
  }

  update(queue: readonly QueuedMessage[]): void {
    if (queue === this.queue) return;
    this.queue = queue;
    this.element.replaceChildren(...queue.map((message) => this.row(message)));
    setShown(this.element, queue.length > 0);
  }

  private row(message: QueuedMessage): HTMLLIElement {
    const { editQueued, editQueuedTitle, withdraw, withdrawTitle } = strings.steering;
    return h(
      "li",
      {},
      h("span", { class: "quiet" }, strings.composer.waits),
      h("span", { class: "queued", dir: "auto", title: message.text }, message.text),
      button({
        label: editQueued,
        title: editQueuedTitle,
        icon: "edit",
        appearance: "icon",
        onPress: () => this.onEdit(message),
      }),
      button({
        label: withdraw,
        title: withdrawTitle,
        icon: "close",
        appearance: "icon",
        onPress: () => this.onWithdraw(message),
      }),
    );
  }
}
