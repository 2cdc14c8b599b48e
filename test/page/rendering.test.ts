import assert from "node:assert/strict";
import { test } from "node:test";
import { usePanels, withPanel, type Panel } from "./support/panel";
import { answered, call, compacted, logged, result, said, viewAfter } from "./support/sessions";

usePanels();

const items = (panel: Panel) => panel.page.getByRole("list", { name: "Conversation" }).locator(":scope > li");

test("a person's message is shown exactly as it was written", async () => {
  await withPanel({ view: viewAfter(said("# not a heading\n  *two*   spaces")) }, async ({ page }) => {
    const text = page.locator(".you .said");
    assert.equal(await text.textContent(), "# not a heading\n  *two*   spaces");
    assert.equal(await text.evaluate((element) => getComputedStyle(element).whiteSpace), "pre-wrap");
  });
});

test("an answer is Markdown: headings below the page's own, lists, tables, quotes, code with its colours", async () => {
  const text =
    "# Title\n\n- one\n- two\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n> quote\n\n```python\nreturn 'x'\n```\n";
  await withPanel({ view: viewAfter(said("?"), answered(text)) }, async ({ page }) => {
    const answer = page.locator(".markdown");
    assert.equal(await answer.locator("h3").textContent(), "Title");
    assert.equal(await answer.locator("li").count(), 2);
    assert.equal(await answer.locator("td").nth(1).getAttribute("class"), "align-right");
    assert.match((await answer.locator("blockquote").textContent()) ?? "", /quote/);
    assert.equal(await answer.locator(".hljs-keyword").textContent(), "return");
    assert.equal(await answer.locator(".hljs-string").textContent(), "'x'");
  });
});

test("code has buttons that copy it and insert it at the cursor, and copying says so", async () => {
  const view = viewAfter(said("?"), answered("```js\nlet a = 1;\nlet b = 2;\n```"));
  await withPanel({ view }, async (panel) => {
    const code = "let a = 1;\nlet b = 2;\n";
    const copy = panel.page.getByRole("button", { name: "Copy code" });
    assert.equal((await panel.postedBy("copy", () => copy.click())).text, code);
    await panel.page.getByRole("button", { name: "Copied" }).waitFor();
    await copy.waitFor();
    const insert = panel.page.getByRole("button", { name: "Insert at cursor" });
    assert.equal((await panel.postedBy("insert_at_cursor", () => insert.click())).text, code);
  });
});

test("thinking is folded and opens", async () => {
  const view = viewAfter(said("?"), answered("Yes.", { thinking: "Let me see.\nHm." }));
  await withPanel({ view }, async ({ page }) => {
    const thinking = page.getByText("Let me see.");
    assert.equal(await thinking.isVisible(), false);
    await page.getByText("Thought", { exact: true }).click();
    assert.equal(await thinking.isVisible(), true);
    assert.equal(await thinking.textContent(), "Let me see.\nHm.");
  });
});

test("an answer that is cut by length or interrupted says so", async () => {
  const view = viewAfter(
    said("?"),
    answered("One", { end: "cut_by_length" }),
    answered("Two", { end: "stopped" }),
  );
  await withPanel({ view }, async ({ page }) => {
    assert.deepEqual(await page.locator(".answer-end").allTextContents(), [
      "The answer reached its length limit and ends here.",
      "Partial answer",
    ]);
  });
});

test("a tool card shows call, state and summary, its output while it runs, and its result when unfolded", async () => {
  const calls = { toolCalls: [call("c1", "bash", { command: "npm test", seconds: 5 })] };
  await withPanel({ view: viewAfter(said("?"), answered("", calls)) }, async (panel) => {
    const card = items(panel).nth(1);
    assert.equal(await card.getAttribute("aria-label"), "Tool call: bash npm test, waiting");
    await panel.events(
      { type: "tool_started", callId: "c1" },
      {
        type: "tool_output",
        callId: "c1",
        text: Array.from({ length: 30 }, (_, line) => `line ${line}\n`).join(""),
      },
      { type: "tool_output", callId: "c1", text: "\u001b[31mlast\u001b[0m\r\n" },
    );
    assert.equal(await card.getAttribute("aria-label"), "Tool call: bash npm test, running");
    const output = await card.locator(".tool-output").textContent();
    assert.equal(output, [...[23, 24, 25, 26, 27, 28, 29].map((line) => `line ${line}`), "last"].join("\n"));
    await panel.events(result("c1", { outcome: "error", content: "1 failing", summary: "exit code 1" }));
    assert.equal(await card.getAttribute("aria-label"), "Tool call: bash npm test, failed");
    assert.equal(await card.locator(".tool-output").isVisible(), false);
    assert.equal(await card.locator(".tool-summary").textContent(), "exit code 1");
    assert.equal(await card.locator(".tool-text").count(), 0);
    await card.locator("summary").click();
    assert.deepEqual(await card.locator("dt").allTextContents(), ["command", "seconds"]);
    assert.equal(await card.locator(".tool-text").textContent(), "1 failing");
    const copied = await panel.postedBy("copy", () =>
      card.getByRole("button", { name: "Copy: Result" }).click(),
    );
    assert.equal(copied.text, "1 failing");
  });
});

test("a result that arrives while its card is open takes the place of the note that there is none", async () => {
  const calls = { toolCalls: [call("c1", "read_file", { path: "src/a.ts" })] };
  await withPanel({ view: viewAfter(said("?"), answered("", calls)) }, async (panel) => {
    const card = items(panel).nth(1);
    await card.locator("summary").click();
    await card.getByText("No result yet.").waitFor();
    await panel.events(result("c1", { content: "the text" }));
    assert.equal(await card.locator(".tool-text").textContent(), "the text");
    const opened = await panel.postedBy("open_file", () =>
      card.getByRole("link", { name: "src/a.ts" }).click(),
    );
    assert.equal(opened.path, "src/a.ts");
  });
});

test("arguments that could not be read are shown as the model wrote them", async () => {
  const broken = { ...call("c1", "edit_file", {}), unreadableArguments: '{"path": "a' };
  await withPanel({ view: viewAfter(said("?"), answered("", { toolCalls: [broken] })) }, async (panel) => {
    const card = items(panel).nth(1);
    await card.locator("summary").click();
    assert.equal(await card.locator("pre.tool-text").textContent(), '{"path": "a');
  });
});

test("a turn that failed says why, with Retry and the way out, until another message is sent", async () => {
  const failure = { kind: "not_running", message: "Ollama does not answer. Start it." } as const;
  const view = viewAfter(said("?"), logged({ type: "turn_ended", reason: "failed", failure }));
  await withPanel({ view }, async (panel) => {
    const end = items(panel).last();
    assert.match((await end.textContent()) ?? "", /Ollama does not answer\. Start it\./);
    const start = await panel.postedBy("command", () =>
      end.getByRole("button", { name: "Start Ollama" }).click(),
    );
    assert.equal(start.command, "startOllama");
    const retry = end.getByRole("button", { name: "Retry" });
    assert.equal((await panel.postedBy("resume", () => retry.click())).how, "retry");
    await panel.events(logged({ type: "turn_resumed", how: "retry" }));
    assert.equal(await retry.isVisible(), false);
    await panel.until(
      () => panel.page.evaluate(() => document.activeElement?.tagName === "VSCODE-TEXT-AREA"),
      "the focus goes to the composer with the button gone",
    );
  });
});

for (const [reason, name, how] of [
  ["stopped", "Retry", "retry"],
  ["no_answer", "Retry", "retry"],
  ["round_limit", "Continue", "continue"],
  ["repeating", "Continue", "continue"],
] as const) {
  test(`a turn that ended as ${reason} can go on by ${name}`, async () => {
    await withPanel({ view: viewAfter(said("?"), logged({ type: "turn_ended", reason })) }, async (panel) => {
      const press = () => panel.page.getByRole("button", { name }).click();
      assert.equal((await panel.postedBy("resume", press)).how, how);
    });
  });
}

test("a turn that ended as it should leaves nothing behind", async () => {
  const view = viewAfter(said("?"), answered("Yes."), logged({ type: "turn_ended", reason: "done" }));
  await withPanel({ view }, async (panel) => assert.equal(await items(panel).count(), 2));
});

test("notices, notes to the model and failed compactions stand where they happened", async () => {
  const view = viewAfter(
    said("?"),
    logged({ type: "notice", level: "warning", text: "The server cut the prompt." }),
    logged({ type: "model_note", text: "Your last reply was empty." }),
    logged({ type: "compaction_failed", trigger: "by_hand", message: "The summary was empty." }),
    answered("Yes."),
  );
  await withPanel({ view }, async (panel) => {
    const names = await items(panel).evaluateAll((list) =>
      list.map((item) => item.getAttribute("aria-label")),
    );
    assert.deepEqual(names.slice(1, 4), ["Warning", "Loom told the model", "Warning"]);
    await panel.page.getByText("Loom told the model").click();
    await panel.page.getByText("Your last reply was empty.").waitFor();
    await panel.page.getByText("Compaction failed. The summary was empty.").waitFor();
  });
});

test("the compacted marker has figures that become measured ones, and unfolds to summary and what was kept", async () => {
  await withPanel(
    { view: viewAfter(said("?"), compacted({ focus: "the API", parts: 2 })) },
    async (panel) => {
      const marker = panel.page.getByRole("listitem", { name: "Compaction" });
      const title = marker.locator(".marker-title");
      assert.equal(
        await title.textContent(),
        "Compacted: 21 messages, 3,470 → ~620 tokens, 2.1\u00a0s, automatic",
      );
      await panel.events(answered("Yes.", { usage: { promptTokens: 655 } }));
      assert.equal(
        await title.textContent(),
        "Compacted: 21 messages, 3,470 → 655 tokens, 2.1\u00a0s, automatic",
      );
      await marker.locator("summary").click();
      assert.equal(await marker.locator(".markdown strong").textContent(), "rename");
      const text = (await marker.textContent()) ?? "";
      for (const kept of [
        "The deploy password is periwinkle-7.",
        "Now read the parser.",
        "1 older message is shortened or left out here",
        "src/main.ts changed, changed by others since",
        "Port 8443 only.",
        "npm test exit code 1",
        "Focusthe API",
        "At the end of the conversation, 2 parts",
        "21 summarised, 6 kept word for word",
      ]) {
        assert.ok(text.includes(kept), kept);
      }
      const copy = await panel.postedBy("copy", () =>
        marker.getByRole("button", { name: "Copy: Summary" }).click(),
      );
      assert.match(copy.text, /^- Goal: \*\*rename\*\*/);
      const file = await panel.postedBy("open_file", () =>
        marker.getByRole("link", { name: "src/main.ts" }).click(),
      );
      assert.equal(file.path, "src/main.ts");
    },
  );
});

test("the page shows only what belongs to the session of its last snapshot", async () => {
  await withPanel({ view: viewAfter(said("first")) }, async (panel) => {
    await panel.tell({ type: "events", sessionId: "s0", events: [said("of another session")] });
    assert.equal(await items(panel).count(), 1);
    await panel.events(said("second"));
    assert.equal(await items(panel).count(), 2);
  });
});
