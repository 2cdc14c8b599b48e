import assert from "node:assert/strict";
import { after, describe, test, type TestContext } from "node:test";
import { setImmediate } from "node:timers/promises";
import { formatStoredLine, parseStoredLine } from "../../../src/core/log/storedEvent";
import { projectContext } from "../../../src/core/window/context";
import type { Failure } from "../../../src/shared/events";
import { asksForSummary } from "../../support/asksForSummary";
import { pairingFault } from "../../support/conversations";
import { statusFault, type Brain, type Fault, type SeenRequest } from "../../support/scriptedServer";
import { startWireSession, type WireSession } from "../../support/wireSession";

const FAULTS: Readonly<Record<string, Fault | "refused">> = {
  refused: "refused",
  "hangs before headers": { kind: "hang", afterChunks: 0 },
  "hangs in mid-stream": { kind: "hang", afterChunks: 1 },
  reset: { kind: "reset", afterChunks: 1 },
  "garbage line": { kind: "garbage", afterChunks: 1 },
  "error line": { kind: "error", afterChunks: 1, message: "boom" },
  "EOF without done": { kind: "eof", afterChunks: 1 },
  "400": statusFault(400),
  "401": statusFault(401),
  "404": statusFault(404),
  "500": statusFault(500),
  "503": statusFault(503),
};

/** What a fault may be called: a list that the server lacks is an address of something else, a model that it lacks is not. */
const KINDS: Readonly<Record<keyof typeof FAULTS, RegExp>> = {
  refused: /^not_running$/,
  reset: /^interrupted_stream$/,
  "garbage line": /^(interrupted_stream|wrong_address)$/,
  "error line": /^(server_error|wrong_address)$/,
  "EOF without done": /^interrupted_stream$/,
  "400": /^server_error$/,
  "401": /^unauthorized$/,
  "404": /^(model_missing|wrong_address)$/,
  "500": /^(load_failed|server_error)$/,
  "503": /^busy$/,
};

/** What was going on when the fault came. `path` has the fault, and `act` resolves with the failure that the person is told of. */
interface Request {
  readonly path: string;
  readonly prepare?: (played: WireSession) => Promise<void>;
  readonly act: (played: WireSession, signal: AbortSignal) => Promise<Failure | undefined>;
}

const failureOfTurn = ({ session }: WireSession): Failure | undefined => {
  const end = session.events.findLast((event) => event.type === "turn_ended");
  assert.ok(end?.type === "turn_ended" && session.view.entries.at(-1)?.kind === "turn_ended");
  return end.failure;
};

const sayHello = async (played: WireSession): Promise<Failure | undefined> => {
  await played.say("hello");
  return failureOfTurn(played);
};

const compactNow = async ({ session }: WireSession): Promise<Failure | undefined> => {
  const outcome = await session.compactNow();
  if (outcome.ok || outcome.message.startsWith("Stopped")) return undefined;
  const shown = session.view.entries.at(-1);
  assert.ok(shown?.kind === "compaction_failed" && shown.event.message === outcome.message);
  return { kind: "internal", message: outcome.message };
};

const talk = async ({ say }: WireSession): Promise<void> => {
  for (let n = 0; n < 4; n++) await say(`Question ${n}. ${"Look at it closely. ".repeat(30)}`);
};

const REQUESTS: Readonly<Record<string, Request>> = {
  chat: { path: "/api/chat", act: sayHello },
  "tool round": { path: "/api/chat", act: sayHello },
  "summary, isolated": { path: "/api/chat", prepare: talk, act: compactNow },
  "summary, in place": { path: "/api/chat", prepare: talk, act: compactNow },
  preload: { path: "preload", act: sayHello },
  show: { path: "/api/show", act: sayHello },
  ps: { path: "/api/ps", act: sayHello },
  tags: {
    path: "/api/tags",
    act: async ({ ollama }, signal) => {
      const answer = await ollama.listModels(signal);
      return "failure" in answer && !signal.aborted ? answer.failure : undefined;
    },
  },
  pull: {
    path: "/api/pull",
    act: async ({ ollama }, signal) => {
      const outcome = await ollama.pull("scripted", () => undefined, signal);
      return outcome.type === "failed" ? outcome.failure : undefined;
    },
  },
};

/** The model's part: a call first where a round of tools is wanted, and the fault in the round after it. */
function brainFor(what: string, fault: Fault | "refused"): Brain {
  let hasCalled = what !== "tool round";
  let isStruck = false;
  return ({ messages }) => {
    if (asksForSummary({ messages })) return { content: "- the user asked four questions and was answered" };
    if (hasCalled) {
      const strikes = what === "tool round" && !isStruck && fault !== "refused";
      isStruck = true;
      return { content: "It is so. ".repeat(20), chunkSize: 20, ...(strikes ? { fault } : {}) };
    }
    hasCalled = true;
    return {
      toolCalls: [{ name: "echo", arguments: { text: "one" } }],
      ...(fault === "refused" ? { thenRefuse: true } : {}),
    };
  };
}

const isAt = (path: string, played: WireSession): readonly SeenRequest[] => {
  const { server } = played;
  if (path === "preload") return server.preloads();
  return path === "/api/chat" ? server.chats() : server.requestsTo(path);
};

/** Stops what hangs, once the server has it. */
async function stopHanging(played: WireSession, path: string, before: number, fault: Fault): Promise<void> {
  const seen = (): SeenRequest | undefined => isAt(path, played)[before];
  const isThere = () => {
    const request = seen();
    return (
      request !== undefined &&
      (fault.kind === "hang" && fault.afterChunks === 0 ? true : request.status !== undefined)
    );
  };
  while (!isThere()) await setImmediate();
  played.session.stop();
}

async function meet(context: TestContext, what: string, name: string): Promise<string> {
  const [request, fault] = [REQUESTS[what], FAULTS[name]];
  assert.ok(request && fault);
  const isHang = fault !== "refused" && fault.kind === "hang";
  const played = await startWireSession(context, {
    brain: brainFor(what, fault),
    settings: {
      numCtx: 8192,
      keepMessages: 1,
      summaryRequest: what.endsWith("in place") ? "inPlace" : "isolated",
    },
  });
  await request.prepare?.(played);
  const { server, session } = played;
  // In a round of tools it is the second chat that meets the fault, which the script plays itself.
  const before = isAt(request.path, played).length + (what === "tool round" ? 1 : 0);
  if (what !== "tool round") {
    if (fault === "refused") server.refuseConnections();
    else server.playFault(request.path, fault);
  }
  const stop = new AbortController();
  const acting = request.act(played, stop.signal);
  if (isHang) {
    await stopHanging(played, request.path, before, fault);
    stop.abort();
  }
  const failure = await acting;
  // What is in memory is asked for before the chat, and what was allocated after it.
  const most = request.path === "/api/ps" ? 2 : 1;
  assert.ok(isAt(request.path, played).length - before <= most, "nothing is sent twice");
  if (fault === "refused") await server.acceptConnections();
  assertWhole(played);
  await assertGoesOn(played, request);
  return told(failure, { session, isHang }, name);
}

/** Every event can be stored and read, every call has its result, and what the person said is in the context once. */
function assertWhole({ session, stored }: WireSession): void {
  assert.deepEqual(session.events.map(formatStoredLine).map(parseStoredLine), session.events);
  assert.deepEqual(stored, session.events.slice(-stored.length));
  const { messages } = projectContext(session.events);
  assert.equal(pairingFault(messages), undefined);
  const hellos = messages.filter(({ role, content }) => role === "user" && content === "hello");
  assert.ok(hellos.length <= 1);
}

async function assertGoesOn(played: WireSession, request: Request): Promise<void> {
  if (/tags|pull/.test(request.path))
    assert.equal(await request.act(played, new AbortController().signal), undefined);
  const events = await played.say("and now?");
  const end = events.findLast((event) => event.type === "turn_ended");
  assert.ok(end?.type === "turn_ended" && end.reason === "done", JSON.stringify(end));
  const last = played.server.chats().at(-1)?.request.messages ?? [];
  assert.equal(last.filter(({ content }) => content === "and now?").length, 1);
  assert.ok(last.filter(({ content }) => content === "hello").length <= 1);
}

/** What the person was told, for the table. */
function told(
  failure: Failure | undefined,
  { session, isHang }: { readonly session: WireSession["session"]; readonly isHang: boolean },
  name: string,
): string {
  if (failure === undefined) {
    const wasStopped = session.events.some(
      (event) => event.type === "turn_ended" && event.reason === "stopped",
    );
    return isHang || wasStopped ? "stopped" : "did without";
  }
  assert.match(failure.message, /127\.0\.0\.1|scripted/);
  assert.match(failure.message, /[.)]$/);
  assert.doesNotMatch(failure.message, /fetch failed|undefined|\[object/);
  if (failure.kind === "internal") return "compaction failed";
  assert.match(failure.kind, KINDS[name] ?? /^never$/);
  return failure.kind;
}

describe("the fault matrix", () => {
  const table: Record<string, Record<string, string>> = {};
  let met = 0;

  for (const name of Object.keys(FAULTS))
    test(`${name}: the log is whole, nothing is sent twice, the person is told, and the next message works`, async (context) => {
      const row: Record<string, string> = {};
      for (const what of Object.keys(REQUESTS)) {
        try {
          row[what] = await meet(context, what, name);
        } catch (error) {
          throw new Error(`${name} × ${what}`, { cause: error });
        }
        // A server can do without these: the chat tells what is wrong with it.
        if (row[what] === "did without") assert.match(what, /^(show|ps|pull)$/);
        met++;
      }
      table[name] = row;
    });

  after(() => {
    console.table(table);
    console.log(
      `${met} of ${Object.keys(FAULTS).length * Object.keys(REQUESTS).length} pairs of fault and request were met.`,
    );
  });
});
