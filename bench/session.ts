import { findOllama, startCachedOllama, toolModel } from "../scripts/ollama/setup";
import { playLongSession } from "../test/ollama/support/longSession";

const WINDOWS = [2048, 4096];

/**
 * `npm run bench -- session`: 30 rounds that read a file far larger than the window, on a real Ollama with the small model. Ends with an
 * error when a request did not fit or was cut; prints how far the estimates were from the server's counts.
 */
export async function main(): Promise<void> {
  const hasModel = (models: readonly string[]) => models.some((name) => name.startsWith(toolModel));
  const found = await findOllama();
  const server = found && hasModel(found.models) ? found : await startCachedOllama();
  if (!server || !hasModel(server.models)) {
    throw new Error(`No Ollama with the model ${toolModel} is there. npm run ollama sets one up.`);
  }
  process.env["LOOM_TEST_OLLAMA"] = server.address;
  for (const numCtx of WINDOWS) console.log(`num_ctx ${numCtx}: ${await playLongSession(numCtx)}`);
}
