import { h, type Child } from "../dom";

/** A sentence of Loom with what stands in it between backticks, such as a command, as code. */
export function withCode(sentence: string): Child[] {
  return sentence.split("`").map((part, index) => (index % 2 === 1 ? h("code", {}, part) : part));
}
