import assert from "node:assert/strict";
import { test } from "node:test";
import type { ApprovalQuestion } from "../../src/shared/live";
import { usePanels, withPanel, type Panel } from "./support/panel";
import { answered, call, DIFF, result, said, viewAfter } from "./support/sessions";

usePanels();

const EDIT: ApprovalQuestion = {
  kind: "edit",
  path: "src/answer.ts",
  diff: DIFF,
  added: 2,
  removed: 1,
  isNew: false,
};

function asking(question: ApprovalQuestion) {
  return viewAfter(
    said("?"),
    answered("", {
      toolCalls: [call("c1", "edit_file", { path: "src/answer.ts" }), call("c2", "bash", { command: "ls" })],
    }),
    { type: "approval_asked", callId: "c1", question },
    { type: "phase_changed", phase: { name: "approval", since: 0, callId: "c1" } },
  );
}

const card = (panel: Panel) => panel.page.getByRole("group", { name: /^Approval needed: / });
const press = (panel: Panel, name: string) => card(panel).getByRole("button", { name, exact: true }).click();

test("an edit is shown as its whole diff, with signs and colours, and the real diff editor is one press away", async () => {
  await withPanel({ view: asking(EDIT) }, async (panel) => {
    assert.equal(await card(panel).getAttribute("aria-label"), "Approval needed: Edit src/answer.ts");
    assert.equal(await card(panel).locator(".diff").innerText(), DIFF.trimEnd());
    assert.equal(await card(panel).locator(".line.added").count(), 2);
    assert.equal(await card(panel).locator(".line.removed").count(), 1);
    assert.equal(await card(panel).locator(".line.file").count(), 2);
    assert.match((await card(panel).locator(".approval-title").textContent()) ?? "", /\+2 −1/);
    const background = (selector: string) =>
      card(panel)
        .locator(selector)
        .first()
        .evaluate((line) => getComputedStyle(line).backgroundColor);
    assert.notEqual(await background(".line.added"), await background(".line.removed"));
    assert.equal((await panel.postedBy("show_diff", () => press(panel, "Show diff"))).callId, "c1");
  });
});

test("a line that only looks like a header inside a change is shown as a change", async () => {
  const diff = "--- a/x.sql\n+++ b/x.sql\n@@ -1,2 +1,2 @@\n--- drop everything\n+++ keep\n";
  await withPanel({ view: asking({ ...EDIT, diff }) }, async (panel) => {
    assert.equal(await card(panel).locator(".line.removed").textContent(), "--- drop everything");
    assert.equal(await card(panel).locator(".line.added").textContent(), "+++ keep");
  });
});

test("a long diff and a long command are there to the last line", async () => {
  const command = `echo ${"x".repeat(5_000)}\n${"true\n".repeat(500)}rm last`;
  await withPanel({ view: asking({ kind: "command", command, folder: "app" }) }, async (panel) => {
    const shown = card(panel).locator(".command");
    assert.equal(await shown.textContent(), command);
    await shown.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    assert.equal(await card(panel).getByRole("button", { name: "Allow", exact: true }).isVisible(), true);
    const diff = `@@ -0,0 +1,800 @@\n${Array.from({ length: 800 }, (_, line) => `+${line}\n`).join("")}`;
    await panel.events(
      { type: "approval_settled", callId: "c1" },
      { type: "approval_asked", callId: "c1", question: { ...EDIT, diff, isNew: true } },
    );
    assert.equal(await card(panel).locator(".line.added").count(), 800);
    assert.match((await card(panel).textContent()) ?? "", /Create src\/answer\.ts/);
  });
});

test("a path outside the workspace is named with what is to be done to it", async () => {
  await withPanel(
    { view: asking({ kind: "outside", path: "/etc/hosts", access: "write" }) },
    async (panel) => {
      assert.match((await card(panel).textContent()) ?? "", /Change outside the workspace: \/etc\/hosts/);
      assert.equal(await card(panel).getByRole("button", { name: "Show diff" }).count(), 0);
    },
  );
});

for (const [name, answer] of [
  ["Allow", "allow"],
  ["Allow for this session", "allow_for_session"],
] as const) {
  test(`${name} is told to the host once, and the question goes when it is settled`, async () => {
    await withPanel({ view: asking(EDIT) }, async (panel) => {
      const { callId, decision } = await panel.postedBy("decide", () => press(panel, name));
      assert.deepEqual([callId, decision], ["c1", { answer }]);
      await press(panel, name);
      await press(panel, "Deny");
      await panel.events({ type: "approval_settled", callId: "c1" }, result("c1", { outcome: "ok" }));
      assert.equal(await card(panel).count(), 0);
      assert.equal(panel.of("decide").length, 1);
    });
  });
}

test("Deny takes the reason along, by button and by Enter in the field, but not by Enter of an input method", async () => {
  await withPanel({ view: asking(EDIT) }, async (panel) => {
    const reason = panel.page.getByRole("textbox", { name: "Reason for denying" });
    await reason.fill("  use the other file ");
    await reason.evaluate((field) => {
      const enter = { key: "Enter", isComposing: true, bubbles: true, composed: true };
      field.dispatchEvent(new KeyboardEvent("keydown", enter));
    });
    assert.deepEqual(panel.of("decide"), []);
    const byEnter = await panel.postedBy("decide", () => reason.press("Enter"));
    assert.deepEqual(byEnter.decision, { answer: "deny", reason: "use the other file" });
    await panel.events(
      { type: "approval_settled", callId: "c1" },
      { type: "approval_asked", callId: "c2", question: { kind: "command", command: "ls", folder: "app" } },
    );
    const byButton = await panel.postedBy("decide", () => press(panel, "Deny"));
    assert.deepEqual([byButton.callId, byButton.decision], ["c2", { answer: "deny", reason: "" }]);
  });
});

test("V07: a question does not take the focus from the field; Review brings it there, and it comes back afterwards", async () => {
  await withPanel(
    { view: viewAfter(said("?"), answered("", { toolCalls: [call("c1", "edit_file", {})] })) },
    async (panel) => {
      await panel.field.focus();
      await panel.page.keyboard.type("typing ");
      await panel.events(
        { type: "approval_asked", callId: "c1", question: EDIT },
        { type: "phase_changed", phase: { name: "approval", since: 0, callId: "c1" } },
      );
      await panel.page.keyboard.type("on");
      assert.equal(await panel.field.inputValue(), "typing on");
      await panel.page.getByRole("button", { name: "Review" }).press("Enter");
      await panel.drawn();
      assert.deepEqual(panel.of("decide"), []);
      const { decision } = await panel.postedBy("decide", () => panel.page.keyboard.press("Enter"));
      assert.deepEqual(decision, { answer: "allow" });
      await panel.events({ type: "approval_settled", callId: "c1" });
      await panel.page.keyboard.type("!");
      assert.equal(await panel.field.inputValue(), "typing on!");
    },
  );
});

test("a command says which programs it runs, which secrets it names, and that it is asked about each time", async () => {
  const question: ApprovalQuestion = {
    kind: "command",
    command: "cat .env | tee out\u202e",
    folder: "app",
    programs: ["cat", "tee\u202e"],
    isDangerous: true,
    secrets: [".env"],
  };
  await withPanel({ view: asking(question) }, async (panel) => {
    const remarks = await card(panel).locator(".approval-remark").allInnerTexts();
    assert.deepEqual(remarks, [
      "Runs cat, teeU+202E.",
      "Names files that look like secrets: .env.",
      "It may delete, overwrite, end or send something, so it is asked about each time.",
    ]);
    assert.equal(await card(panel).getByRole("button", { name: "Allow for this session" }).count(), 0);
    const plain: ApprovalQuestion = {
      kind: "command",
      command: "git status",
      folder: "app",
      plain: ["git", "status"],
    };
    await panel.events(
      { type: "approval_settled", callId: "c1" },
      { type: "approval_asked", callId: "c1", question: plain, askId: 7 },
    );
    assert.equal(await card(panel).locator(".approval-remark").count(), 0);
    const { askId } = await panel.postedBy("decide", () => press(panel, "Allow for this session"));
    assert.equal(askId, 7);
  });
});

test("a change of what starts programs says that it is asked about each time", async () => {
  await withPanel({ view: asking({ ...EDIT, path: ".git/hooks/pre-commit" }) }, async (panel) => {
    assert.match(await card(panel).locator(".approval-remark").innerText(), /can start programs/);
    assert.equal(await card(panel).getByRole("button", { name: "Allow for this session" }).count(), 0);
  });
});

test("a question that was withdrawn and asked anew says so, and secrets and calls from the text are named", async () => {
  await withPanel({ view: asking({ ...EDIT, isAgain: true }) }, async (panel) => {
    assert.match(await card(panel).locator(".approval-remark").innerText(), /changed while you were asked/);
    const ask = async (question: ApprovalQuestion) => {
      await panel.events(
        { type: "approval_settled", callId: "c1" },
        { type: "approval_asked", callId: "c1", question },
      );
      return card(panel).getAttribute("aria-label");
    };
    assert.equal(
      await ask({ kind: "secret", path: ".env", access: "read" }),
      "Approval needed: Read .env, which looks like a file with secrets",
    );
    assert.equal(
      await ask({ kind: "recovered", tool: "read_file", target: "a.ts" }),
      "Approval needed: Run read_file a.ts, which the model wrote into its answer as text",
    );
    assert.equal(await card(panel).getByRole("button", { name: "Allow for this session" }).count(), 0);
  });
});

test("a turn that changed files offers them back, and what was taken back can be undone", async () => {
  const view = viewAfter(
    said("change"),
    { v: 1, id: "k1", at: 5, type: "files_kept", turnId: "u1", files: [{ path: "a<b>.ts", was: "file" }] },
    { v: 1, id: "e1", at: 6, type: "turn_ended", reason: "done" },
  );
  await withPanel({ view }, async (panel) => {
    const note = panel.page.locator(".kept-files");
    assert.match(await note.innerText(), /^Changed in this turn: a<b>\.ts\s+Restore…$/);
    const more = { v: 1, at: 6, type: "files_kept", turnId: "u1" } as const;
    const lost = { path: "big.bin", was: "not_kept", reason: "too large" } as const;
    await panel.events(
      { ...more, id: "k2", files: [{ path: "c.ts", was: "file" }], stage: "expected" },
      { ...more, id: "k3", files: [lost], more: 3, isCut: true },
    );
    await note.getByText("cannot be restored: big.bin (too large), and 3 more").waitFor();
    await note.getByText("more files than are looked at").waitFor();
    await note.getByText("Perhaps changed, since Loom was closed in the middle of it: c.ts").waitFor();
    await panel.events({ ...more, id: "k4", files: [{ path: "c.ts", was: "file" }], stage: "unchanged" });
    await note.getByText("Perhaps changed").waitFor({ state: "detached" });
    const asked = await panel.postedBy("command", () =>
      note.getByRole("button", { name: "Restore…" }).click(),
    );
    assert.deepEqual([asked.command, asked.argument], ["restoreTurn", "u1"]);
    await panel.events({
      v: 1,
      id: "r1",
      at: 7,
      type: "turn_restored",
      turnId: "u1",
      undoId: "x1",
      files: [{ path: "a<b>.ts", how: "restored" }],
    });
    const item = panel.page.getByRole("listitem", { name: "Files taken back" });
    assert.match(await item.innerText(), /a<b>\.ts \(restored\)/);
    const undone = await panel.postedBy("command", () => item.getByRole("button", { name: "Undo" }).click());
    assert.deepEqual([undone.command, undone.argument], ["restoreTurn", "x1"]);
  });
});
