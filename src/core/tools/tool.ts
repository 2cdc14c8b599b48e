import type { JsonValue, ToolFacts, ToolOutcome } from "../../shared/events";
import type { AskApproval, ToolSchema } from "../ports";

/** What a tool is given beside its arguments. */
export interface ToolContext {
  /** The most characters that `content` may have; a tool cuts its result itself and says how to go on. */
  readonly maxCharacters: number;
  readonly ask: AskApproval;
  readonly onOutput: (text: string) => void;
  /**
   * Keeps what files hold before they are changed, so that the turn can be taken back; `isCertain` when they will be. Never fails:
   * what cannot be kept is noted.
   */
  readonly keep?: (files: readonly TouchedFile[], isCertain: boolean) => Promise<void>;
  /** Notes what files that were kept hold after a change, to tell it from what the person changes later. */
  readonly noteWritten?: (files: readonly TouchedFile[]) => Promise<void>;
  /** Notes that files were not changed which were kept as those that certainly will be. */
  readonly noteNotWritten?: (files: readonly TouchedFile[]) => Promise<void>;
  /**
   * Keeps what the workspace's files hold before something that may change any of them. What it gives is called afterwards and notes
   * what has changed; undefined when `signal` fired or it is not possible.
   */
  readonly takeStock?: (signal: AbortSignal) => Promise<(() => Promise<void>) | undefined>;
}

/** A file that a tool changes. */
export interface TouchedFile {
  readonly absolute: string;
  readonly shown: string;
}

export interface ToolRun {
  readonly outcome: ToolOutcome;
  readonly content: string;
  /** One line for the card, e.g. `lines 1–40 of 120`. */
  readonly summary: string;
  readonly facts?: ToolFacts;
}

/**
 * One tool. `parse` turns what the model wrote into arguments, mending what is safe to mend, or returns a sentence that says
 * what is wrong and shows the right form. `run` never throws for things that can happen; a stop ends it soon with `cancelled`.
 */
export interface Tool<Arguments> {
  readonly schema: ToolSchema;
  /** True when the tool itself asks the person about everything that it does. */
  readonly asks?: boolean;
  parse(input: Readonly<Record<string, JsonValue>>): Arguments | { readonly error: string };
  run(input: Arguments, context: ToolContext, signal: AbortSignal): Promise<ToolRun>;
}

/** A tool whose arguments have been checked: ready to run. */
export type PreparedTool = (context: ToolContext, signal: AbortSignal) => Promise<ToolRun>;

/** A tool of any argument type, as the loop sees it. */
export interface AnyTool {
  readonly schema: ToolSchema;
  readonly asks?: boolean;
  prepare(input: Readonly<Record<string, JsonValue>>): PreparedTool | { readonly error: string };
}

/** Hides the argument type of a tool, so that different tools fit in one list. */
export function toAnyTool<Arguments extends object>(tool: Tool<Arguments>): AnyTool {
  return {
    schema: tool.schema,
    ...(tool.asks === undefined ? {} : { asks: tool.asks }),
    prepare(input) {
      const parsed = tool.parse(input);
      if ("error" in parsed) return { error: String(parsed.error) };
      return (context, signal) => tool.run(parsed, context, signal);
    },
  };
}
