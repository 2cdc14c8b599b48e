import { countOf, objectOf, parseJson } from "../wire/json";

/** What the server said of a prompt that did not fit, in tokens. */
export interface Overflow {
  readonly promptTokens?: number;
  readonly numCtx?: number;
}

/**
 * Reads the error text of a prompt that is larger than the window; undefined when the text says something else. Old servers name no
 * numbers, llama-server puts a JSON object into the text, and MLX models and the sentence inside that object name them in words.
 */
export function parseOverflow(text: string): Overflow | undefined {
  const nested = objectOf(objectOf(parseJson(text))["error"]);
  if (nested["type"] === "exceed_context_size_error")
    return overflow(countOf(nested["n_prompt_tokens"]), countOf(nested["n_ctx"]));
  const numbers = WITH_NUMBERS.map((pattern) => pattern.exec(text)).find((match) => match !== null);
  if (numbers) return overflow(Number(numbers[1]), Number(numbers[2]));
  return WITHOUT_NUMBERS.some((pattern) => pattern.test(text)) ? {} : undefined;
}

const WITH_NUMBERS = [
  /request \((\d+) tokens\) exceeds the available context size \((\d+) tokens\)/,
  /input length \((\d+) tokens\) exceeds the model's maximum context length \((\d+) tokens\)/,
];

const WITHOUT_NUMBERS = [
  /input length exceeds the context length/,
  /prompt is longer than the context length/,
  /exceeds? the available context size/,
];

function overflow(promptTokens: number | undefined, numCtx: number | undefined): Overflow {
  return {
    ...(promptTokens === undefined ? {} : { promptTokens }),
    ...(numCtx === undefined ? {} : { numCtx }),
  };
}
