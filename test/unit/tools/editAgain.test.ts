import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryWorkspace } from "../../support/memoryWorkspace";
import { toolCaller } from "../../support/toolCalls";

function editor(files: Readonly<Record<string, string>>) {
  const workspace = new MemoryWorkspace({ files });
  return { workspace, call: toolCaller(workspace) };
}

test("a file that changed before the answer came is asked about anew, with the change as it would be made now", async () => {
  const { call, workspace } = editor({ "a.txt": "one\n" });
  let asked = 0;
  const answer = () => {
    asked += 1;
    if (asked === 1) workspace.files.set("/ws/a.txt", "one, and typed\n");
    return { answer: "allow" } as const;
  };
  const result = await call("edit_file", { path: "a.txt", old_text: "one", new_text: "1" }, { answer });
  assert.equal(result.outcome, "ok", result.content);
  const [first, second] = result.questions;
  assert.ok(first?.kind === "edit" && second?.kind === "edit" && result.questions.length === 2);
  assert.equal(first.isAgain, undefined);
  assert.equal(second.isAgain, true);
  assert.match(second.diff, /-one, and typed\n\+1, and typed/);
  assert.equal(workspace.textOf("a.txt"), "1, and typed\n");
});

test("a question is withdrawn by itself when the file changes, and nothing is watched afterwards", async () => {
  const { call, workspace } = editor({ "a.txt": "one\ntwo\n" });
  let asked = 0;
  const answer = (_: unknown, signal: AbortSignal) => {
    asked += 1;
    if (asked > 1) return { answer: "deny", reason: "rather not" } as const;
    return new Promise<{ answer: "deny"; reason: string }>((resolve) => {
      signal.addEventListener("abort", () => resolve({ answer: "deny", reason: "withdrawn" }));
      workspace.change("a.txt", "one\n2\n");
    });
  };
  const result = await call("edit_file", { path: "a.txt", old_text: "one", new_text: "1" }, { answer });
  assert.equal(result.outcome, "denied");
  assert.match(result.content, /rather not/);
  const second = result.questions[1];
  assert.ok(second?.kind === "edit" && second.diff.includes(" 2\n"), JSON.stringify(result.questions));
  assert.equal(workspace.textOf("a.txt"), "one\n2\n");
  assert.equal(workspace.watched, 0);
});

test("a change that no longer fits the file as it is by now is refused, and the result says why", async () => {
  const { call, workspace } = editor({ "a.txt": "one\n" });
  const answer = () => {
    workspace.files.set("/ws/a.txt", "something else\n");
    return { answer: "allow" } as const;
  };
  const result = await call("edit_file", { path: "a.txt", old_text: "one", new_text: "1" }, { answer });
  assert.equal(result.outcome, "error");
  assert.match(result.content, /^The file changed while the person was asked\. old_text was not found/);
  assert.equal(workspace.textOf("a.txt"), "something else\n");
});

test("a file that keeps changing is given up, and a file that came to be meanwhile is never overwritten", async () => {
  const { call, workspace } = editor({ "a.txt": "one\n" });
  let count = 0;
  const restless = () => {
    workspace.files.set("/ws/a.txt", `one ${++count}\n`);
    return { answer: "allow" } as const;
  };
  const kept = await call(
    "edit_file",
    { path: "a.txt", old_text: "one", new_text: "1" },
    { answer: restless },
  );
  assert.match(kept.content, /a\.txt keeps changing; nothing was changed/);
  const taken = () => {
    workspace.files.set("/ws/new.txt", "theirs\n");
    return { answer: "allow" } as const;
  };
  const made = await call(
    "edit_file",
    { path: "new.txt", old_text: "", new_text: "mine" },
    { answer: taken },
  );
  assert.match(made.content, /new\.txt exists and is not empty/);
  assert.equal(workspace.textOf("new.txt"), "theirs\n");
});
