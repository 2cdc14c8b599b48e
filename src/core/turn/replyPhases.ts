import type { WaitingPhase } from "../../shared/live";
import { modelOf, type Agent } from "../agent";
import type { ReplyDelta, Wait } from "../ports";
import { predictMs } from "../window/speeds";

/** A prompt on its way: an estimate of all of it, and what the server has counted of its beginning before, in tokens. */
export interface PromptSize {
  readonly tokens: number;
  readonly counted: number;
}

/** Shows what a reply waits for, and then whether it is thought or written. */
export class ReplyPhases {
  readonly #agent: Agent;
  readonly #prompt: PromptSize;
  #current: "waiting" | "thinking" | "writing" = "waiting";
  /** A model that is loaded only now has nothing in its cache. */
  #isFresh = false;

  constructor(agent: Agent, prompt: PromptSize) {
    this.#agent = agent;
    this.#prompt = prompt;
    this.#show({ what: "request" });
  }

  waits(wait: Wait): void {
    if (wait.for === "loading") {
      this.#isFresh = true;
      this.#show({ what: "loading", ...(wait.bytes === undefined ? {} : { bytes: wait.bytes }) });
    } else this.#show(wait.for === "reading" ? this.#reading() : { what: wait.for });
  }

  heard(delta: ReplyDelta): void {
    const next = delta.text === "" ? "thinking" : "writing";
    if (this.#current === next || this.#current === "writing") return;
    this.#current = next;
    const { journal, now } = this.#agent;
    journal.emit({ type: "phase_changed", phase: { name: next, since: now() } });
  }

  #reading(): Omit<WaitingPhase, "name" | "since" | "model"> {
    const { tokens, counted } = this.#prompt;
    const toRead = this.#isFresh ? tokens : Math.max(1, tokens - counted);
    const speeds = this.#agent.journal.speedsOf(modelOf(this.#agent));
    const expectedMs = predictMs({ read: toRead, write: 0 }, speeds);
    return { what: "reading", tokens: toRead, ...(expectedMs === undefined ? {} : { expectedMs }) };
  }

  #show(phase: Omit<WaitingPhase, "name" | "since" | "model">): void {
    const { journal, now } = this.#agent;
    const model = modelOf(this.#agent);
    journal.emit({ type: "phase_changed", phase: { name: "waiting", since: now(), model, ...phase } });
  }
}
