import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { hashesIn, rereadRemark } from "../../../src/core/log/files";
import { createTools } from "../../../src/core/tools";
import type { ToolCall } from "../../../src/shared/events";
import { MemoryWorkspace } from "../../support/memoryWorkspace";
import { callOf, ScriptedModel, type Step } from "../../support/scriptedModel";
import { startSession } from "../../support/sessionFixture";
import { FakeShell } from "../../support/toolCalls";

const SUMMARY: Step = { text: "- read some files and changed one" };
const read = (path: string): ToolCall => callOf("read_file", { path });
const edit = (path: string, oldText: string, newText: string): ToolCall =>
  callOf("edit_file", { path, old_text: oldText, new_text: newText });

/** A session that has read a.ts, b.ts and c.ts, changed b.ts, and was compacted; `between` runs before the compaction. */
async function compactedSession(
  between: (workspace: MemoryWorkspace) => void,
  after: readonly Step[] = [],
  keepMessages = 1,
) {
  const workspace = new MemoryWorkspace({
    files: { "a.ts": "let a = 1;\n", "b.ts": "let b = 1;\n", "c.ts": "let c = 1;\n", "d.ts": "let d = 1;\n" },
  });
  const model = new ScriptedModel([
    { text: "I see. ".repeat(200) },
    { toolCalls: [read("a.ts"), read("b.ts"), read("c.ts")] },
    { toolCalls: [edit("b.ts", "let b = 1;", "let b = 2;")] },
    { text: "Done." },
    SUMMARY,
    ...after,
  ]);
  const tools = createTools({ workspace, shell: new FakeShell(), limits: { commandTimeLimitSeconds: 20 } });
  const fixture = startSession(model, {
    tools,
    hashOf: hashesIn(workspace),
    settings: { keepMessages, numCtx: 16_384, approvalMode: "allowEdits" },
  });
  fixture.session.send("m0", "Here is what it is all about.");
  await fixture.idle();
  fixture.session.send("m1", "Look at the three files and change b.");
  await fixture.idle();
  between(workspace);
  assert.deepEqual(await fixture.session.compactNow(), { ok: true });
  return { ...fixture, workspace, model };
}

describe("the ledger of files", () => {
  test("marks what changed and what was deleted since it was read, and not what the agent itself wrote", async () => {
    const { session, stored } = await compactedSession((workspace) => {
      workspace.files.set("/ws/a.ts", "let a = 7;\n");
      workspace.files.delete("/ws/c.ts");
    });
    const event = stored.find(({ type }) => type === "compacted");
    assert.ok(event?.type === "compacted");
    assert.deepEqual(
      event.kept.files.map(({ path, changed, stale }) => [path, changed, stale]),
      [
        ["a.ts", false, "changed"],
        ["c.ts", false, "deleted"],
        ["b.ts", true, undefined],
      ],
    );
    const slot = session.latestSummary() ?? "";
    assert.ok(
      slot.includes("- a.ts (changed since it was read)\n- c.ts (deleted since)\n- b.ts (changed by you)"),
    );
  });

  test("counts a file that cannot be looked at as it was", async () => {
    const { stored } = await compactedSession((workspace) => {
      workspace.readText = () => Promise.reject(new Error("the disk is gone"));
    });
    const event = stored.find(({ type }) => type === "compacted");
    assert.ok(event?.type === "compacted");
    assert.ok(event.kept.files.length === 3 && event.kept.files.every(({ stale }) => stale === undefined));
  });
});

describe("an edit after a compaction", () => {
  async function resultsOf(...calls: readonly ToolCall[][]) {
    const steps = [...calls.map((toolCalls): Step => ({ toolCalls })), { text: "Edited." }];
    const played = await compactedSession(
      (workspace) => workspace.files.set("/ws/a.ts", "let a = 7;\n"),
      steps,
    );
    const before = played.session.events.length;
    played.session.send("m2", "Now change it.");
    await played.idle();
    const results = played.session.events
      .slice(before)
      .flatMap((event) => (event.type === "tool_result" ? [event] : []));
    return { ...played, results };
  }

  test("of a file that was not read since says that it was read again, and that it changed", async () => {
    const { results, workspace } = await resultsOf([edit("./a.ts", "let a = 7;", "let a = 8;")]);
    const [first = ""] = results[0]?.content.split("\n") ?? [];
    assert.equal(
      first,
      "a.ts was not read since the context summary, so it was read again before this edit; it changed since you last saw it.",
    );
    assert.match(results[0]?.content ?? "", /Edited a\.ts/);
    assert.equal(workspace.textOf("a.ts"), "let a = 8;\n");
  });

  test("says it without the change when the file is as it was, also when the text is not found", async () => {
    const { results } = await resultsOf([edit("c.ts", "let c = 9;", "let c = 2;")]);
    assert.equal(results[0]?.outcome, "error");
    assert.match(
      results[0]?.content ?? "",
      /^c\.ts was not read since the context summary, so it was read again before this edit\.\nold_text was not found/,
    );
  });

  test("says nothing once the file was read or changed since, nor of a new or a missing file", async () => {
    const { results } = await resultsOf(
      [read("a.ts")],
      [edit("a.ts", "let a = 7;", "let a = 8;")],
      [edit("c.ts", "let c = 1;", "let c = 2;")],
      [edit("c.ts", "let c = 2;", "let c = 3;")],
      [edit("new.ts", "", "let n = 1;\n")],
      [edit("gone.ts", "x", "y")],
    );
    const remarked = results.map(({ content }) => content.includes("was not read since"));
    assert.deepEqual(remarked, [false, false, true, false, false, false]);
  });

  test("says nothing while the tail still shows the file", async () => {
    const { session } = await compactedSession(() => undefined, [], 4);
    const compaction = session.events.find(({ type }) => type === "compacted");
    assert.ok(compaction?.type === "compacted" && compaction.messagesKept >= 3);
    assert.equal(rereadRemark(session.events, "b.ts", undefined), undefined);
    assert.match(rereadRemark(session.events, "d.ts", "1") ?? "", /^d\.ts was not read since/);
  });

  test("before any compaction says nothing", () => {
    assert.equal(rereadRemark([], "a.ts", "1"), undefined);
  });
});
