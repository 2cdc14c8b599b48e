import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { parseAddress } from "../src/ollama/address";
import { OllamaModel } from "../src/ollama/ollamaModel";
import { applyEvent, EMPTY_VIEW } from "../src/shared/view";
import { EventBatch } from "../src/vscode/panel/eventBatch";
import { printFigures } from "./measure";
import { orderOf, serveTokens, type TokenPlan } from "./stream/tokenServer";

/** The word with which the bench starts itself as the server. */
const SERVER_WORD = "--server";

/** Tokens that the host must be able to decode in a second of its own time; a fast server sends 5,000. */
const CAPACITY = 50_000;
const SERVER_PACE = 5_000;
/** What the panel gathers events for, as in the chat view, in milliseconds. */
const GATHER_MS = 20;
const RUNS = 5;

/** `npm run bench -- stream [--json]`: how many streamed tokens the host can take, and how many messages the page gets for them. */
export async function main(words: readonly string[]): Promise<void> {
  if (words.includes(SERVER_WORD)) return serveTokens();
  const server = fork(fileURLToPath(import.meta.url), ["stream", SERVER_WORD]);
  const [port] = (await once(server, "message")) as [number];
  const address = parseAddress(`127.0.0.1:${port}`, "The bench's server");
  if ("error" in address) throw new Error(address.error);
  const model = new OllamaModel({ address });
  await receive(model, { tokens: 20_000 });
  const capacities: number[] = [];
  for (let run = 0; run < RUNS; run++) capacities.push((await receive(model, { tokens: 100_000 })).perSecond);
  const paced = await receive(model, { tokens: 2 * SERVER_PACE, perSecond: SERVER_PACE });
  server.disconnect();
  const capacity = Math.max(...capacities);
  printFigures(
    [
      {
        what: "microseconds of the host's time for a streamed token: decoded, reduced, gathered",
        value: 1e6 / capacity,
        unit: "µs",
        limit: 1e6 / CAPACITY,
      },
      { what: "  that is so many tokens a second", value: capacity, unit: "" },
      {
        what: `messages to the page in a second of ${SERVER_PACE} tokens, one a frame at the most`,
        value: paced.batches / paced.seconds,
        unit: "",
        limit: 1000 / GATHER_MS,
      },
      {
        what: "  the share of a core that this takes",
        value: (100 * paced.cpuSeconds) / paced.seconds,
        unit: "%",
      },
    ],
    words.includes("--json"),
  );
}

interface Received {
  /** Tokens in a second of this process's own processor time. */
  readonly perSecond: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly batches: number;
}

/** Receives a reply as the host does: over HTTP, into the view of a session, and in batches for the page. */
async function receive(model: OllamaModel, plan: TokenPlan): Promise<Received> {
  let view = applyEvent(EMPTY_VIEW, { type: "reply_started", id: "r" });
  let batches = 0;
  const batch = new EventBatch(GATHER_MS, () => batches++);
  const request = {
    model: "bench",
    numCtx: 4096,
    messages: [{ role: "user" as const, source: "", content: orderOf(plan) }],
    tools: [],
    maxReplyTokens: 100,
    thinking: "default" as const,
  };
  const started = performance.now();
  const cpu = process.cpuUsage();
  const outcome = await model.chat(
    request,
    (delta) => {
      const event = { type: "reply_delta", ...delta } as const;
      view = applyEvent(view, event);
      batch.add(event);
    },
    new AbortController().signal,
  );
  const { user, system } = process.cpuUsage(cpu);
  const seconds = (performance.now() - started) / 1000;
  batch.dispose();
  if (outcome.type !== "reply" || view.streaming?.text.length !== plan.tokens * " token".length) {
    throw new Error(`The reply did not come whole: ${JSON.stringify(outcome).slice(0, 200)}`);
  }
  const cpuSeconds = (user + system) / 1e6;
  return { perSecond: plan.tokens / cpuSeconds, seconds, cpuSeconds, batches };
}
