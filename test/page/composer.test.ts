import assert from "node:assert/strict";
import { test } from "node:test";
import { usePanels, withPanel, type Panel } from "./support/panel";
import { logged, said, viewAfter } from "./support/sessions";

usePanels();

const BUSY = { type: "phase_changed", phase: { name: "writing", since: 0 } } as const;

const value = (panel: Panel) => panel.field.inputValue();

async function send(panel: Panel, text: string): Promise<void> {
  await panel.field.fill(text);
  await panel.field.press("Enter");
}

test("Enter sends once and empties the field, Shift+Enter breaks the line", async () => {
  await withPanel({}, async (panel) => {
    await panel.field.pressSequentially("one");
    await panel.field.press("Shift+Enter");
    await panel.field.pressSequentially("two");
    assert.equal((await panel.postedBy("send", () => panel.field.press("Enter"))).text, "one\ntwo");
    assert.equal(await value(panel), "");
    await panel.field.press("Enter");
    await send(panel, "   \n ");
    const second = await panel.postedBy("send", () => send(panel, "three"));
    assert.equal(panel.of("send").length, 2);
    assert.notEqual(second.id, panel.of("send")[0]?.id);
  });
});

test("the Send button sends too, and is off while there is nothing to send", async () => {
  await withPanel({}, async (panel) => {
    const button = panel.page.getByRole("button", { name: "Send", exact: true });
    assert.equal(await button.isDisabled(), true);
    await panel.field.fill("hello");
    assert.equal((await panel.postedBy("send", () => button.click())).text, "hello");
    await panel.until(() => button.isDisabled(), "the button is off again");
  });
});

test("V03: Enter that confirms a candidate of an input method does not send; a plain Enter sends the text once", async () => {
  await withPanel({}, async (panel) => {
    const session = await panel.page.context().newCDPSession(panel.page);
    await panel.field.focus();
    await session.send("Input.imeSetComposition", { text: "にほん", selectionStart: 3, selectionEnd: 3 });
    // Chromium marks keys during a composition only for real input methods, so the events carry the marks themselves.
    const press = (marks: { isComposing: boolean; keyCode?: number }) =>
      panel.field.evaluate((field, init) => {
        field.dispatchEvent(
          new KeyboardEvent("keydown", {
            key: "Enter",
            bubbles: true,
            composed: true,
            cancelable: true,
            ...init,
          }),
        );
      }, marks);
    await press({ isComposing: true });
    await press({ isComposing: false, keyCode: 229 });
    await session.send("Input.insertText", { text: "日本" });
    await panel.drawn();
    assert.deepEqual(panel.of("send"), []);
    assert.equal(await value(panel), "日本");
    assert.equal((await panel.postedBy("send", () => panel.field.press("Enter"))).text, "日本");
    assert.equal(panel.of("send").length, 1);
  });
});

test("V04: the draft comes back with cursor and scroll position when the page is made anew", async () => {
  const text = Array.from({ length: 40 }, (_, line) => `line ${line}`).join("\n");
  await withPanel({}, async (panel) => {
    await panel.field.fill(text);
    await panel.field.evaluate((field) => {
      if (!(field instanceof HTMLTextAreaElement)) throw new Error("not the field");
      field.setSelectionRange(10, 14);
      field.scrollTop = 90;
      field.dispatchEvent(new KeyboardEvent("keyup", { bubbles: true, composed: true }));
    });
    await panel.drawn();
    await panel.page.reload();
    await panel.until(() => panel.of("ready").length === 2, "the page says ready again");
    const state = await panel.field.evaluate((field) =>
      field instanceof HTMLTextAreaElement
        ? [field.value, field.selectionStart, field.selectionEnd, field.scrollTop]
        : [],
    );
    assert.deepEqual(state, [text, 10, 14, 90]);
    assert.equal((await panel.postedBy("send", () => panel.field.press("Enter"))).text, text);
    await panel.page.reload();
    await panel.until(() => panel.of("ready").length === 3, "the page says ready once more");
    assert.equal(await value(panel), "");
  });
});

test("V04: of the drafts that the page and the host kept the newer one stands", async () => {
  await withPanel({ draft: { text: "kept by the host", at: 1 } }, async (panel) => {
    assert.equal(await value(panel), "kept by the host");
    const { draft } = await panel.postedBy("draft", () => panel.field.fill("typed since"));
    assert.equal(draft.text, "typed since");
    await panel.snapshot({ draft: { text: "older", at: draft.at - 1 } });
    assert.equal(await value(panel), "typed since");
    await panel.snapshot({ draft: { text: "", at: draft.at + 1 } });
    assert.equal(await value(panel), "");
  });
});

test("state that another version kept does no harm", async () => {
  await withPanel({}, async (panel) => {
    await panel.page.evaluate(() =>
      sessionStorage.setItem("loom-test-state", '{"draft":{"text":7},"place":[]}'),
    );
    await panel.page.reload();
    await panel.until(() => panel.of("ready").length === 2, "the page says ready again");
    assert.equal(await value(panel), "");
  });
});

test("the field grows with its text up to a limit", async () => {
  await withPanel({}, async (panel) => {
    const height = async () => (await panel.field.boundingBox())?.height ?? 0;
    const empty = await height();
    await panel.field.fill("1\n2\n3\n4\n5");
    const grown = await height();
    await panel.field.fill("line\n".repeat(200));
    const full = await height();
    assert.ok(grown > empty && full > grown, `${empty} < ${grown} < ${full}`);
    assert.ok(full <= 281, `at most two fifths of the panel: ${full}`);
  });
});

test("a refused message goes back in front of what was typed meanwhile, with the reason", async () => {
  await withPanel({}, async (panel) => {
    await panel.postedBy("send", () => send(panel, "first"));
    await panel.field.pressSequentially("second");
    await panel.tell({ type: "send_refused", id: "x", text: "first", message: "No model is chosen." });
    assert.equal(await value(panel), "first\nsecond");
    await panel.page.locator(".composer-note", { hasText: "No model is chosen." }).waitFor();
    await panel.field.pressSequentially("!");
    assert.equal(await panel.page.locator(".composer-note").isVisible(), false);
  });
});

test("while the agent works there is Stop, and what is sent waits in sight", async () => {
  await withPanel({ view: viewAfter(said("?"), BUSY) }, async (panel) => {
    await panel.postedBy("send", () => send(panel, "and then"));
    await panel.events(logged({ type: "message_queued", queueId: "q1", text: "and then" }));
    const waiting = panel.page.getByRole("list", { name: "Messages that wait" }).getByRole("listitem");
    assert.match((await waiting.textContent()) ?? "", /and then/);
    await panel.postedBy("stop", () => panel.page.getByRole("button", { name: "Stop" }).click());
    await panel.events({ ...said("and then"), queueId: "q1" } as ReturnType<typeof said>);
    assert.equal(await waiting.count(), 0);
    await panel.events({ type: "phase_changed", phase: { name: "idle" } });
    assert.equal(await panel.page.getByRole("button", { name: "Stop" }).isVisible(), false);
  });
});

test("a waiting message is edited in the field again when the host gives it back, once, or is withdrawn for good", async () => {
  const view = viewAfter(
    said("?"),
    BUSY,
    logged({ type: "message_queued", queueId: "q1", text: "one" }),
    logged({ type: "message_queued", queueId: "q2", text: "two" }),
  );
  await withPanel({ view }, async (panel) => {
    await panel.field.fill("typed");
    const waiting = (text: string) =>
      panel.page.locator(".queue").getByRole("listitem").filter({ hasText: text });
    const edit = waiting("one").getByRole("button", { name: "Edit" });
    assert.equal((await panel.postedBy("withdraw", () => edit.click())).id, "q1");
    assert.equal(await value(panel), "typed");
    await panel.events(logged({ type: "message_withdrawn", queueId: "q1" }));
    await panel.events(logged({ type: "message_withdrawn", queueId: "q1" }));
    assert.equal(await value(panel), "one\ntyped");
    const withdraw = waiting("two").getByRole("button", { name: "Withdraw" });
    assert.equal((await panel.postedBy("withdraw", () => withdraw.press("Enter"))).id, "q2");
    await panel.events(logged({ type: "message_withdrawn", queueId: "q2" }));
    assert.equal(await value(panel), "one\ntyped");
    assert.equal(await panel.page.locator(".queue li").count(), 0);
  });
});

test("slash commands run the host's commands and leave the field empty", async () => {
  await withPanel({}, async (panel) => {
    for (const [text, command, argument] of [
      ["/clear", "newSession", ""],
      ["/Context ", "showContext", ""],
      ["/summary", "showSummary", ""],
      ["/sessions", "showSessions", ""],
      ["/request", "showRequest", ""],
    ] as const) {
      const message = await panel.postedBy("command", () => send(panel, text));
      assert.deepEqual([message.command, message.argument], [command, argument]);
      assert.equal(await value(panel), "");
    }
    for (const [text, action] of [
      ["/compact keep the API decisions", { do: "compact", focus: "keep the API decisions" }],
      ["/compact", { do: "compact", focus: "" }],
      ["/undo", { do: "undo", compactionId: "" }],
      ["/pin Never touch legacy/.", { do: "pin", text: "Never touch legacy/." }],
    ] as const) {
      assert.deepEqual((await panel.postedBy("steer", () => send(panel, text))).action, action);
      assert.equal(await value(panel), "");
    }
    assert.deepEqual(panel.of("send"), []);
  });
});

test("an unknown slash command is named and stays in the field", async () => {
  await withPanel({}, async (panel) => {
    await send(panel, "/compat everything");
    await panel.page.getByText("There is no command /compat.").first().waitFor();
    assert.equal(await value(panel), "/compat everything");
    await send(panel, "/clear the table");
    await panel.page.getByText("/clear takes no words after it.").first().waitFor();
    assert.equal(await value(panel), "/clear the table");
    assert.deepEqual([panel.of("send"), panel.of("command")], [[], []]);
  });
});

test("a message that begins with a path or a space is a message", async () => {
  await withPanel({}, async (panel) => {
    for (const text of ["/etc/hosts has which entries?", " /clear is what?", "// why?", "/a.b"]) {
      assert.equal((await panel.postedBy("send", () => send(panel, text))).text, text);
    }
  });
});

test("/help lists commands and keys, Escape closes it and the focus is back in the field", async () => {
  await withPanel({}, async (panel) => {
    await send(panel, "/help");
    const help = panel.page.getByRole("dialog", { name: "Commands and keys" });
    await help.waitFor();
    assert.match(await help.innerText(), /\/compact \[focus\]/);
    await panel.page.keyboard.press("Escape");
    assert.equal(await help.isVisible(), false);
    await panel.page.keyboard.type("x");
    assert.equal(await value(panel), "x");
    assert.deepEqual(panel.of("send"), []);
  });
});

test("typing a slash shows the commands that it can become", async () => {
  await withPanel({}, async (panel) => {
    const hints = panel.page.locator(".composer-hints li code");
    await panel.field.fill("/co");
    assert.deepEqual(await hints.allTextContents(), ["/compact [focus]", "/context"]);
    await panel.field.fill("/etc/hosts");
    assert.equal(await hints.count(), 0);
  });
});

test("the host can put the cursor into the field, and the model's name leads to the choice of another", async () => {
  await withPanel({}, async (panel) => {
    await panel.tell({ type: "focus_composer" });
    await panel.page.keyboard.type("hi");
    assert.equal(await value(panel), "hi");
    const choose = panel.page.getByRole("button", { name: "qwen3:8b" });
    assert.equal((await panel.postedBy("command", () => choose.click())).command, "selectModel");
  });
});
