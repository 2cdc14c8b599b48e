import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import type { Failure } from "../../../src/shared/events";
import { statusFault, type Fault } from "../../support/scriptedServer";
import { chat, NEVER, startWire, type Wire } from "./fixture";

/** What came of asking the server for something: no failure where it went well or could do without. */
type Ask = (wire: Wire) => Promise<Failure | undefined>;

const chatFailure: Ask = async (wire) => {
  const { outcome } = await chat(wire);
  return outcome.type === "failed" ? outcome.failure : undefined;
};

const summaryFailure: Ask = async (wire) => {
  const { outcome } = await chat(wire, { tools: [], thinking: "off" });
  return outcome.type === "failed" ? outcome.failure : undefined;
};

const failureIn = (answer: object): Failure | undefined =>
  "failure" in answer ? (answer.failure as Failure) : undefined;

const REQUESTS: readonly { readonly name: string; readonly path: string; readonly ask: Ask }[] = [
  { name: "chat", path: "/api/chat", ask: chatFailure },
  { name: "summary", path: "/api/chat", ask: summaryFailure },
  { name: "show before a chat", path: "/api/show", ask: chatFailure },
  { name: "version before a chat", path: "/api/version", ask: chatFailure },
  { name: "tags", path: "/api/tags", ask: async ({ ollama }) => failureIn(await ollama.listModels(NEVER)) },
  {
    name: "show",
    path: "/api/show",
    ask: async ({ ollama }) => failureIn(await ollama.show("scripted", NEVER)),
  },
  {
    name: "pull",
    path: "/api/pull",
    ask: async ({ ollama }) => failureIn(await ollama.pull("scripted", () => undefined, NEVER)),
  },
];

const FAULTS: readonly {
  readonly name: string;
  readonly fault: Fault | "refused";
  readonly kinds: RegExp;
}[] = [
  { name: "refused", fault: "refused", kinds: /^not_running$/ },
  { name: "reset before headers", fault: { kind: "reset", afterChunks: 0 }, kinds: /^interrupted_stream$/ },
  { name: "reset", fault: { kind: "reset", afterChunks: 1 }, kinds: /^interrupted_stream$/ },
  {
    name: "end without done",
    fault: { kind: "eof", afterChunks: 1 },
    kinds: /^(interrupted_stream|wrong_address)$/,
  },
  {
    name: "garbage",
    fault: { kind: "garbage", afterChunks: 0 },
    kinds: /^(interrupted_stream|wrong_address)$/,
  },
  {
    name: "error line",
    fault: { kind: "error", afterChunks: 0, message: "boom" },
    kinds: /^(server_error|wrong_address)$/,
  },
  { name: "400", fault: statusFault(400), kinds: /^server_error$/ },
  { name: "401", fault: statusFault(401), kinds: /^unauthorized$/ },
  { name: "404", fault: statusFault(404), kinds: /^(model_missing|wrong_address)$/ },
  { name: "500", fault: statusFault(500), kinds: /^(load_failed|server_error)$/ },
  { name: "503", fault: statusFault(503), kinds: /^busy$/ },
];

async function meet(
  context: TestContext,
  request: (typeof REQUESTS)[number],
  fault: Fault | "refused",
): Promise<string> {
  const wire = await startWire(context);
  if (fault === "refused") wire.server.refuseConnections();
  else wire.server.playFault(request.path, fault);
  const failure = await request.ask(wire);
  if (fault === "refused") await wire.server.acceptConnections();
  const sent = request.path === "/api/chat" ? wire.server.chats() : wire.server.requestsTo(request.path);
  assert.ok(sent.length <= 1, "nothing is sent twice");
  assert.equal(await request.ask(wire), undefined, "the next one works");
  if (failure === undefined) return "did without";
  assert.match(failure.message, /127\.0\.0\.1|scripted/);
  assert.match(failure.message, /\.$/);
  assert.doesNotMatch(failure.message, /fetch failed|undefined|\[object/);
  return failure.kind;
}

test("every fault of every request is named by its kind, and the next request works", async (context) => {
  const seen: Record<string, Record<string, string>> = {};
  for (const { name, fault, kinds } of FAULTS) {
    const row: Record<string, string> = {};
    for (const request of REQUESTS) {
      const kind = await meet(context, request, fault);
      row[request.name] = kind;
      if (kind !== "did without") assert.match(kind, kinds, `${name} × ${request.name}`);
      else assert.match(request.name, /show|version/, `${name} × ${request.name}`);
    }
    seen[name] = row;
  }
  console.table(seen);
});
