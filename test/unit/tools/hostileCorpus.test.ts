import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { Approvals } from "../../../src/core/approvals/approvals";
import { SECRET_FILES, secretTest } from "../../../src/core/approvals/secrets";
import { createShell } from "../../../src/node/commands/shell";
import { readShellCommand } from "../../../src/node/commands/shellSyntax";
import { TerminalText } from "../../../src/node/commands/terminalText";
import { createWorkspace } from "../../../src/node/files/workspace";
import { canRemember, type ApprovalQuestion } from "../../../src/shared/live";
import {
  HOSTILE_COMMANDS,
  HOSTILE_CONTENTS,
  HOSTILE_NAMES,
  HOSTILE_PATHS,
} from "../../support/hostileCorpus";
import { temporaryFolder } from "../../support/temporaryFolder";
import { toolCaller } from "../../support/toolCalls";

const SECRET = "correct-horse-battery-staple";
const deny = { answer: { answer: "deny", reason: "" } } as const;

/** A workspace with links that lead out of it, beside folders that nothing may touch. */
async function trap(t: TestContext) {
  const outer = await temporaryFolder(t, {
    "ws/a.txt": "inside\n",
    "ws/sub/b.txt": "inside too\n",
    "ws-old/secret.txt": `${SECRET}\n`,
    "elsewhere/secret.txt": `${SECRET}\n`,
    "elsewhere/sub/secret.txt": `${SECRET}\n`,
    "secret.txt": `${SECRET}\n`,
  });
  const root = join(outer, "ws");
  for (const [link, target] of [
    ["gate", "../elsewhere"],
    ["dangling", "../elsewhere/new.txt"],
    ["loop", "loop"],
    ["link.txt", "../secret.txt"],
    ["sub/link2", "../link.txt"],
    ["sub/up", "../.."],
    ["chain", "gate/sub"],
  ] as const)
    symlinkSync(target, join(root, link));
  const workspace = createWorkspace(() => [{ name: "ws", path: root }]);
  const call = toolCaller(
    workspace,
    createShell(() => root),
    {
      readCommand: (command) => Promise.resolve(readShellCommand(command)),
      isSecret: secretTest(SECRET_FILES),
    },
  );
  return { outer, root, call, outside: () => snapshot(outer, "ws") };
}

/** Every file below a folder with its content, without one of its children. */
function snapshot(folder: string, without: string): string {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true });
  const all = names.map((entry) => {
    const path = join(entry.parentPath, entry.name);
    return entry.isFile() ? `${path}: ${readFileSync(path, "utf8")}` : path;
  });
  return all
    .filter((line) => !line.startsWith(`${join(folder, without)}/`))
    .sort()
    .join("\n");
}

test("the hostile corpus has at least 200 inputs", (t) => {
  const count =
    HOSTILE_PATHS.length + HOSTILE_NAMES.length + HOSTILE_COMMANDS.length + HOSTILE_CONTENTS.length;
  const all = [HOSTILE_PATHS, HOSTILE_NAMES, HOSTILE_COMMANDS, HOSTILE_CONTENTS];
  assert.equal(
    all.reduce((sum, each) => sum + new Set(each).size, 0),
    count,
    "none counts twice",
  );
  assert.ok(count >= 200, `${count} inputs`);
  t.diagnostic(`${count} hostile inputs`);
});

test("E09: no hostile path reads, lists, searches or changes anything outside without consent", async (t) => {
  const { outer, root, call, outside } = await trap(t);
  const before = outside();
  for (const written of HOSTILE_PATHS) {
    const path = written.replaceAll("OUTSIDE", join(outer, "elsewhere"));
    for (const [name, input] of [
      ["read_file", { path }],
      ["list_files", { path }],
      ["search_text", { pattern: "horse", path }],
      ["edit_file", { path, old_text: "", new_text: "planted" }],
      ["edit_file", { path, old_text: "correct", new_text: "planted" }],
    ] as const) {
      const result = await call(name, input, deny);
      assert.ok(!result.content.includes(SECRET), JSON.stringify([name, path]));
      for (const question of result.questions)
        assert.ok(["outside", "secret", "edit"].includes(question.kind), JSON.stringify(question));
      assert.equal(outside(), before, JSON.stringify([name, path]));
    }
  }
  assert.equal(readFileSync(join(root, "a.txt"), "utf8"), "inside\n");
});

test("hostile names of files are listed, searched and read without a line or a control character of theirs getting through", async (t) => {
  const { root, call, outside } = await trap(t);
  const before = outside();
  const folder = join(root, "names");
  mkdirSync(folder);
  const made = HOSTILE_NAMES.filter((name) => {
    try {
      writeFileSync(join(folder, name), "needle\n");
      return true;
    } catch {
      // Not every disk takes every name.
      return false;
    }
  });
  assert.ok(made.length > HOSTILE_NAMES.length / 2 || process.platform === "win32");
  const options = { maxCharacters: 100_000 };
  const listed = await call("list_files", { path: "names" }, options);
  assert.equal(listed.content.split("\n").length, made.length + 1);
  const found = await call("search_text", { pattern: "needle", path: "names" }, options);
  assert.equal(found.content.split("\n").length, 2 * made.length + 1);
  for (const { content } of [listed, found]) {
    assert.doesNotMatch(content, /[^\P{C}\n\u{E000}-\u{F8FF}]/u);
  }
  for (const name of made) {
    const read = await call("read_file", { path: join(folder, name) });
    assert.ok(
      read.outcome === "ok" ||
        read.questions.length > 0 ||
        name.trim() !== name ||
        name === "~tilde" ||
        /^["'`]/.test(name),
      JSON.stringify([name, read.content]),
    );
    // What is refused names the file as well, on one line.
    const path = join(folder, name);
    for (const [tool, input] of [
      ["read_file", { path, start_line: 99 }],
      ["edit_file", { path, old_text: "", new_text: "x" }],
      ["edit_file", { path, old_text: "needle", new_text: "needle" }],
      ["edit_file", { path, old_text: "needle", new_text: "pin" }],
      ["edit_file", { path: `${path}/below`, old_text: "x", new_text: "y" }],
    ] as const) {
      const { content } = await call(tool, input, deny);
      assert.equal(content.replace("\nDo not try", " ").split("\n").length, 1, content);
      assert.doesNotMatch(content, /[^\P{C}\n\u{E000}-\u{F8FF}]/u, JSON.stringify([tool, name]));
    }
  }
  assert.equal(outside(), before);
});

test("B05: no hostile command is remembered, or runs because another one was allowed", async (t) => {
  const { root, call } = await trap(t);
  for (const written of HOSTILE_COMMANDS) {
    const command = written.replace(/\bP\b/g, () => join(root, "planted"));
    const { questions, outcome } = await call("bash", { command }, deny);
    const [question] = questions;
    assert.ok(question?.kind === "command" && questions.length === 1, JSON.stringify(command));
    assert.equal(question.command, command, "what is shown is what would run");
    assert.equal(outcome, "denied");
    assert.ok(!canRemember(question), JSON.stringify(command));
    assert.ok(isAsked(question), JSON.stringify(command));
  }
  assert.ok(!readdirSync(root).includes("planted"));
});

/** Whether a question is put to the person although the allow list has much on it. */
function isAsked(question: ApprovalQuestion): boolean {
  let isPut = false;
  const allowedCommands = [
    "git status",
    "git *",
    "touch",
    "echo *",
    "find *",
    "sed *",
    "awk *",
    "sort *",
    "tar *",
    "rg *",
    "yes *",
    "cat *",
  ];
  const approvals = new Approvals(() => ({ mode: "allowEdits", allowedCommands }), {
    asked: () => (isPut = true),
    settled: () => undefined,
  });
  void approvals.ask("1", question, new AbortController().signal);
  return isPut;
}

test("hostile contents are read within bounds, come back byte for byte from an edit beside them, and print as plain text", async (t) => {
  const { root, call } = await trap(t);
  for (const [index, content] of HOSTILE_CONTENTS.entries()) {
    const name = `content${index}.txt`;
    const bytes = Buffer.from(`first line\n${content}\nlast line\n`, "utf8");
    writeFileSync(join(root, name), bytes);
    const read = await call("read_file", { path: name }, { maxCharacters: 4_000 });
    assert.ok(read.content.length <= 4_000);
    const edited = await call("edit_file", { path: name, old_text: "first line\n", new_text: "1st line\n" });
    const now = readFileSync(join(root, name));
    const expected = Buffer.from(bytes.toString("utf8").replace("first line", "1st line"), "utf8");
    assert.ok(
      now.equals(edited.outcome === "ok" ? expected : bytes),
      JSON.stringify([index, edited.content.slice(0, 200)]),
    );
    assert.ok(
      edited.outcome === "ok" || content.includes("\0") || content.startsWith("\v"),
      JSON.stringify([index, edited.content.slice(0, 200)]),
    );
    const terminal = new TerminalText();
    const printed = terminal.push(content) + terminal.end();
    assert.doesNotMatch(printed, /[^\P{Cc}\t\n]/u, JSON.stringify(content.slice(0, 80)));
    assert.doesNotThrow(() => JSON.stringify(read));
  }
});
