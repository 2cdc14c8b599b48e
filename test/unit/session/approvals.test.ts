import assert from "node:assert/strict";
import { test } from "node:test";
import { Approvals } from "../../../src/core/approvals/approvals";
import type { SessionSettings } from "../../../src/core/session";
import { createTools } from "../../../src/core/tools";
import type { ToolCall } from "../../../src/shared/events";
import type { ApprovalDecision, ApprovalQuestion } from "../../../src/shared/live";
import { MemoryWorkspace } from "../../support/memoryWorkspace";
import { callOf, ScriptedModel } from "../../support/scriptedModel";
import { startSession } from "../../support/sessionFixture";
import { FakeShell } from "../../support/toolCalls";

const EDIT = { path: "n.txt", old_text: "three", new_text: "THREE" };
const WORDS = "one two three four five six seven eight nine ten".split(" ").join("\n");

/** One message of the model with these calls; every question gets `decision`, and each is looked at while it waits. */
async function play(
  calls: readonly ToolCall[],
  settings: Partial<SessionSettings>,
  decision: ApprovalDecision = { answer: "allow" },
) {
  const workspace = new MemoryWorkspace({ files: { "n.txt": WORDS } });
  const shell = new FakeShell({ output: "hi\n" });
  const tools = createTools({ workspace, shell, limits: { commandTimeLimitSeconds: 20 } });
  const model = new ScriptedModel([{ toolCalls: calls }, { text: "Done." }]);
  const { session, idle } = startSession(model, { tools, settings });
  const questions: ApprovalQuestion[] = [];
  let mostAtOnce = 0;
  session.onEvent((event) => {
    if (event.type !== "approval_asked") return;
    questions.push(event.question);
    mostAtOnce = Math.max(mostAtOnce, session.view.approvals.length);
    // Later than the question, as a person would.
    setImmediate(() => session.decide(event.callId, decision, event.askId));
  });
  session.send("m1", "go");
  await idle();
  const results = session.events.filter((event) => event.type === "tool_result");
  const told = model.requests.at(-1)?.messages.filter(({ role }) => role === "tool") ?? [];
  return { questions, mostAtOnce, results, told, workspace, shell };
}

const ALL = [
  callOf("read_file", { path: "n.txt" }),
  callOf("search_text", { pattern: "three" }),
  callOf("edit_file", EDIT),
  callOf("edit_file", { path: "new.txt", old_text: "", new_text: "x" }),
  callOf("bash", { command: "echo hi" }),
];

for (const [who, more, says] of [
  ["set by the person", { approvalMode: "readOnly" }, /reading only \(setting loom\.approvals\)/],
  [
    "without trust",
    { approvalMode: "readOnly", readOnlyReason: "This workspace is not trusted." },
    /This workspace is not trusted\./,
  ],
] as const)
  test(`reading only, ${who}: edits and commands are refused unasked, the model is told why, and reading works`, async () => {
    const { questions, results, told, workspace, shell } = await play(ALL, {
      ...more,
      allowedCommands: ["echo *"],
    });
    assert.deepEqual(questions, []);
    assert.deepEqual(
      results.map(({ outcome }) => outcome),
      ["ok", "ok", "denied", "denied", "denied"],
    );
    for (const { content } of told.slice(2)) assert.match(content ?? "", says);
    assert.equal(workspace.textOf("n.txt"), WORDS);
    assert.deepEqual([workspace.textOf("new.txt"), shell.requests], [undefined, []]);
  });

test("by default every edit and every command is asked about; with allowEdits only commands are", async () => {
  const kinds = async (settings: Partial<SessionSettings>) =>
    (await play(ALL, settings)).questions.map(({ kind }) => kind);
  assert.deepEqual(await kinds({}), ["edit", "edit", "command"]);
  assert.deepEqual(await kinds({ approvalMode: "allowEdits" }), ["command"]);
});

test("a change of what starts programs is asked about each time, whatever was allowed", async () => {
  const paths = [
    ".git/hooks/pre-commit",
    "app/.GIT/config",
    ".vscode/tasks.json",
    "/ws/.vscode/settings.json",
    ".husky/pre-push",
    ".devcontainer/devcontainer.json",
    "ws.code-workspace",
  ];
  const harmless = [".gitignore", ".github/x.yml", "git/hooks.md", "src/vscode/a.ts", ".vscodeignore"];
  const make = (path: string) => callOf("edit_file", { path, old_text: "", new_text: "x\n" });
  const calls = [...harmless, ...paths, "last.txt"].map(make);
  const asked = async (settings: Partial<SessionSettings>, decision?: ApprovalDecision) =>
    (await play(calls, settings, decision)).questions.map((question) =>
      question.kind === "edit" ? question.path : question.kind,
    );
  const shown = paths.map((path) => path.replace("/ws/", ""));
  assert.deepEqual(await asked({ approvalMode: "allowEdits" }), shown);
  assert.deepEqual(await asked({}, { answer: "allow_for_session" }), [harmless[0], ...shown]);
});

test("E08: several edits of one file in one message run in order, one question at a time, and each result is true", async () => {
  const edit = (old_text: string, new_text: string) =>
    callOf("edit_file", { path: "n.txt", old_text, new_text });
  const { mostAtOnce, questions, results, workspace } = await play(
    [
      edit("three", "THREE"),
      edit("three", "drei"),
      edit("THREE\nfour", "3\n4"),
      edit("nine", "NINE"),
      edit("4\nfive", "4\n5"),
    ],
    {},
  );
  assert.equal(mostAtOnce, 1);
  assert.equal(questions.length, 4, "what does not fit is not asked about");
  assert.deepEqual(
    results.map(({ outcome }) => outcome),
    ["ok", "error", "ok", "ok", "ok"],
  );
  assert.equal(workspace.textOf("n.txt"), "one\ntwo\n3\n4\n5\nsix\nseven\neight\nNINE\nten");
});

test("E08: an edit that is refused does not stand in the way of the others in the same message", async () => {
  const calls = [
    callOf("edit_file", { path: "n.txt", old_text: "e", new_text: "E" }),
    callOf("edit_file", EDIT),
    callOf("edit_file", { path: "none.txt", old_text: "a", new_text: "b" }),
    callOf("edit_file", { path: "n.txt", old_text: "ten", new_text: "TEN" }),
  ];
  const { results, workspace } = await play(calls, { approvalMode: "allowEdits" });
  assert.deepEqual(
    results.map(({ outcome }) => outcome),
    ["error", "ok", "error", "ok"],
  );
  assert.equal(workspace.textOf("n.txt"), WORDS.replace("three", "THREE").replace("ten", "TEN"));
});

test("an answer to a question that was withdrawn decides nothing about the one that took its place", async () => {
  const asked: number[] = [];
  const approvals = new Approvals(() => ({ mode: "ask" }), {
    asked: (_callId, _question, askId) => void asked.push(askId),
    settled: () => undefined,
  });
  const question = { kind: "command", command: "ls", folder: "/ws" } as const;
  const withdrawn = new AbortController();
  const first = approvals.ask("c1", question, withdrawn.signal);
  withdrawn.abort();
  assert.equal((await first).answer, "deny");
  let isSettled = false;
  const second = approvals
    .ask("c1", { ...question, command: "rm -r x" }, new AbortController().signal)
    .finally(() => (isSettled = true));
  approvals.decide("c1", { answer: "allow" }, asked[0]);
  await new Promise(setImmediate);
  assert.equal(isSettled, false);
  approvals.decide("c1", { answer: "deny", reason: "no" }, asked[1]);
  assert.deepEqual(await second, { answer: "deny", reason: "no" });
});

test("what is allowed is looked up at each question: a setting that gets stricter counts at once", async () => {
  let mode: "allowEdits" | "readOnly" | "ask" = "allowEdits";
  let questions = 0;
  const approvals = new Approvals(() => ({ mode }), {
    asked: () => (questions += 1),
    settled: () => undefined,
  });
  const edit = { kind: "edit", path: "a", diff: "", added: 0, removed: 0, isNew: false } as const;
  const { signal } = new AbortController();
  assert.equal((await approvals.ask("1", edit, signal)).answer, "allow");
  mode = "readOnly";
  assert.equal((await approvals.ask("2", edit, signal)).answer, "deny");
  mode = "ask";
  void approvals.ask("3", edit, signal);
  assert.equal(questions, 1);
  // Also where everything was allowed before for this session.
  approvals.decide("3", { answer: "allow_for_session" });
  assert.equal((await approvals.ask("4", edit, signal)).answer, "allow");
  mode = "readOnly";
  assert.equal((await approvals.ask("5", edit, signal)).answer, "deny");
});
