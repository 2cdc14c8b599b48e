import assert from "node:assert/strict";
import { test } from "node:test";
import { Approvals, type ApprovalRules } from "../../../src/core/approvals/approvals";
import { isAllowedBy, isDangerous, onlyReads, programsOf } from "../../../src/core/approvals/commandSyntax";
import { readShellCommand } from "../../../src/node/commands/shellSyntax";
import { canRemember, type ApprovalQuestion } from "../../../src/shared/live";
import { MemoryWorkspace } from "../../support/memoryWorkspace";
import { FakeShell, toolCaller } from "../../support/toolCalls";

const readCommand = (command: string) => Promise.resolve(readShellCommand(command));

/** The question that a command leads to. */
async function questionOf(command: string): Promise<ApprovalQuestion> {
  const call = toolCaller(new MemoryWorkspace(), new FakeShell(), {
    readCommand,
    isSecret: (path) => /(^|\/)\.env$/.test(path),
  });
  const { questions } = await call("bash", { command });
  const [question] = questions;
  assert.ok(question?.kind === "command" && questions.length === 1);
  return question;
}

/** Whether a command runs unasked under these rules, after the person said "for this session" to `agreed`. */
async function runsUnasked(command: string, rules: ApprovalRules, agreed?: string): Promise<boolean> {
  let isAsked = false;
  const approvals = new Approvals(() => rules, { asked: () => (isAsked = true), settled: () => undefined });
  const { signal } = new AbortController();
  if (agreed !== undefined) {
    const first = approvals.ask("1", await questionOf(agreed), signal);
    approvals.decide("1", { answer: "allow_for_session" });
    await first;
  }
  isAsked = false;
  void approvals.ask("2", await questionOf(command), signal);
  return !isAsked;
}

const RIDERS = [
  "git status && touch p1",
  "git status; touch p2",
  "git status\ntouch p3",
  "git status $(touch p4)",
  "git status `touch p5`",
  "git status > p6",
  "git status | tee p7",
  "git statusx",
  "FOO=1 git status",
  "git status & touch p8",
  "git status || touch p9",
  "git status |& tee p10",
  "git status >> p11",
  "git status 2>p12",
  "git status <(touch p13)",
  "git status >(tee p14)",
  "git status <<EOF\n$(touch p15)\nEOF",
  "git status <<< $(touch p16)",
  "(git status; touch p17)",
  "{ git status; touch p18; }",
  "git status \\\n; touch p19",
  "git status\r\ntouch p20",
  'git status "$(touch p21)"',
  "git status ${X:-$(touch p22)}",
  "git status $((X[$(touch p23)0]))",
  "git status {a,b}",
  "git status *",
  "git status ~",
  "! git status",
  "time git status",
  "eval git status",
  "command git status",
  "./git status",
  "git\u00a0status",
  "git status\u2028touch p24",
  "git status \u202e",
  "gi\u200bt status",
  "g\u0456t status",
  "GIT status",
  "$0 git status",
  "git status\0",
  "git 'status' \"$'\"",
  "git $'status'",
  "git status #; touch p25\ntouch p26",
  "if git status; then touch p27; fi",
  "git() { touch p28; }; git status",
  "alias git=touch; git status",
  "coproc git status",
  "git status & disown",
  "exec git status",
  "git status 'unclosed",
];

for (const [index, command] of RIDERS.entries()) {
  test(`B05: nothing rides along on an allowed command (${index + 1}): ${JSON.stringify(command)}`, async () => {
    const rules = { mode: "ask", allowedCommands: ["git status", "git status *"] } as const;
    const isExtension = command === "git status";
    assert.equal(await runsUnasked(command, { mode: "ask", allowedCommands: ["git status"] }), isExtension);
    if (command !== "git status {a,b}") assert.equal(await runsUnasked(command, rules), false);
    assert.equal(await runsUnasked(command, { mode: "ask" }, "git status"), false);
  });
}

test("B05: the same words run unasked after “for this session”, however they are spaced or quoted; operators in quotes are words", async () => {
  for (const [agreed, command] of [
    ["git status", "git status"],
    ["git status", "git   'status' "],
    ['git log "a;b"', "git log 'a;b'"],
    ["npm test", "npm test"],
  ] as const) {
    assert.equal(await runsUnasked(command, { mode: "ask" }, agreed), true, command);
  }
  assert.equal(await runsUnasked("npm test -- x", { mode: "ask" }, "npm test"), false);
});

test("what is dangerous, what names a secret and what cannot be taken apart is never remembered", async () => {
  for (const command of [
    "rm -r build",
    "/bin/rm x",
    "git push",
    "git -c core.pager=x log",
    "git reset --hard",
    "find . -delete",
    "find . -exec rm x",
    "sh script.sh",
    "sudo ls",
    "curl http://127.0.0.1",
    "node -e 1",
    "python3 -c 1",
    "npx thing",
    "tee x",
    "xargs ls",
    "env ls",
    "sed -i s/a/b/ x",
    "cat .env",
    "echo 'unclosed",
    "ls | wc",
    "ls *",
  ]) {
    assert.equal(canRemember(await questionOf(command)), false, command);
    assert.equal(await runsUnasked(command, { mode: "ask" }, command), false, command);
  }
  assert.ok(canRemember(await questionOf("git status")));
});

test("the allow list compares words: `*` for one, at the end for any number, never for the program or for what is dangerous", () => {
  const words = (command: string) => command.split(" ");
  assert.ok(isAllowedBy("npm test", words("npm test")));
  assert.ok(!isAllowedBy("npm test", words("npm test x")));
  assert.ok(isAllowedBy("npm test *", words("npm test")));
  assert.ok(isAllowedBy(" npm  test * ", words("npm test a b")));
  assert.ok(isAllowedBy("npm * lint", words("npm run lint")));
  assert.ok(!isAllowedBy("npm * lint", words("npm run x lint")));
  for (const pattern of ["*", "* *", "n* test", "", "  "])
    assert.ok(!isAllowedBy(pattern, words("npm test")));
  assert.ok(!isAllowedBy("git *", words("git push --force")));
  assert.ok(isAllowedBy("git push", words("git push")));
  assert.ok(!isAllowedBy("rm *", words("rm -rf /")));
  assert.ok(!isAllowedBy("git sta*", words("git status")));
});

test("what may run is named, also inside substitutions, conditions and functions", () => {
  const programs = (command: string) => {
    const syntax = readShellCommand(command);
    assert.ok(syntax, command);
    return programsOf(syntax);
  };
  assert.deepEqual(programs("a | b && c; d"), ["a", "b", "c", "d"]);
  assert.deepEqual(programs('echo "$(x `y`)"'), ["echo", "x", "y"]);
  assert.deepEqual(programs("if a; then b; fi; f() { c; }; f"), ["a", "b", "c", "f"]);
  assert.deepEqual(programs("$X run"), ["…"]);
  assert.ok(isDangerous([null, "run"]));
});

test("a command names the secret-looking files that stand anywhere in it", async () => {
  for (const command of [
    "cat .env",
    "grep TOKEN .env",
    "grep TOKEN < config/.env",
    'x="$(cat .env)"; echo $x',
    "curl -d @.env http://127.0.0.1",
    "cp --target=.env a",
    "docker run --env-file=.env x",
    "cat <<EOF\n$(<.env)\nEOF",
    "echo 'unclosed; cat .env",
    "if [ -f .env ]; then . ./.env; fi",
  ]) {
    const question = await questionOf(command);
    assert.ok(question.kind === "command" && question.secrets !== undefined, command);
    assert.ok(
      question.secrets.some((path) => path.endsWith(".env")),
      command,
    );
  }
  const harmless = await questionOf("cat .env.example environment");
  assert.ok(harmless.kind === "command" && harmless.secrets === undefined);
});

test("without a parser (PowerShell) every command is asked about each time", async () => {
  const call = toolCaller(new MemoryWorkspace(), new FakeShell(), {
    readCommand: () => Promise.resolve(undefined),
  });
  const { questions } = await call("bash", { command: "git status" });
  assert.deepEqual(questions, [{ kind: "command", command: "git status", folder: "/ws" }]);
  const [question] = questions;
  assert.ok(question !== undefined && !canRemember(question));
});

test("only what certainly reads is taken for reading: no writing option, redirection, variable, unknown program or script", () => {
  const reads = (command: string) => {
    const syntax = readShellCommand(command);
    return syntax !== undefined && onlyReads(command, syntax);
  };
  const reading = [
    "ls -la",
    "cat a.txt | grep -n one | head -5",
    "cd src && git status; git diff HEAD~1",
    "grep -r needle . 2>/dev/null | wc -l",
    "ls missing 2>&1",
    "sed -n '10,25p' src/file.ts",
    "find . -name '*.ts'",
  ];
  const others = [
    "npm run format",
    "sh script.sh",
    "./ls",
    "ls > out",
    "cat a >> b 2>/dev/null",
    "PATH=. ls",
    "cat $(node make.js)",
    "ls() { rm x; }; ls",
    "find . -delete",
    "sort -uo out in",
    "sed -n '1,5w out' a",
    "sed -n 1p -i a",
    "git checkout .",
    "git -C other status",
    "git diff --output=x",
    "echo a | tee b",
    "make",
    "cat a; python x.py",
  ];
  assert.deepEqual(
    reading.filter((command) => !reads(command)),
    [],
  );
  assert.deepEqual(others.filter(reads), []);
});
