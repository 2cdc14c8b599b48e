import assert from "node:assert/strict";
import { test } from "node:test";
import { parseAddress } from "../../../src/ollama/address";
import { OllamaModel } from "../../../src/ollama/ollamaModel";
import type { RawChat } from "../rawClient";
import type { Conformance } from "./suite";
import { assistant, countOf, errorOf, sentences, user, type Wire } from "./wire";

const SMALL = 256;

/** What happens to prompts and replies that do not fit the window. */
export function windowSuite({ wire, saw }: Conformance): void {
  const tooLong = user(sentences(32, "Harbour"));

  test("truncate: false refuses a prompt that is too long, with status 400 and before any stream", async () => {
    const answer = await wire().chat({ messages: [tooLong], numCtx: SMALL });
    assert.equal(answer.status, 400);
    const numbers = numbersIn(errorOf(answer));
    saw(
      "a prompt that is too long, truncate: false",
      numbers ? "400 with its numbers in JSON" : "400, a sentence",
    );
    if (numbers === undefined) return;
    assert.equal(numbers.numCtx, SMALL);
    assert.equal(
      numbers.promptTokens,
      await wire().count({ messages: [tooLong] }),
      "the count in a window that fits",
    );
  });

  test("Loom's client knows that refusal, with the numbers where there are some", async () => {
    const outcome = await askAsLoom(wire(), tooLong["content"] as string);
    assert.ok(outcome.type === "failed");
    assert.equal(outcome.failure.kind, "window_exceeded");
    if (outcome.overflow?.promptTokens === undefined) return;
    assert.ok(outcome.overflow.promptTokens > SMALL);
    assert.equal(outcome.overflow.numCtx, SMALL);
  });

  test("without truncate: false the oldest messages are dropped in silence", async () => {
    const turns = [1, 2, 3, 4].flatMap((turn) => [user(sentences(6, `Message ${turn}`)), assistant("Yes.")]);
    const messages = [{ role: "system", content: "Be brief." }, ...turns, user("Go on.")];
    assert.equal((await wire().chat({ messages, numCtx: SMALL })).status, 400, "it is too long");
    const answer = await wire().chat({ messages, truncate: undefined, numCtx: SMALL });
    assert.ok(countOf(answer) <= SMALL, `${countOf(answer)} tokens`);
    assert.ok(answer.lines.every((line) => !("error" in line) && !("warning" in line)));
  });

  test("without truncate: false a single message that is too long is cut or refused", async () => {
    const cut = async (shift: boolean | undefined) =>
      whatWasDone(await wire().chat({ messages: [tooLong], truncate: undefined, shift, numCtx: SMALL }));
    saw("one message that is too long, truncate and shift absent", await cut(undefined));
    saw("one message that is too long, truncate absent, shift: false", await cut(false));
  });

  test("num_predict ends a reply with done_reason length at exactly so many tokens", async () => {
    const answer = await wire().chat({ messages: [user("Tell me a long story.")], numPredict: 5 });
    assert.equal(answer.final["done_reason"], "length");
    assert.equal(answer.final["eval_count"], 5);
  });

  test("with shift: false a reply ends with done_reason length at the end of the window", async () => {
    const prompts = [" Tell me a very long story about it.", " Go on like this, line by line."];
    for (const prompt of prompts) {
      const messages = [user(sentences(14, "Sea") + prompt)];
      const answer = await wire().chat({ messages, numCtx: SMALL, numPredict: 4 * SMALL });
      const sum = countOf(answer) + (answer.final["eval_count"] as number);
      assert.ok(sum <= SMALL, `${sum} tokens`);
      if (answer.final["done_reason"] !== "length") continue;
      assert.ok(sum >= SMALL - 1, `${sum} tokens`);
      return;
    }
    assert.fail("The model ended every reply by itself.");
  });
}

/** The two numbers of a refusal, where it is a JSON document in a string. */
function numbersIn(error: string): { readonly promptTokens: unknown; readonly numCtx: unknown } | undefined {
  if (!error.startsWith("{")) return undefined;
  const { error: inner } = JSON.parse(error) as { readonly error: Readonly<Record<string, unknown>> };
  assert.equal(inner["type"], "exceed_context_size_error");
  return { promptTokens: inner["n_prompt_tokens"], numCtx: inner["n_ctx"] };
}

function whatWasDone(answer: RawChat): string {
  if (answer.status === 400) return `400, ${errorOf(answer).split(/[;{(]/)[0] ?? ""}`;
  const count = countOf(answer);
  if (Math.abs(count - (SMALL / 2 + 2)) <= 2) return "cut to half the window and two tokens";
  return count >= SMALL - 1 ? "cut to the whole window" : `cut to ${count} of ${SMALL}`;
}

function askAsLoom(wire: Wire, content: string) {
  const { url, toolModel } = wire.target;
  const address = parseAddress(url, "The address under test");
  assert.ok(!("error" in address));
  const request = {
    model: toolModel,
    numCtx: SMALL,
    messages: [{ role: "user" as const, source: "", content }],
    tools: [],
    maxReplyTokens: 4,
    thinking: "default" as const,
  };
  return new OllamaModel({ address }).chat(request, () => undefined, new AbortController().signal);
}
