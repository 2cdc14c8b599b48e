import { parseArgs } from "node:util";
import { SUMMARY_REQUESTS, type SummaryRequestSetting } from "../core/compaction/summaryForm";
import { NUM_CTX } from "../core/limits";

/** What the terminal front end was started with. */
export interface TerminalArguments {
  /** Empty: OLLAMA_HOST, then Ollama's own default. */
  readonly host: string;
  /** Empty: the first model of the server that can call tools. */
  readonly model: string;
  /** Tokens. */
  readonly numCtx: number;
  readonly workspace: string;
  /** In which form summaries are asked for. */
  readonly request: SummaryRequestSetting;
  /** Agrees to every edit and command inside the workspace. */
  readonly yes: boolean;
  /** Prints each log event as one line of JSON. */
  readonly json: boolean;
}

export const USAGE = `Usage: npm run loom -- [--host URL] [--model NAME] [--num-ctx N] [--workspace DIR] [--request auto|isolated|inPlace] [--yes] [--json]
One message a line from standard input; /help lists the slash commands. Ends at the end of input.`;

/** The arguments, or a sentence that names what is wrong with them. */
export function readArguments(words: readonly string[]): TerminalArguments | { readonly error: string } {
  try {
    const { values } = parseArgs({
      args: [...words],
      options: {
        host: { type: "string", default: "" },
        model: { type: "string", default: "" },
        "num-ctx": { type: "string", default: String(NUM_CTX.default) },
        workspace: { type: "string", default: "." },
        request: { type: "string", default: "auto" },
        yes: { type: "boolean", default: false },
        json: { type: "boolean", default: false },
      },
    });
    const text = values["num-ctx"];
    const numCtx = Number(text);
    if (!Number.isInteger(numCtx) || numCtx < NUM_CTX.minimum || numCtx > NUM_CTX.maximum) {
      const range = `a whole number from ${NUM_CTX.minimum} to ${NUM_CTX.maximum}`;
      return { error: `--num-ctx is "${text}", but must be ${range}, e.g. --num-ctx ${NUM_CTX.default}.` };
    }
    const request = SUMMARY_REQUESTS.find((form) => form === values.request);
    if (request === undefined) {
      return {
        error: `--request is "${values.request}", but must be one of ${SUMMARY_REQUESTS.join(", ")}.`,
      };
    }
    const { host, model, workspace, yes, json } = values;
    return { host, model, numCtx, workspace, request, yes, json };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}
