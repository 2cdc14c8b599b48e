import { DEFAULT_ADDRESS, parseAddress } from "../../src/ollama/address";
import { OllamaServer } from "../../src/ollama/server";
import { REHEARSAL_MODEL, startRehearsalServer } from "../../test/support/rehearsal";
import { findOllama, plainModel, toolModel, type FoundOllama } from "../ollama/setup";

/** The server that Loom will use. */
export interface ModelSource {
  readonly address: string;
  /** The model to begin with; undefined when the server has none that can call tools. */
  readonly name: string | undefined;
  /** Ends what was started for it; nothing for a server that was running before. */
  readonly stop: () => Promise<void>;
}

/** Finds a running Ollama, else starts the rehearsal model; `say` gets what was found and what is missing. */
export async function findModel(say: (line: string) => void): Promise<ModelSource> {
  const found = await findOllama();
  if (process.env["OLLAMA_HOST"] && found?.source !== "OLLAMA_HOST") {
    say(`Ollama: none answers at OLLAMA_HOST (${process.env["OLLAMA_HOST"]}).`);
  }
  if (found === undefined) return startRehearsal(say);
  say(`Ollama: ${found.version} at ${found.address} (found by ${found.source})`);
  const name = await chooseModel(found);
  say(
    name === undefined
      ? "Model: none on this Ollama can call tools. Get one, e.g. by “ollama pull qwen3:4b”; Loom's panel helps."
      : `Model: ${name}, the first that can call tools. “Loom: Select Model” changes it.`,
  );
  if (name !== undefined && [plainModel, toolModel].some((small) => name.startsWith(small))) {
    say("  It is the tiny one that the tests use: real, but don't expect sense of it.");
  }
  return { address: found.address, name, stop: () => Promise.resolve() };
}

async function startRehearsal(say: (line: string) => void): Promise<ModelSource> {
  const server = await startRehearsalServer();
  say(`Ollama: none answers at ${DEFAULT_ADDRESS.url}, so the rehearsal model stands in (${server.url}).`);
  say("  IT IS NOT AN AI: a set of fixed rules that read files, tell back facts and run what you quote.");
  say("  For a real model install Ollama (https://ollama.com), or on Linux run “npm run ollama”.");
  return { address: server.url, name: REHEARSAL_MODEL, stop: () => server.close() };
}

/** The first model that can call tools; on an old Ollama, which does not tell, the first of all. */
async function chooseModel({ address, models }: FoundOllama): Promise<string | undefined> {
  const parsed = parseAddress(address, "The address");
  if ("error" in parsed) throw new Error(parsed.error);
  const server = new OllamaServer({ address: parsed });
  for (const model of models) {
    const facts = await server.show(model, AbortSignal.timeout(10_000));
    if (!("failure" in facts) && facts.canCallTools !== false) return model;
  }
  return undefined;
}
