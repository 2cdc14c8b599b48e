import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "../rawClient";
import { post } from "../rawClient";
import type { Conformance } from "./suite";
import { cachedOf, sentences, TRAINED_TOKENS, user, WINDOW } from "./wire";

/** When a model is loaded, loaded anew and unloaded, and what /api/ps and /api/show say. */
export function runnerSuite({ wire, saw }: Conformance): void {
  const messages = [user(sentences(5, "Engine"))];

  test("a request without messages loads the model with its options", async () => {
    await wire().unload();
    const { final } = await wire().chat({ messages: [] });
    assert.equal(final["done_reason"], "load");
    assert.equal(final["done"], true);
    noteWindow(await wire().loaded(), WINDOW);
  });

  test("the same options keep the model and its cache, another num_ctx loads it anew", async () => {
    await wire().chat({ messages });
    const same = await wire().chat({ messages, numPredict: 3 });
    const other = await wire().chat({ messages, numCtx: 2 * WINDOW });
    noteWindow(await wire().loaded(), 2 * WINDOW);
    if (cachedOf(same) === undefined) {
      assert.ok(loadTime(other.final) > 3 * loadTime(same.final));
      return;
    }
    assert.ok((cachedOf(same) ?? 0) > 40, "num_predict is no option of the runner");
    assert.equal(cachedOf(other), 0);
  });

  test("another shift loads the model anew where it belongs to the runner", async () => {
    await wire().chat({ messages });
    const other = await wire().chat({ messages, shift: true });
    if (cachedOf(other) === undefined) return;
    saw("another shift", cachedOf(other) === 0 ? "loads the model anew" : "keeps the model");
  });

  test("more than the model was trained for is lowered in silence", async () => {
    const { status } = await wire().chat({ messages: [], numCtx: TRAINED_TOKENS + 1000 });
    assert.equal(status, 200);
    noteWindow(await wire().loaded(), TRAINED_TOKENS);
  });

  test("keep_alive 0 unloads the model, after the answer where there is one", async () => {
    await wire().chat({ messages: [] });
    const alone = await wire().unload();
    assert.equal(alone.final["done_reason"], "unload");
    const answered = await wire().chat({ messages, keep_alive: 0 });
    assert.equal(answered.status, 200);
    assert.ok(answered.content !== "");
    while ((await wire().loaded()) !== undefined);
  });

  test("/api/show tells the trained context, and which model can be given tools", async () => {
    const show = async (model: string) =>
      (await (await post(wire().target, "/api/show", { model })).json()) as Json;
    const { toolModel, plainModel } = wire().target;
    const tools = await show(toolModel);
    const information = Object.entries(tools["model_info"] as Json);
    const trained = information.find(([key]) => key.endsWith(".context_length"));
    assert.equal(trained?.[1], TRAINED_TOKENS);
    assert.ok((tools["capabilities"] as string[]).includes("tools"));
    assert.ok(!((await show(plainModel))["capabilities"] as string[]).includes("tools"));
  });

  function noteWindow(loaded: Json | undefined, expected: number): void {
    assert.ok(loaded, "the model is loaded");
    saw("context_length in /api/ps", "context_length" in loaded ? "what was allocated" : "absent");
    if ("context_length" in loaded) assert.equal(loaded["context_length"], expected);
  }
}

function loadTime(final: Json): number {
  const time = final["load_duration"];
  assert.ok(typeof time === "number", JSON.stringify(final));
  return time;
}
