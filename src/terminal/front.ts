import type { CommandOutcome, Session } from "../core/session";
import type { ApprovalQuestion, SessionEvent } from "../shared/live";
import type { Print } from "./printer";
import { jsonPrinter, keptLine, meterLine, plainPrinter, withoutOrders } from "./printer";
import { restore, type RestorePorts } from "./restore";

export interface FrontPorts {
  readonly print: Print;
  readonly json: boolean;
  /** Answers a tool's question; without a person at the terminal the answer is what `--yes` says. */
  readonly ask: (question: ApprovalQuestion) => Promise<boolean>;
  /** A new conversation in place of the old one, for /clear. */
  readonly newSession: () => Session;
  /** For /restore. */
  readonly restoring: Omit<RestorePorts, "say">;
}

const HELP = `/compact [focus]  summarise the conversation now
/undo             take the newest compaction back
/restore          bring back the files that the last turn changed
/restore undo     take that back
/clear            start over
/context          what fills the context window
/summary          the summary that the context begins with
/pin TEXT         keep a text word for word through every compaction
/pins             what is pinned
/unpin N          take pin number N back
/help             this list
Everything else is a message to the agent.`;

/** The terminal front end: one message of the person at a time over a session. */
export class TerminalFront {
  #session: Session;
  #stopListening: () => void = () => undefined;
  #hasFailed = false;
  #messages = 0;

  readonly #print: Print;

  constructor(private readonly ports: FrontPorts) {
    this.#print = withoutOrders(ports.print);
    this.#session = this.#open();
  }

  /** True when the last turn could not be completed. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  get session(): Session {
    return this.#session;
  }

  /** Handles one line; resolves when the agent is idle again. */
  async handle(line: string): Promise<void> {
    const text = line.trim();
    const [, command, rest = ""] = /^\/(\w+)(?:\s+(.*))?$/s.exec(text) ?? [];
    if (text === "") return;
    switch (command) {
      case "compact":
        return this.#compact(rest);
      case "undo":
        return this.#undo();
      case "restore":
        return restore({ ...this.ports.restoring, say: (said) => this.#say(said) }, this.#session, rest);
      case "clear":
        await this.#session.dispose();
        this.#session = this.#open();
        return this.#say("A new session.");
      case "context":
        return this.#showContext();
      case "summary":
        return this.#say(this.#session.latestSummary() ?? "Nothing has been compacted yet.");
      case "pin":
        return this.#report(
          this.#session.pin(rest),
          "Pinned; the context holds it from the next compaction on.",
        );
      case "pins":
        return this.#showPins();
      case "unpin":
        return this.#unpin(rest);
      case "help":
        return this.#say(HELP);
      default:
        return this.#send(text);
    }
  }

  /** Stops and stores what is left. */
  async close(): Promise<void> {
    await this.#session.dispose();
    this.#stopListening();
  }

  #open(): Session {
    this.#stopListening();
    const session = this.ports.newSession();
    const print = this.ports.json ? jsonPrinter(this.#print) : plainPrinter(this.#print);
    if (this.ports.json) for (const event of session.events) print(event);
    const unsubscribe = session.onEvent((event) => {
      print(event);
      this.#watch(session, event);
    });
    this.#stopListening = unsubscribe;
    return session;
  }

  #watch(session: Session, event: SessionEvent): void {
    if (event.type === "turn_ended") this.#hasFailed = event.reason === "failed";
    if (event.type === "turn_ended" && !this.ports.json) {
      const { kept } = session.view;
      if (kept !== null) this.#print(`${keptLine(kept)}\n`);
    }
    if (event.type === "assistant_message" && event.toolCalls.length > 0 && !this.ports.json) {
      const { meter } = session.view;
      if (meter !== null) this.#print(`${meterLine(meter)}\n`);
    }
    if (event.type === "approval_asked") void this.#ask(session, event.callId, event.question);
  }

  async #ask(session: Session, callId: string, question: ApprovalQuestion): Promise<void> {
    const isAllowed = await this.ports.ask(question);
    const reason =
      "There is nobody to ask. Start with --yes to agree to edits and commands inside the workspace.";
    session.decide(callId, isAllowed ? { answer: "allow" } : { answer: "deny", reason });
  }

  async #send(text: string): Promise<void> {
    const session = this.#session;
    const outcome = session.send(`line-${++this.#messages}`, text);
    if (!outcome.accepted) {
      this.#hasFailed = true;
      return this.#say(outcome.message);
    }
    await idle(session);
  }

  async #compact(focus: string): Promise<void> {
    const outcome = await this.#session.compactNow(focus === "" ? undefined : focus);
    if (!outcome.ok) this.#say(outcome.message);
    const { meter } = this.#session.view;
    if (meter !== null && !this.ports.json) this.#say(meterLine(meter));
  }

  #undo(): void {
    const outcome = this.#session.steering.undo();
    if (!outcome.ok) return this.#say(outcome.message);
    const { meter } = this.#session.view;
    if (meter !== null && !this.ports.json) this.#say(meterLine(meter));
  }

  #showPins(): void {
    const lines = this.#session.view.pins.map(({ text }, index) => `${index + 1}. ${text}`);
    this.#say(lines.length === 0 ? "Nothing is pinned." : lines.join("\n"));
  }

  #unpin(number: string): void {
    const pin = /^\d+$/.test(number) ? this.#session.view.pins[Number(number) - 1] : undefined;
    if (pin === undefined)
      return this.#say(`There is no pin ${number}. /pins shows them with their numbers.`);
    this.#report(this.#session.unpin(pin.id), "Unpinned.");
  }

  #report(outcome: CommandOutcome, done: string): void {
    this.#say(outcome.ok ? done : outcome.message);
  }

  async #showContext(): Promise<void> {
    const { parts, used, window } = await this.#session.breakdown();
    const { largest, next } = await this.#session.steering.details();
    const rows = parts.map(
      ({ name, tokens }) => `${name.replaceAll("_", " ").padEnd(20)}${String(tokens).padStart(8)}`,
    );
    this.#say(
      [
        ...rows,
        `${"used".padEnd(20)}${`${used.estimated ? "~" : ""}${used.tokens}`.padStart(8)} of ${window}`,
        "largest:",
        ...largest.map(({ kind, title, tokens }) =>
          `${String(tokens).padStart(8)}  ${kind.replaceAll("_", " ")} ${title}`.trimEnd(),
        ),
        ...(next.plan === undefined
          ? []
          : [
              `a compaction now: ${next.plan.messagesSummarised} messages summarised, ${next.plan.kept.length} kept, at most about ${next.plan.afterTokens} tokens after it`,
            ]),
      ].join("\n"),
    );
  }

  /** What is not an event goes out as JSON too when JSON was asked for. */
  #say(text: string): void {
    this.#print(this.ports.json ? `${JSON.stringify({ type: "terminal", text })}\n` : `${text}\n`);
  }
}

/** Resolves when nothing runs and nothing waits. */
function idle(session: Session): Promise<void> {
  return new Promise((resolve) => {
    const stop = session.onEvent(({ type }) => {
      if (type !== "phase_changed") return;
      // The next waiting message starts right after the phase says idle.
      queueMicrotask(() => {
        if (session.isBusy || session.view.queue.length > 0) return;
        stop();
        resolve();
      });
    });
  });
}
