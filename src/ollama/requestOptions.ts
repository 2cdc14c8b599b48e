import type { ChatRequest } from "../core/ports";
import type { ThinkingSupport } from "./models/capabilities";
import type { VersionQuirks } from "./models/serverVersion";

/** How much a model that can think is to think: `off`, as it likes, or a level where it has levels. */
export type ThinkingEffort = "off" | "on" | "low" | "medium" | "high";

/** What the server and the model ask of the requests of a session; constant while both stay the same. */
export interface RequestFacts {
  readonly quirks: VersionQuirks;
  readonly thinking: ThinkingSupport;
  readonly effort: ThinkingEffort;
}

/** The fields of a chat request besides messages and tools. */
export interface RequestFields {
  readonly think?: boolean | "low" | "medium" | "high";
  readonly truncate: false;
  readonly shift?: false;
  readonly options: { readonly num_ctx: number; readonly num_predict: number };
}

/**
 * The fields that every request of a session has, made here and nowhere else: another num_ctx or `shift` makes the server load the model anew.
 * `truncate: false` makes it refuse a prompt that is too long instead of cutting it; `shift: false` makes it stop at the end of the
 * window instead of forgetting the first half. That is no setting: with it the server forgets in silence, which is what Loom is there
 * to prevent; another client of the same model that leaves it on makes the server load anew at each change, and is seen as loading. num_predict is a sampling option and may differ. keep_alive is left to the
 * server's own setting.
 */
export function requestFields(
  request: Pick<ChatRequest, "numCtx" | "maxReplyTokens" | "thinking">,
  facts: RequestFacts,
): RequestFields {
  const think = thinkOf(facts.thinking, request.thinking === "off" ? "off" : facts.effort);
  return {
    ...(think === undefined ? {} : { think }),
    truncate: false,
    ...(facts.quirks.noCacheWithoutShift ? {} : { shift: false }),
    options: { num_ctx: request.numCtx, num_predict: request.maxReplyTokens },
  };
}

/** Explicit wherever the model can think, since an absent `think` means different things to different servers. */
function thinkOf(support: ThinkingSupport, effort: ThinkingEffort): RequestFields["think"] {
  if (support === "none") return undefined;
  if (support === "switch") return effort !== "off";
  if (effort === "off") return "low"; // A model with levels cannot be switched off.
  return effort === "on" ? "medium" : effort;
}
