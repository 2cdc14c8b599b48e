import assert from "node:assert/strict";
import { test } from "node:test";
import type { CommandResult } from "../../../src/core/ports";
import { MemoryWorkspace } from "../../support/memoryWorkspace";
import { FakeShell, toolCaller } from "../../support/toolCalls";

function run(result: Partial<CommandResult>, command = "make") {
  const shell = new FakeShell(result);
  return toolCaller(new MemoryWorkspace(), shell)("bash", { command });
}

test("a command is asked about with its whole text and folder, and runs exactly as shown", async () => {
  const shell = new FakeShell({ output: "hi\n" });
  const command = "echo hi &&\n  touch x # all of it";
  const result = await toolCaller(new MemoryWorkspace(), shell)("bash", { command });
  assert.deepEqual(result.questions, [{ kind: "command", command, folder: "/ws" }]);
  assert.deepEqual([shell.requests[0]?.command, shell.requests[0]?.timeLimitMs], [command, 20_000]);
  assert.deepEqual([result.outcome, result.content], ["ok", "Exit code 0.\nhi\n"]);
  assert.deepEqual(result.facts, { kind: "command", command, exitCode: 0 });
});

for (const command of [
  "git status && touch p1",
  "git status; touch p2",
  "git status\ntouch p3",
  "git status $(touch p4)",
  "git status `touch p5`",
  "git status > p6",
  "git status | tee p7",
  "git statusx",
  "FOO=1 git status",
]) {
  test(`B05: ${JSON.stringify(command)} asks, and does not run after a no`, async () => {
    const shell = new FakeShell();
    const call = toolCaller(new MemoryWorkspace(), shell);
    const result = await call("bash", { command }, { answer: { answer: "deny", reason: "no writing" } });
    assert.deepEqual(result.questions, [{ kind: "command", command, folder: "/ws" }]);
    assert.equal(result.outcome, "denied");
    assert.match(result.content, /The command was not run\. Their reason: no writing/);
    assert.deepEqual(shell.requests, []);
  });
}

test("B06: no output is said, with the exit code that tells success from failure", async () => {
  const [fine, bad] = [await run({}), await run({ exitCode: 1 })];
  assert.deepEqual(
    [fine.outcome, fine.content, fine.summary],
    ["ok", "Exit code 0. No output.", "exit code 0, no output"],
  );
  assert.deepEqual(
    [bad.outcome, bad.content, bad.summary],
    ["error", "Exit code 1. No output.", "exit code 1, no output"],
  );
});

test("B06: the exit code of a pipe is told as that of its last stage only", async () => {
  const pipe = await run({ output: "bad\n" }, "sh -c 'echo bad; exit 3' | tail -1");
  assert.equal(pipe.content, "Exit code 0 (of the last stage of the pipe).\nbad\n");
  for (const command of ["a || b", "echo 'x | y'", 'echo "x | y"', "echo x \\| y"]) {
    assert.match((await run({}, command)).content, /^Exit code 0\. /, command);
  }
  assert.match((await run({}, "a || b |& c")).content, /last stage/);
});

test("a signal, the time limit, a stop and a shell that does not start each have their own words", async () => {
  const killed = await run({ exitCode: null, signal: "SIGSEGV", output: "x" });
  assert.deepEqual([killed.outcome, killed.content], ["error", "Ended by signal SIGSEGV.\nx"]);
  const late = await run({ exitCode: null, signal: "SIGTERM", endedBy: "time_limit", output: "x" });
  assert.match(late.content, /^Not finished: ended at the time limit of 20 seconds/);
  assert.deepEqual([late.outcome, late.summary], ["error", "time limit of 20 s"]);
  const stopped = await run({ exitCode: null, signal: "SIGTERM", endedBy: "stop", output: "half" });
  assert.deepEqual([stopped.outcome, stopped.summary], ["cancelled", "stopped"]);
  assert.match(stopped.content, /^Stopped by the person.*\nhalf$/);
  const missing = await run({ exitCode: null, output: "spawn bash ENOENT" });
  assert.match(missing.content, /^The command could not be started\.\nspawn bash ENOENT$/);
});

test("after a change of folder alone the result says that it does not last", async () => {
  const call = toolCaller(new MemoryWorkspace(), new FakeShell());
  assert.match((await call("bash", { command: "cd src" })).content, /^Exit code 0\. The next command starts/);
  assert.equal((await call("bash", { command: "cd src && ls" })).content, "Exit code 0. No output.");
});

test("B01: a process that is left in the background is told", async () => {
  const { content } = await run({ leftRunning: true, output: "started\n" });
  assert.match(
    content,
    /^Exit code 0\. A process that it started in the background still runs.*\nstarted\n$/,
  );
});

test("the result stays within its size, and the output gets what the sentences leave", async () => {
  const shell = new FakeShell({ output: "x".repeat(5_000), endedBy: "time_limit", leftRunning: true });
  const call = toolCaller(new MemoryWorkspace(), shell);
  const { content } = await call("bash", { command: "make" }, { maxCharacters: 600 });
  assert.ok(content.length <= 600);
  assert.ok((shell.requests[0]?.maxCharacters ?? 0) <= 600 - content.indexOf("\n") - 1);
});

test("without a folder nothing is asked or run", async () => {
  const shell = new FakeShell({}, null);
  const result = await toolCaller(new MemoryWorkspace(), shell)("bash", { command: "ls" });
  assert.match(result.content, /No folder on a disk is open/);
  assert.deepEqual([result.questions, shell.requests], [[], []]);
});

test("A03: a stop while the person is asked runs nothing", async () => {
  const shell = new FakeShell();
  const stop = new AbortController();
  const answer = () => {
    stop.abort();
    return { answer: "deny", reason: "stopped" } as const;
  };
  const call = toolCaller(new MemoryWorkspace(), shell);
  const result = await call("bash", { command: "ls" }, { answer, signal: stop.signal });
  assert.equal(result.outcome, "cancelled");
  assert.deepEqual(shell.requests, []);
});

test("a shell that throws becomes a result, not an exception", async () => {
  const shell = new FakeShell();
  shell.run = () => Promise.reject(new Error("no more processes"));
  const { outcome, content } = await toolCaller(new MemoryWorkspace(), shell)("bash", { command: "ls" });
  assert.deepEqual([outcome, content], ["error", "bash failed: no more processes"]);
});
