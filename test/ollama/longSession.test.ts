import { describe, test } from "node:test";
import { playLongSession } from "./support/longSession";

// `npm run bench -- session` plays it in a window of 4,096 as well, which takes as long again.
describe("a long session on a real Ollama", { timeout: 900_000 }, () => {
  test("at num_ctx 2048 30 rounds of reading a file far larger than the window all fit, and nothing is cut", async (context) => {
    context.diagnostic(await playLongSession(2048));
  });
});
