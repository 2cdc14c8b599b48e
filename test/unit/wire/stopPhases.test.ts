import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Phase } from "../../../src/shared/live";
import { createGate, type Fault, type Reply, type SeenRequest } from "../../support/scriptedServer";
import { startWireSession, type WireSession } from "../../support/wireSession";
import { chat } from "./fixture";

const MODELS = [{ name: "scripted", capabilities: ["completion", "tools", "thinking"] }];
const hang = (afterChunks: number): Fault => ({ kind: "hang", afterChunks });
const nameOf = (phase: Phase): string => (phase.name === "waiting" ? phase.what : phase.name);

/** Resolves as soon as a phase is shown. */
function shown({ session }: WireSession, name: string): Promise<void> {
  return new Promise((resolve) => {
    const end = session.onEvent((event) => {
      if (event.type !== "phase_changed" || nameOf(event.phase) !== name) return;
      end();
      resolve();
    });
  });
}

interface Case {
  readonly phase: string;
  /** What holds the server in this phase, and where. */
  readonly path: string;
  readonly fault: Fault;
  readonly reply?: Reply;
  /** The request that is broken off. */
  readonly request: (played: WireSession) => Promise<SeenRequest>;
  /** What is left of the answer; undefined for nothing. */
  readonly kept: string | undefined;
}

const firstChat = ({ server }: WireSession) => server.waitForChat();

const CASES: readonly Case[] = [
  {
    phase: "loading",
    path: "preload",
    fault: hang(0),
    request: ({ server }) => server.waitForRequest("/api/chat"),
    kept: undefined,
  },
  { phase: "reading", path: "/api/chat", fault: hang(0), request: firstChat, kept: undefined },
  {
    phase: "thinking",
    path: "/api/chat",
    fault: hang(1),
    reply: { thinking: "I look at it.", content: "It is so.", chunkSize: 13 },
    request: firstChat,
    kept: "",
  },
  {
    phase: "writing",
    path: "/api/chat",
    fault: hang(1),
    reply: { content: "It is so. And there is more of it.", chunkSize: 9 },
    request: firstChat,
    kept: "It is so.",
  },
];

describe("Stop in each phase of an answer", () => {
  for (const { phase, path, fault, reply = { content: "It is so." }, request, kept } of CASES)
    test(`${phase}: it is shown, the turn ends at once, the server sees the connection close, and the next message works`, async (context) => {
      const played = await startWireSession(context, { models: MODELS, brain: () => reply });
      const { server, session, say } = played;
      server.playFault(path, fault);
      const isShown = shown(played, phase);
      const turn = say("?");
      await Promise.all([isShown, request(played)]);
      session.stop();
      const end = (await turn).at(-1);
      assert.ok(end?.type === "turn_ended" && end.reason === "stopped", JSON.stringify(end));
      assert.equal(session.view.phase.name, "idle");
      assert.equal(await server.waitForAbort(), await request(played));
      const partial = session.events.findLast((event) => event.type === "assistant_message");
      assert.equal(partial?.type === "assistant_message" ? partial.text : undefined, kept);
      const next = (await say("And now?")).at(-1);
      assert.ok(next?.type === "turn_ended" && next.reason === "done");
    });

  test("behind another request to the same model: it is shown, nothing is sent, and the other one is left alone", async (context) => {
    const gate = createGate();
    const played = await startWireSession(context, {
      brain: () => ({ content: "It is so.", before: () => gate.opened }),
    });
    const { server, session, say } = played;
    const other = chat(played);
    await server.waitForChat();
    const isShown = shown(played, "turn");
    const turn = say("?");
    await isShown;
    session.stop();
    const end = (await turn).at(-1);
    assert.ok(end?.type === "turn_ended" && end.reason === "stopped");
    assert.equal(server.chats().length, 1);
    gate.open();
    assert.equal((await other).text, "It is so.");
  });
});
