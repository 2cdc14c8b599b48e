import { summaryInstruction } from "../../src/core/compaction/summary";
import type { ChatRequest } from "../../src/core/ports";

const [FIRST_LINE = ""] = summaryInstruction(0, undefined).split("\n");

/** True for Loom's own request for a summary, in either form. */
export function asksForSummary({
  messages,
}: {
  readonly messages: readonly { readonly content?: string | null }[];
}): boolean {
  return messages.at(-1)?.content?.startsWith(FIRST_LINE) ?? false;
}

/** The form of such a request. */
export function formOf({ tools }: Pick<ChatRequest, "tools">): "isolated" | "in_place" {
  return tools.length === 0 ? "isolated" : "in_place";
}
