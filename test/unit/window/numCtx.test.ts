import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { chooseNumCtx, windowSizes } from "../../../src/core/window/numCtx";
import { cacheBytesPerToken } from "../../../src/ollama/models/memory";

describe("the window to ask for", () => {
  for (const [what, set, facts, numCtx] of [
    ["nothing is set or known: the default", undefined, {}, 8192],
    ["what is set goes before the Modelfile", 4096, { modelfile: 16_384 }, 4096],
    ["the Modelfile goes before the default", undefined, { modelfile: 16_384, trained: 32_768 }, 16_384],
    ["never more than the model was trained for", 65_536, { trained: 32_768 }, 32_768],
    ["the default, too, is lowered to that", undefined, { trained: 4096 }, 4096],
    ["never the trained length by itself", undefined, { trained: 1_048_576 }, 8192],
    ["a tiny window of a Modelfile is raised", undefined, { modelfile: 512 }, 2048],
  ] as const)
    test(what, () => assert.equal(chooseNumCtx(set, facts), numCtx));

  test("can be chosen in powers of two up to the trained length, that, and what is set", () => {
    assert.deepEqual(windowSizes(6000, 40_960), [2048, 4096, 6000, 8192, 16_384, 32_768, 40_960]);
    assert.deepEqual(windowSizes(8192, undefined).at(-1), 131_072);
    assert.deepEqual(windowSizes(8192, 1024), [8192]);
  });
});

describe("what a token of context costs in memory", () => {
  const llama = {
    "general.architecture": "llama",
    "llama.block_count": 32,
    "llama.attention.head_count": 32,
    "llama.attention.head_count_kv": 8,
    "llama.embedding_length": 4096,
  };

  test("is two numbers of two bytes for each layer, head and dimension", () => {
    assert.equal(cacheBytesPerToken(llama), 32 * 8 * (128 + 128) * 2);
    const explicit = { ...llama, "llama.attention.key_length": 64, "llama.attention.value_length": 96 };
    assert.equal(cacheBytesPerToken(explicit), 32 * 8 * (64 + 96) * 2);
  });

  test("adds up layers that differ, and takes all heads where none are named for keys and values", () => {
    const mixed = { ...llama, "llama.block_count": 3, "llama.attention.head_count_kv": [8, 0, 4] };
    assert.equal(cacheBytesPerToken(mixed), 12 * 256 * 2);
    const { "llama.attention.head_count_kv": _, ...plain } = llama;
    assert.equal(cacheBytesPerToken(plain), 32 * 32 * 256 * 2);
  });

  test("is not known where the server does not say enough", () => {
    const { "llama.embedding_length": _, ...short } = llama;
    assert.equal(cacheBytesPerToken(short), undefined);
    assert.equal(cacheBytesPerToken({ "general.architecture": "llama" }), undefined);
    assert.equal(cacheBytesPerToken({}), undefined);
  });
});
