import { findOllama, ensureOllama, stopOllama, type FoundOllama } from "./ollama/setup";
import { readArguments, usage, type Arguments } from "./ollama/arguments";

const asked = readArguments(process.argv.slice(2));
try {
  process.exitCode = "error" in asked ? refuse(asked.error) : await perform(asked);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

function refuse(problem: string): number {
  console.error(`${problem}\n${usage}`);
  return 2;
}

/** Does what was asked and gives the exit code. What is going on goes to standard error, so that `--json` prints only JSON. */
async function perform({ action, isJson, createModels }: Arguments): Promise<number> {
  switch (action) {
    case "help":
      console.log(usage);
      return 0;
    case "stop":
      console.log(
        (await stopOllama()) ? "The server has ended." : "No server that was started here is running.",
      );
      return 0;
    case "find": {
      const found = await findOllama();
      if (found) print(found, isJson);
      else console.error("No Ollama answers. npm run ollama gets one.");
      return found ? 0 : 1;
    }
    case "start":
      print(await ensureOllama((line) => console.error(line), { createModels }), isJson);
      return 0;
  }
}

function print({ address, models, version, source, isOwn }: FoundOllama, isJson: boolean): void {
  if (isJson) {
    console.log(JSON.stringify({ address, models, version, source }));
    return;
  }
  console.log(`Ollama ${version} answers at ${address}`);
  console.log(models.length > 0 ? `Models: ${models.join(", ")}` : "It has no models: ollama pull gets one.");
  console.log(
    isOwn ? "npm run ollama -- --stop ends it." : `It was not started by Loom (found by ${source}).`,
  );
}
