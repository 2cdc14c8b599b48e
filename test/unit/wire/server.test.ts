import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { PullProgress } from "../../../src/ollama/server";
import { REHEARSAL_MODEL, startRehearsalServer } from "../../support/rehearsal";
import { createGate } from "../../support/scriptedServer";
import { OllamaServer } from "../../../src/ollama/server";
import { addressOf, NEVER, startWire } from "./fixture";

describe("the state of server and model", () => {
  test("follows what the server has", async (context) => {
    const wire = await startWire(context, { models: [] });
    const { ollama, server } = wire;
    const address = server.url;
    assert.deepEqual(await ollama.status("m", NEVER), { state: "no_models", address });
    server.addModel({ name: "m", capabilities: ["completion"] });
    assert.deepEqual(await ollama.status("", NEVER), {
      state: "none_chosen",
      address,
      installed: ["m:latest"],
    });
    assert.deepEqual(await ollama.status("n", NEVER), { state: "missing", address, model: "n" });
    assert.deepEqual(await ollama.status("m", NEVER), { state: "no_tools", address, model: "m" });
    server.addModel({ name: "m" });
    const ready = { state: "ready", address, model: "m", isRehearsal: false, trainedContext: 32_768 };
    assert.deepEqual(await ollama.status("m", NEVER), ready);
    server.refuseConnections();
    const gone = await ollama.status("m", NEVER);
    assert.ok(gone.state === "unreachable" && gone.kind === "not_running");
    assert.match(gone.message, /Nothing answers at http:\/\/127/);
  });

  test("the rehearsal model is known for what it is", async (context) => {
    const server = await startRehearsalServer();
    context.after(() => server.close());
    const status = await new OllamaServer({ address: addressOf(server.url) }).status(REHEARSAL_MODEL, NEVER);
    assert.ok(status.state === "ready");
    assert.equal(status.isRehearsal, true);
  });

  test("a server before 0.6.4, which tells no capabilities, counts as ready", async (context) => {
    const { ollama } = await startWire(context, { version: "0.5.0" });
    assert.equal((await ollama.status("scripted", NEVER)).state, "ready");
  });
});

test("the list of models has name, size and details, and marks cloud models", async (context) => {
  const { ollama } = await startWire(context, {
    models: [
      { name: "qwen3:8b", size: 5_200_000_000, parameterSize: "8.2B", quantization: "Q4_K_M" },
      { name: "big:cloud" },
      { name: "other", remoteHost: "https://ollama.com" },
    ],
  });
  const models = await ollama.listModels(NEVER);
  assert.ok(!("failure" in models));
  assert.deepEqual(models[0], {
    name: "qwen3:8b",
    size: 5_200_000_000,
    parameterSize: "8.2B",
    quantization: "Q4_K_M",
    isCloud: false,
  });
  assert.deepEqual(
    models.map(({ isCloud }) => isCloud),
    [false, true, true],
  );
});

test("the facts of a model: capabilities, trained context, num_ctx of the Modelfile, thinking", async (context) => {
  const { ollama } = await startWire(context, {
    models: [
      {
        name: "a",
        family: "qwen3",
        contextLength: 40_960,
        modelfileNumCtx: 16_384,
        capabilities: ["tools", "thinking"],
      },
      { name: "b", family: "gptoss", capabilities: ["tools", "thinking"] },
      { name: "c", family: "llama", capabilities: ["completion"], remoteHost: "https://ollama.com" },
    ],
  });
  assert.deepEqual(await ollama.show("a", NEVER), {
    canCallTools: true,
    thinking: "switch",
    canSee: false,
    cacheBytesPerToken: 28 * 4 * (128 + 128) * 2,
    trainedContext: 40_960,
    modelfileNumCtx: 16_384,
    family: "qwen3",
    parameterSize: "7.6B",
    quantization: "Q4_K_M",
    isCloud: false,
  });
  const [levels, plain] = [await ollama.show("b", NEVER), await ollama.show("c", NEVER)];
  assert.ok(!("failure" in levels) && !("failure" in plain));
  assert.equal(levels.thinking, "levels");
  assert.deepEqual([plain.thinking, plain.canCallTools, plain.modelfileNumCtx], ["none", false, undefined]);
  assert.equal(plain.isCloud, true);
});

test("an answer that is not Ollama's is named as such", async (context) => {
  const wire = await startWire(context);
  wire.server.playFault("/api/tags", {
    kind: "status",
    status: 200,
    body: "<html>Welcome to the router</html>",
  });
  const status = await wire.ollama.status("scripted", NEVER);
  assert.ok(status.state === "unreachable" && status.kind === "wrong_address");
  assert.match(status.message, /not Ollama/);
});

test("a server that asks for a token says so before anything is sent", async (context) => {
  const { ollama } = await startWire(context, { token: "periwinkle-7" });
  const status = await ollama.status("scripted", NEVER);
  assert.ok(status.state === "unreachable" && status.kind === "unauthorized");
  assert.match(status.message, /asks for a token .*Enter its token/);
});

describe("a download", () => {
  const pullable = [{ name: "new:1b", size: 1_000 }];

  test("tells its progress in bytes, and the model is there afterwards", async (context) => {
    const { ollama } = await startWire(context, { pullable });
    const seen: PullProgress[] = [];
    assert.deepEqual(await ollama.pull("new:1b", (progress) => seen.push(progress), NEVER), { type: "done" });
    assert.deepEqual(seen[0], { status: "pulling manifest" });
    const completed = seen.flatMap((progress) => progress.completed ?? []);
    assert.deepEqual(
      completed,
      completed.toSorted((a, b) => a - b),
    );
    assert.equal(completed.at(-1), 1_000);
    assert.ok(seen.slice(1).every(({ total }) => total === 1_000));
    assert.equal((await ollama.status("new:1b", NEVER)).state, "ready");
  });

  test("stopped closes the connection at once; the next one goes on from there", async (context) => {
    const gate = createGate();
    const { ollama, server } = await startWire(context, {
      pullable,
      beforePullLine: (line) => (line === 5 ? gate.opened : undefined),
    });
    const stop = new AbortController();
    const stopAtHalf = ({ completed }: PullProgress): void => {
      if (completed === 400) stop.abort();
    };
    assert.deepEqual(await ollama.pull("new:1b", stopAtHalf, stop.signal), { type: "stopped" });
    await server.waitForAbort();
    gate.open();
    const seen: number[] = [];
    await ollama.pull(
      "new:1b",
      ({ completed }) => void (completed === undefined || seen.push(completed)),
      NEVER,
    );
    assert.equal(seen[0], 500);
  });

  test("of an unknown name fails with what to do", async (context) => {
    const { ollama } = await startWire(context);
    const outcome = await ollama.pull("nonsense", () => undefined, NEVER);
    assert.ok(outcome.type === "failed");
    assert.equal(outcome.failure.kind, "model_missing");
    assert.match(outcome.failure.message, /no model nonsense\. .*ollama\.com\/library/);
  });

  test("that breaks off says so, with the server's reason", async (context) => {
    const { ollama, server } = await startWire(context, { pullable });
    server.playFault("/api/pull", {
      kind: "error",
      afterChunks: 2,
      message: "write blob: no space left on device",
    });
    const outcome = await ollama.pull("new:1b", () => undefined, NEVER);
    assert.ok(outcome.type === "failed");
    assert.match(
      outcome.failure.message,
      /disk .* is full .*no space left on device.*get new:1b again: what has come so far is kept/,
    );
  });
});
