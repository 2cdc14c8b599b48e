import type { ServerAddress } from "../address";

/** Where and with what a request failed, for the sentences about it. */
export interface FailureContext {
  readonly address: ServerAddress;
  readonly model?: string | undefined;
  readonly numCtx?: number | undefined;
  /** The request was for a download, not for an answer. */
  readonly isDownload?: boolean;
  readonly platform: NodeJS.Platform;
  /** The machine that Loom runs on when it is not the person's own, in words, e.g. "the WSL machine Ubuntu". */
  readonly machine?: string | undefined;
}

/** The model in words, at the beginning of a sentence. */
export function theModel(context: FailureContext): string {
  return context.model ?? "The model";
}

/** What broke off, for a sentence. */
export function theWork({ address, model, isDownload }: FailureContext): string {
  return `the ${isDownload === true ? "download" : "answer"} of ${model ?? address.url}`;
}

/** How a server that does not answer is brought to answer. */
export function startAdvice({ address, platform, machine }: FailureContext): string {
  if (!address.isLoopback)
    return "Check that Ollama runs there and listens on the network (OLLAMA_HOST=0.0.0.0), and the address in Loom's settings.";
  const start = START[platform] ?? "Start it with `ollama serve` in a terminal";
  if (machine === undefined) return `${start}, or change the address in Loom's settings.`;
  return `That address means ${machine}, where Loom runs: start Ollama there, or enter the address of the machine that it runs on in Loom's settings.`;
}

const GET = "get it from https://ollama.com/download";

const START: Partial<Record<NodeJS.Platform, string>> = {
  darwin: `Open the Ollama app (or run \`ollama serve\` in a terminal; ${GET})`,
  win32: `Start Ollama from the Start menu (or run \`ollama serve\`; ${GET})`,
  linux: `Start it with \`ollama serve\` in a terminal, or \`systemctl start ollama\` (${GET})`,
};

/** What to do about a model that cannot call tools. */
export const TOOLS_ADVICE =
  "Loom needs tools to read and edit files. Choose another model; https://ollama.com/search?c=tools lists those that can.";

const SHOWN_CHARACTERS = 300;

/** The server's own words, as the end of a sentence that says what failed. */
export function quoted(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > SHOWN_CHARACTERS ? `${line.slice(0, SHOWN_CHARACTERS)}…` : line;
}
