import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** How a reply is to be sent: so many tokens, a line each, at once or at a pace (tokens a second). */
export interface TokenPlan {
  readonly tokens: number;
  readonly perSecond?: number;
}

/** The message of the user that orders a reply. */
export const orderOf = (plan: TokenPlan): string => JSON.stringify(plan);

const line = (content: string, rest: object = { done: false }): string =>
  `${JSON.stringify({ model: "bench", created_at: "2026-03-01T00:00:00Z", message: { role: "assistant", content }, ...rest })}\n`;

const TOKEN = line(" token");
const END = line("", {
  done: true,
  done_reason: "stop",
  prompt_eval_count: 100,
  prompt_eval_cached_count: 0,
  eval_count: 1,
  prompt_eval_duration: 1e9,
  eval_duration: 1e9,
});

/** Sends a reply as it was ordered. */
async function send(response: ServerResponse, { tokens, perSecond }: TokenPlan): Promise<void> {
  response.writeHead(200, { "Content-Type": "application/x-ndjson" });
  const started = performance.now();
  const isDue = (sent: number) =>
    perSecond === undefined
      ? tokens
      : Math.min(tokens, Math.ceil(((performance.now() - started) / 1000) * perSecond), sent + perSecond);
  for (let sent = 0; sent < tokens;) {
    const due = Math.max(0, Math.min(isDue(sent) - sent, LINES_AT_ONCE));
    const isRoom = due === 0 || response.write(TOKEN.repeat(due));
    sent += due;
    if (!isRoom) await new Promise((resolve) => response.once("drain", resolve));
    else if (perSecond !== undefined) await new Promise((resolve) => setTimeout(resolve, 1));
  }
  response.end(END);
}

/** What a server writes in one go when it has much to write. */
const LINES_AT_ONCE = 64;

/** Runs the server until the parent process has gone; tells it the port. */
export function serveTokens(): Promise<void> {
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      if (request.url !== "/api/chat")
        return response.end(JSON.stringify({ models: [], capabilities: ["tools"] }));
      const body = JSON.parse(Buffer.concat(parts).toString()) as { messages: { content: string }[] };
      const order = body.messages.at(-1)?.content;
      if (order === undefined) return response.end(END);
      return void send(response, JSON.parse(order) as TokenPlan);
    });
  });
  server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
  return new Promise((resolve) => {
    process.once("disconnect", () => {
      server.close();
      server.closeAllConnections();
      resolve();
    });
  });
}
