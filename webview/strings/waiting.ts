import type { WaitingPhase } from "../../src/shared/live";
import { elapsed, number } from "../format";

const GIGABYTE = 1e9;

const size = (bytes: number) =>
  bytes < GIGABYTE ? `${number(bytes / 1e6)}\u00a0MB` : `${(bytes / GIGABYTE).toFixed(1)}\u00a0GB`;

/** How much longer than expected something may take before that is said: a multiple, and milliseconds on top. */
const LATE = { factor: 2, more: 10_000 } as const;

/** Texts for what the first piece of a reply waits for. */
export const waiting = {
  text: ({ what, model, bytes, tokens }: WaitingPhase): string => {
    switch (what) {
      case "request":
        return "Waiting for the model";
      case "turn":
        return `Waiting for another request to ${model}`;
      case "loading":
        return bytes === undefined ? `Loading ${model}` : `Loading ${model} (${size(bytes)})`;
      case "reading":
        return tokens === undefined ? "Reading the prompt" : `Reading the prompt, ~${number(tokens)} tokens`;
    }
  },
  /** The time so far (milliseconds), with the expected one where that is known and worth a word. */
  time: ({ expectedMs = 0 }: Pick<WaitingPhase, "expectedMs">, milliseconds: number): string => {
    if (expectedMs < 1_000) return elapsed(milliseconds);
    const isLate = milliseconds > expectedMs * LATE.factor + LATE.more;
    const note = isLate ? ", another program may be using Ollama" : "";
    return `${elapsed(milliseconds)} of about ${elapsed(expectedMs)}${note}`;
  },
} as const;
