/** What the command line asks for. */
export interface Arguments {
  readonly action: "start" | "stop" | "find" | "help";
  /** Print one object of JSON in place of sentences. */
  readonly isJson: boolean;
  /** Create the small models even on a server that was not started here. */
  readonly createModels: boolean;
}

export const usage = `Usage: npm run ollama -- [--json] [--model] [--find | --stop]
  (nothing)  finds an Ollama server, else gets one with a small model and starts it, and prints its address
  --model    creates the small test models also on a server of your own
  --find     only looks for one; the exit code is 1 when none answers
  --stop     ends the one that was started here
  --json     prints {address, models, version, source}`;

/** Reads the arguments, or says what is wrong with them. */
export function readArguments(words: readonly string[]): Arguments | { readonly error: string } {
  const known = ["--json", "--model", "--find", "--stop", "--help"];
  const unknown = words.find((word) => !known.includes(word));
  if (unknown !== undefined) return { error: `There is no argument ${unknown}.` };
  const actions = (["stop", "find", "help"] as const).filter((action) => words.includes(`--${action}`));
  if (actions.length > 1) return { error: "Only one of --stop, --find and --help can be given." };
  return {
    action: actions[0] ?? "start",
    isJson: words.includes("--json"),
    createModels: words.includes("--model"),
  };
}
