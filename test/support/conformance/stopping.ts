import assert from "node:assert/strict";
import { test } from "node:test";
import type { RawChat } from "../rawClient";
import { post } from "../rawClient";
import type { Conformance } from "./suite";
import { cachedOf, countOf, sentences, user, type Ask, type Wire } from "./wire";

/** A window in which reading and writing take long. */
const LARGE = 2048;

/** The server is free when a request is broken off, and answers one request after the other. */
export function stoppingSuite({ wire, saw }: Conformance): void {
  test("broken off before the headers, a request leaves the server to the next one at once", async (context) => {
    const pace = await paceOf(wire());
    const long = user(`${LONG_TO_READ} ${sentences(LARGE / 14, "Ocean")}`);
    const first = open(wire(), { messages: [long], numCtx: LARGE });
    await wire().loaded();
    const second = wire().chat({ messages: [user("Hello.")], numCtx: LARGE });
    await wire().loaded();
    assert.equal(first.hasHeaders(), false);
    first.abort();
    const broken = performance.now();
    assert.equal(await first.end, "broken off");
    assert.equal((await second).status, 200);
    const waited = performance.now() - broken;
    const needed = LARGE * pace.read;
    context.diagnostic(
      `free after ${Math.round((100 * waited) / needed)} % of the time that reading it takes`,
    );
    // A batch that runs is read to its end: a quarter of the prompt.
    assert.ok(waited < 0.8 * needed, `${waited} of ${needed} ms`);
  });

  test("broken off in the middle of a reply, a request leaves the server to the next one at once", async (context) => {
    const pace = await paceOf(wire());
    const first = open(wire(), { messages: [user(ENDLESS)], numCtx: LARGE, numPredict: LARGE });
    await first.firstPiece;
    const second = wire().chat({ messages: [user("Hello.")], numCtx: LARGE });
    await wire().loaded();
    first.abort();
    const broken = performance.now();
    assert.equal(await first.end, "broken off");
    assert.equal((await second).status, 200);
    const waited = performance.now() - broken;
    const needed = LARGE * pace.write;
    context.diagnostic(
      `free after ${Math.round((100 * waited) / needed)} % of the time that writing it takes`,
    );
    assert.ok(waited < 0.5 * needed, `${waited} of ${needed} ms`);
  });

  test("of two requests at once both are answered", async () => {
    const first = open(wire(), { messages: [user("Count to twenty.")], numPredict: 40 });
    await first.firstPiece;
    const second = open(wire(), { messages: [user("Hello.")] });
    const isFirstOver = await Promise.race([first.end.then(() => true), second.firstPiece.then(() => false)]);
    assert.equal(await first.end, "complete");
    assert.equal(await second.end, "complete");
    saw("two requests at once", isFirstOver ? "one after the other" : "side by side");
  });
}

/** How a prompt begins that the scripted model must be long in reading, and one that it must answer without end. */
export const LONG_TO_READ = "Read all of this slowly.";
export const ENDLESS = "Tell me a story without end.";

/** Milliseconds for a token read and a token written, as the server's own durations have it just now. */
async function paceOf(wire: Wire): Promise<{ readonly read: number; readonly write: number }> {
  await wire.unload();
  const answer = await wire.chat({ messages: [user(sentences(10, "Pace"))], numCtx: LARGE, numPredict: 12 });
  const read = countOf(answer) - (cachedOf(answer) ?? 0);
  return {
    read: milliseconds(answer, "prompt_eval_duration") / read,
    write: milliseconds(answer, "eval_duration") / (answer.final["eval_count"] as number),
  };
}

function milliseconds({ final }: RawChat, field: string): number {
  const nanoseconds = final[field];
  assert.ok(typeof nanoseconds === "number" && nanoseconds > 0, JSON.stringify(final));
  return nanoseconds / 1e6;
}

interface OpenChat {
  readonly hasHeaders: () => boolean;
  /** Resolves when the first piece of the stream is here. */
  readonly firstPiece: Promise<void>;
  readonly end: Promise<"complete" | "broken off">;
  readonly abort: () => void;
}

/** Sends a request and reads its answer in the background. */
function open(wire: Wire, ask: Ask): OpenChat {
  const controller = new AbortController();
  let hasHeaders = false;
  let onPiece: () => void = () => undefined;
  const firstPiece = new Promise<void>((resolve) => {
    onPiece = resolve;
  });
  const read = async (): Promise<"complete" | "broken off"> => {
    let text = "";
    try {
      const response = await post(wire.target, "/api/chat", wire.body(ask), { signal: controller.signal });
      hasHeaders = true;
      const decoder = new TextDecoder();
      for await (const bytes of response.body ?? []) {
        onPiece();
        text += decoder.decode(bytes, { stream: true });
      }
    } catch (error) {
      if (!controller.signal.aborted) throw error;
      return "broken off";
    }
    assert.match(text, /"done":true/);
    return "complete";
  };
  const end = read();
  return { hasHeaders: () => hasHeaders, firstPiece, end, abort: () => controller.abort() };
}
