import type { QueuedMessage } from "../src/shared/live";
import type { SessionView } from "../src/shared/view";

interface Withdrawal {
  readonly message: QueuedMessage;
  /** How many entries the transcript had when the person asked for the message. */
  readonly entries: number;
}

/** Waiting messages that the person wants back. Each comes back exactly once: to the field, or as sent when it was too late. */
export class Withdrawals {
  private open: Withdrawal[] = [];

  start(message: QueuedMessage, view: SessionView): void {
    if (this.open.some((other) => other.message.id === message.id)) return;
    this.open.push({ message, entries: view.entries.length });
  }

  /** The texts that have left the queue without having been sent. */
  settle(view: SessionView): string[] {
    const gone = this.open.filter(({ message }) => !view.queue.some(({ id }) => id === message.id));
    if (gone.length === 0) return [];
    this.open = this.open.filter((withdrawal) => !gone.includes(withdrawal));
    return gone.filter((withdrawal) => !wasSent(withdrawal, view)).map(({ message }) => message.text);
  }
}

function wasSent({ message, entries }: Withdrawal, view: SessionView): boolean {
  return view.entries.slice(entries).some((entry) => entry.kind === "user" && entry.text === message.text);
}
