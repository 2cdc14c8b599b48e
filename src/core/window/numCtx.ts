import { NUM_CTX } from "../limits";

/** What is known about the window of a model, in tokens. */
export interface WindowFacts {
  /** What it was trained for: servers lower a larger num_ctx to it without a word. */
  readonly trained?: number | undefined;
  /** num_ctx of its Modelfile. */
  readonly modelfile?: number | undefined;
}

/** What helps where a window is too small for what has to be in it. */
export const LARGER_WINDOW =
  "Raise num_ctx (setting loom.numCtx) or choose a model with a larger context window.";

/**
 * The num_ctx to ask for: what the person has set, else what the model's maker has, else a careful default; never more than
 * the model was trained for. Never the trained length by itself: it can need more memory than there is.
 */
export function chooseNumCtx(set: number | undefined, { trained, modelfile }: WindowFacts): number {
  const wanted = set ?? Math.max(NUM_CTX.minimum, modelfile ?? NUM_CTX.default);
  return trained === undefined ? wanted : Math.min(wanted, trained);
}

/** The sizes to choose from: powers of two up to what the model was trained for, that, and the one that is set. */
export function windowSizes(current: number, trained: number | undefined): readonly number[] {
  const most = trained ?? 131_072;
  const sizes = new Set([current]);
  for (let size: number = NUM_CTX.minimum; size <= Math.min(most, NUM_CTX.maximum); size *= 2)
    sizes.add(size);
  if (trained !== undefined && trained >= NUM_CTX.minimum) sizes.add(trained);
  return [...sizes].sort((a, b) => a - b);
}
