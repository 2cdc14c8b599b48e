import assert from "node:assert/strict";
import { test } from "node:test";
import { createTools } from "../../../src/core/tools";
import { readShellCommand } from "../../../src/node/commands/shellSyntax";
import type { ApprovalDecision, ApprovalQuestion } from "../../../src/shared/live";
import { MemoryWorkspace } from "../../support/memoryWorkspace";
import { callOf, ScriptedModel } from "../../support/scriptedModel";
import { startSession } from "../../support/sessionFixture";
import { FakeShell } from "../../support/toolCalls";

/** One turn in which the model writes this call as text, under settings that allow as much as there is to allow. */
async function recover(name: string, input: Readonly<Record<string, string>>, decision: ApprovalDecision) {
  const workspace = new MemoryWorkspace({ files: { "a.txt": "one\n" } });
  const shell = new FakeShell({ output: "hi\n" });
  const readCommand = (command: string) => Promise.resolve(readShellCommand(command));
  const tools = createTools({ workspace, shell, limits: { commandTimeLimitSeconds: 20 }, readCommand });
  const model = new ScriptedModel([
    { toolCalls: [{ ...callOf(name, input), isRecovered: true }] },
    { toolCalls: [callOf(name, input)] },
    { text: "Done." },
  ]);
  const { session, idle } = startSession(model, {
    tools,
    settings: { approvalMode: "allowEdits", allowedCommands: ["echo *"] },
  });
  const questions: ApprovalQuestion[] = [];
  session.onEvent((event) => {
    if (event.type !== "approval_asked") return;
    questions.push(event.question);
    session.decide(event.callId, decision, event.askId);
  });
  session.send("m1", "go");
  await idle();
  const [first] = session.events.filter((event) => event.type === "tool_result");
  return { questions, first, workspace, shell };
}

for (const [name, input, kind] of [
  ["read_file", { path: "a.txt" }, "recovered"],
  ["list_files", { path: "." }, "recovered"],
  ["search_text", { pattern: "one" }, "recovered"],
  ["edit_file", { path: "a.txt", old_text: "one", new_text: "two" }, "edit"],
  ["bash", { command: "echo hi" }, "command"],
] as const) {
  test(`a call of ${name} that was written as text is asked about whatever the settings allow, a real one is not`, async () => {
    const denied = await recover(name, input, { answer: "deny", reason: "not that" });
    assert.deepEqual(
      denied.questions.map((question) => [question.kind, question.isRecovered]),
      [[kind, true]],
    );
    assert.equal(denied.first?.outcome, "denied");
    assert.match(denied.first.content, /not that/);
    const allowed = await recover(name, input, { answer: "allow_for_session" });
    // Not remembered either: only the first of the two calls was asked about, and only because it was written as text.
    assert.equal(allowed.questions.length, 1);
    assert.equal(allowed.first?.outcome, "ok");
  });
}

test("a recovered call that was refused has touched nothing", async () => {
  const { workspace, shell } = await recover("read_file", { path: "a.txt" }, { answer: "deny", reason: "" });
  // The real call that follows is the only one that reads.
  assert.equal(workspace.touched.length, 1);
  assert.deepEqual(shell.requests, []);
});
