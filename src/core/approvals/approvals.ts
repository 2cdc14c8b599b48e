import { canRemember, type ApprovalDecision, type ApprovalQuestion } from "../../shared/live";
import { isAllowedBy } from "./commandSyntax";

/** `ask` asks for every edit and command, `allowEdits` only for commands, `readOnly` refuses both. */
export type ApprovalMode = "ask" | "allowEdits" | "readOnly";

/** What the person has set about consent, as it is at the moment. */
export interface ApprovalRules {
  readonly mode: ApprovalMode;
  /** Why everything but reading is refused, where that is not the person's own setting. */
  readonly readOnlyReason?: string;
  /** Lines of the allow list; see `isAllowedBy`. */
  readonly allowedCommands?: readonly string[];
}

interface Waiting {
  readonly askId: number;
  readonly question: ApprovalQuestion;
  readonly settle: (decision: ApprovalDecision) => void;
}

/** Told when a question starts and stops waiting for the person. */
export interface ApprovalListener {
  asked(callId: string, question: ApprovalQuestion, askId: number): void;
  settled(callId: string): void;
}

const STOPPED: ApprovalDecision = { answer: "deny", reason: "The user stopped the turn." };

/** The one owner of what was agreed to in a session and of the questions that wait for an answer. */
export class Approvals {
  readonly #waiting = new Map<string, Waiting>();
  readonly #agreed = new Set<string>();
  #asked = 0;

  constructor(
    private readonly rules: () => ApprovalRules,
    private readonly listener: ApprovalListener,
  ) {}

  /**
   * Resolves with the person's answer, at once where the mode or an earlier answer gives it, with `deny` when `signal` fires: the
   * question is then withdrawn. A question with `isRecovered` is put to the person in any case.
   */
  ask(callId: string, question: ApprovalQuestion, signal: AbortSignal): Promise<ApprovalDecision> {
    if (signal.aborted) return Promise.resolve(STOPPED);
    const known = this.#known(question);
    if (known !== undefined) return Promise.resolve(known);
    const askId = ++this.#asked;
    return new Promise((resolve) => {
      const stop = () => this.decide(callId, STOPPED, askId);
      this.#waiting.set(callId, {
        askId,
        question,
        settle: (decision) => {
          signal.removeEventListener("abort", stop);
          resolve(decision);
        },
      });
      signal.addEventListener("abort", stop, { once: true });
      this.listener.asked(callId, question, askId);
    });
  }

  /**
   * The person's answer to a waiting question; an answer to none is ignored, and so is one that was given to an earlier question of
   * the same call: what was shown then is not what would run now.
   */
  decide(callId: string, decision: ApprovalDecision, askId?: number): void {
    const waiting = this.#waiting.get(callId);
    if (waiting === undefined || (askId !== undefined && askId !== waiting.askId)) return;
    this.#waiting.delete(callId);
    const subject = subjectOf(waiting.question);
    if (decision.answer === "allow_for_session" && subject !== undefined) this.#agreed.add(subject);
    this.listener.settled(callId);
    waiting.settle(decision);
  }

  #known(question: ApprovalQuestion): ApprovalDecision | undefined {
    const { mode, readOnlyReason, allowedCommands = [] } = this.rules();
    if (mode === "readOnly" && !isReading(question)) {
      const reason = readOnlyReason ?? "Loom is set to reading only (setting loom.approvals).";
      return { answer: "deny", reason };
    }
    if (question.isRecovered === true) return undefined;
    if (question.kind === "edit" && mode === "allowEdits" && canRemember(question))
      return { answer: "allow" };
    if (question.kind === "command" && question.plain !== undefined) {
      const { plain } = question;
      if (question.secrets === undefined && allowedCommands.some((line) => isAllowedBy(line, plain))) {
        return { answer: "allow" };
      }
    }
    const subject = subjectOf(question);
    return subject !== undefined && this.#agreed.has(subject) ? { answer: "allow" } : undefined;
  }
}

function isReading(question: ApprovalQuestion): boolean {
  if (question.kind === "recovered") return true;
  return (question.kind === "outside" || question.kind === "secret") && question.access === "read";
}

/**
 * What "for this session" extends to: all edits inside the workspace but of what starts programs, and only the very same words of a plain command, or the same
 * outside or secret path. Undefined for what is asked about each time.
 */
function subjectOf(question: ApprovalQuestion): string | undefined {
  switch (question.kind) {
    case "edit":
      return canRemember(question) ? "edit" : undefined;
    case "command":
      return canRemember(question) ? JSON.stringify(["command", question.folder, question.plain]) : undefined;
    case "outside":
    case "secret":
      return JSON.stringify([question.kind, question.access, question.path]);
    case "recovered":
      return undefined;
  }
}
