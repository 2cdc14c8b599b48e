import assert from "node:assert/strict";
import { test } from "node:test";
import type { Phase } from "../../src/shared/live";
import { usePanels, withPanel } from "./support/panel";
import { said, viewAfter } from "./support/sessions";

usePanels();

const ELAPSED = String.raw`\s+1\smin \d+\ss`;

/** What the line says in each phase that began at this time, a little over a minute ago. */
function phases(since: number): readonly (readonly [Phase, string])[] {
  const waiting = { name: "waiting", since, model: "qwen3:8b" } as const;
  return [
    [{ ...waiting, what: "request" }, `^Waiting for the model${ELAPSED}$`],
    [{ ...waiting, what: "turn" }, `^Waiting for another request to qwen3:8b${ELAPSED}$`],
    [{ ...waiting, what: "loading" }, `^Loading qwen3:8b${ELAPSED}$`],
    [{ ...waiting, what: "loading", bytes: 4.7e9 }, String.raw`^Loading qwen3:8b \(4\.7\sGB\)${ELAPSED}$`],
    [{ ...waiting, what: "loading", bytes: 270e6 }, String.raw`^Loading qwen3:8b \(270\sMB\)${ELAPSED}$`],
    [{ ...waiting, what: "reading", tokens: 3_470 }, `^Reading the prompt, ~3,470 tokens${ELAPSED}$`],
    [
      { ...waiting, what: "reading", tokens: 3_470, expectedMs: 80_000 },
      String.raw`^Reading the prompt, ~3,470 tokens${ELAPSED} of about 1\smin 20\ss$`,
    ],
    [
      { ...waiting, what: "reading", tokens: 3_470, expectedMs: 9_000 },
      String.raw`^Reading the prompt, ~3,470 tokens${ELAPSED} of about 9\ss, another program may be using Ollama$`,
    ],
    [{ name: "thinking", since }, `^Thinking${ELAPSED}$`],
    [{ name: "writing", since }, `^Writing${ELAPSED}$`],
  ];
}

test("each phase of an answer says what is waited for, how much there is of it and how long it takes, and can be stopped", async () => {
  await withPanel({ view: viewAfter(said("?")) }, async (panel) => {
    const line = panel.page.getByRole("group", { name: "Status" });
    for (const [phase, says] of phases(Date.now() - 65_000)) {
      await panel.events({ type: "phase_changed", phase });
      assert.match(await line.innerText(), new RegExp(says));
      await panel.postedBy("stop", () => panel.page.getByRole("button", { name: "Stop" }).click());
    }
  });
});
