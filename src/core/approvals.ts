import type { ApprovalDecision, ApprovalQuestion } from "../shared/live";

/** `ask` asks for every edit and command, `allowEdits` only for commands, `readOnly` refuses both. */
export type ApprovalMode = "ask" | "allowEdits" | "readOnly";

interface Waiting {
  readonly question: ApprovalQuestion;
  readonly settle: (decision: ApprovalDecision) => void;
}

/** Told when a question starts and stops waiting for the person. */
export interface ApprovalListener {
  asked(callId: string, question: ApprovalQuestion): void;
  settled(callId: string): void;
}

const STOPPED: ApprovalDecision = { answer: "deny", reason: "The user stopped the turn." };

/** The one owner of what was agreed to in a session and of the questions that wait for an answer. */
export class Approvals {
  readonly #waiting = new Map<string, Waiting>();
  readonly #agreed = new Set<string>();

  constructor(
    private readonly mode: () => ApprovalMode,
    private readonly listener: ApprovalListener,
  ) {}

  /** Resolves with the person's answer, at once where the mode or an earlier answer gives it, with `deny` when `signal` fires. */
  ask(callId: string, question: ApprovalQuestion, signal: AbortSignal): Promise<ApprovalDecision> {
    if (signal.aborted) return Promise.resolve(STOPPED);
    const known = this.#known(question);
    if (known !== undefined) return Promise.resolve(known);
    return new Promise((resolve) => {
      const stop = () => this.decide(callId, STOPPED);
      this.#waiting.set(callId, {
        question,
        settle: (decision) => {
          signal.removeEventListener("abort", stop);
          resolve(decision);
        },
      });
      signal.addEventListener("abort", stop, { once: true });
      this.listener.asked(callId, question);
    });
  }

  /** The person's answer to a waiting question; an answer to none is ignored. */
  decide(callId: string, decision: ApprovalDecision): void {
    const waiting = this.#waiting.get(callId);
    if (waiting === undefined) return;
    this.#waiting.delete(callId);
    if (decision.answer === "allow_for_session") this.#agreed.add(subjectOf(waiting.question));
    this.listener.settled(callId);
    waiting.settle(decision);
  }

  #known(question: ApprovalQuestion): ApprovalDecision | undefined {
    const mode = this.mode();
    if (mode === "readOnly" && !(question.kind === "outside" && question.access === "read")) {
      return { answer: "deny", reason: "Loom is set to reading only (setting loom.approvals)." };
    }
    if (mode === "allowEdits" && question.kind === "edit") return { answer: "allow" };
    return this.#agreed.has(subjectOf(question)) ? { answer: "allow" } : undefined;
  }
}

/** What "for this session" extends to: all edits inside the workspace, but only the very same command or outside path. */
function subjectOf(question: ApprovalQuestion): string {
  switch (question.kind) {
    case "edit":
      return "edit";
    case "command":
      return JSON.stringify(["command", question.folder, question.command]);
    case "outside":
      return JSON.stringify(["outside", question.access, question.path]);
  }
}
