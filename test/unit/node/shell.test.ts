import assert from "node:assert/strict";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import type { CommandRequest } from "../../../src/core/ports";
import { createShell } from "../../../src/node/commands/shell";
import { isAlive } from "../../support/isAlive";
import { temporaryFolder } from "../../support/temporaryFolder";

const isWindows = process.platform === "win32";
/** Far beyond what anything here takes: only a command that hangs meets it. */
const FAR_OFF_MS = 120_000;

async function shellIn(context: TestContext) {
  const folder = await temporaryFolder(context);
  const shell = createShell(() => folder);
  context.after(() => shell.dispose());
  let live = "";
  const run = (
    command: string,
    options: Partial<CommandRequest> = {},
    signal = new AbortController().signal,
  ) =>
    shell.run(
      {
        command,
        timeLimitMs: FAR_OFF_MS,
        maxCharacters: 10_000,
        onOutput: (text) => {
          live += text;
        },
        ...options,
      },
      signal,
    );
  return { folder, shell, run, live: () => live };
}

/** Waits until something holds; only a test that fails waits for long. */
async function until(holds: () => Promise<boolean> | boolean, what: string): Promise<void> {
  for (let waited = 0; waited < 30_000; waited += 20) {
    if (await holds()) return;
    await delay(20);
  }
  assert.fail(`waited in vain until ${what}`);
}

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );

async function idIn(path: string): Promise<number> {
  await until(
    async () => /^\d+\n$/.test(await readFile(path, "utf8").catch(() => "")),
    `${path} holds a process id`,
  );
  return Number(await readFile(path, "utf8"));
}

test("a command runs in the folder and gives output and exit code", { skip: isWindows }, async (context) => {
  const { run, folder, live } = await shellIn(context);
  const result = await run("pwd; echo oops >&2; exit 7");
  assert.deepEqual(
    { ...result, output: result.output.split("\n").sort() },
    {
      exitCode: 7,
      signal: null,
      endedBy: "itself",
      output: ["", folder, "oops"].sort(),
      leftRunning: false,
      leftNames: [],
    },
  );
  assert.equal(live(), result.output);
});

for (const command of [
  "sleep 300 & echo $! > id; echo started",
  "sleep 300 > /dev/null 2>&1 & echo $! > id; echo started",
  "(while true; do echo noise; sleep 0.01; done) & echo $! > id; echo started",
  "set -m; sleep 300 & echo $! > id; echo started",
]) {
  test(
    `B01: a background process does not hold the call and is ended later: ${command}`,
    { skip: isWindows },
    async (context) => {
      const { run, folder, shell } = await shellIn(context);
      const result = await run(command);
      assert.deepEqual([result.exitCode, result.endedBy, result.leftRunning], [0, "itself", true]);
      if (process.platform === "linux") assert.match(result.leftNames?.join() ?? "", /sleep|bash|sh/);
      assert.match(result.output, /^started$/m);
      const id = await idIn(join(folder, "id"));
      assert.ok(await isAlive(id));
      await shell.dispose();
      assert.equal(await isAlive(id), false);
    },
  );
}

test(
  "B01: a process that left group, session and pipes is found again",
  { skip: process.platform !== "linux" },
  async (context) => {
    const { run, folder, shell } = await shellIn(context);
    const { leftRunning } = await run(
      "setsid sh -c 'echo $$ > id; exec sleep 300' > /dev/null 2>&1 & until [ -s id ]; do sleep 0.01; done",
    );
    assert.ok(leftRunning);
    await shell.dispose();
    assert.equal(await isAlive(await idIn(join(folder, "id"))), false);
  },
);

for (const end of ["stop", "time_limit"] as const) {
  for (const trap of ["", "trap '' TERM; "]) {
    test(
      `B02: ${end} ends the whole tree${trap && ", also one that ignores the first signal"}`,
      { skip: isWindows },
      async (context) => {
        const { run, folder } = await shellIn(context);
        const stop = new AbortController();
        const command = `(${trap}sh -c 'echo $$ > id; ${trap}while :; do sleep 1; done') & ${trap}wait; sleep 300`;
        // The limit is met at any speed of the machine; what was started before it is what matters.
        const running = run(command, end === "time_limit" ? { timeLimitMs: 1_000 } : {}, stop.signal);
        if (end === "stop") {
          const id = await idIn(join(folder, "id"));
          stop.abort();
          assert.equal((await running).endedBy, "stop");
          assert.equal(await isAlive(id), false);
          return;
        }
        const result = await running;
        assert.deepEqual([result.endedBy, result.leftRunning, result.exitCode], ["time_limit", false, null]);
        if (await exists(join(folder, "id")))
          assert.equal(await isAlive(await idIn(join(folder, "id"))), false);
      },
    );
  }
}

test("B02: a stop before the start runs nothing", { skip: isWindows }, async (context) => {
  const { run, folder } = await shellIn(context);
  assert.equal((await run("touch made", {}, AbortSignal.abort())).endedBy, "stop");
  assert.equal(await exists(join(folder, "made")), false);
});

test("B03: input is closed, so nothing waits for it", { skip: isWindows }, async (context) => {
  const { run } = await shellIn(context);
  assert.match((await run('read -p "Go on? " x; echo "got [$x]"')).output, /got \[\]/);
  for (const command of [
    "read -s -p pw: x < /dev/tty",
    "python3 -c 'input()'",
    "sudo -v",
    "ssh -o BatchMode=no 127.0.0.1",
    "git push http://127.0.0.1:9/x",
    "npm init",
  ]) {
    assert.equal((await run(command)).endedBy, "itself", command);
  }
  assert.deepEqual([(await run("cat")).exitCode, (await run("cat")).output], [0, ""]);
  const asking = await run("exec 3</dev/tty && read x <&3");
  assert.notEqual(asking.exitCode, 0);
});

test(
  "B04: a flood is bounded, keeps head, tail and exit code, and says what is missing",
  { skip: isWindows },
  async (context) => {
    const { run, live } = await shellIn(context);
    const { output, exitCode } = await run("seq 1 200000; seq 1 200000 >&2; exit 7", {
      maxCharacters: 2_000,
    });
    assert.equal(exitCode, 7);
    assert.ok(output.length <= 2_000);
    assert.match(output, /^(?:1\n2\n|.*\[… )/s);
    const left = Number(
      /\[… ([\d,]+) lines, [\d,]+ characters left out …\]/.exec(output)?.[1]?.replaceAll(",", ""),
    );
    const shown = output.split("\n").filter((line) => /^\d+$/.test(line)).length;
    assert.equal(left + shown, 400_000);
    assert.match(output, /\n200000\n$/);
    assert.ok(live().length < 1_000_000, "the live view does not get everything");
  },
);

test(
  "B04: an endless flood stops on Stop, and the host's own timers run meanwhile",
  { skip: isWindows },
  async (context) => {
    const { run, live } = await shellIn(context);
    const stop = new AbortController();
    const running = run("yes", { maxCharacters: 1_000 }, stop.signal);
    await until(() => live().length > 20_000, "five updates of the live view");
    stop.abort();
    const { endedBy, output } = await running;
    assert.equal(endedBy, "stop");
    assert.ok(output.length <= 1_000);
  },
);

test("B06: no output and failure are told apart by the exit code", { skip: isWindows }, async (context) => {
  const { run } = await shellIn(context);
  const results = [await run("true"), await run("false"), await run("sh -c 'echo bad; exit 3' | tail -1")];
  assert.deepEqual(
    results.map(({ exitCode, output }) => [exitCode, output]),
    [
      [0, ""],
      [1, ""],
      [0, "bad\n"],
    ],
  );
});

test("a signal that ends the command is named", { skip: isWindows }, async (context) => {
  const { run } = await shellIn(context);
  const { exitCode, signal } = await run("kill -KILL $$");
  assert.deepEqual([exitCode, signal], [null, "SIGKILL"]);
});

test(
  "B07: bytes that are no UTF-8 become replacement characters, whole characters survive being cut into pieces",
  { skip: isWindows },
  async (context) => {
    const { run } = await shellIn(context);
    const broken = await run("printf '\\263\\311\\271\\246\\n\\377\\n'");
    assert.match(broken.output, /^\uFFFD+\S*\n\uFFFD\n$/);
    assert.equal(JSON.parse(JSON.stringify(broken.output)), broken.output);
    const pieces = await run(
      "printf 'caf\\303'; sleep 0.05; printf '\\251 \\360\\237'; sleep 0.05; printf '\\230\\200\\n'",
    );
    assert.equal(pieces.output, "café 😀\n");
  },
);

test("B08: pagers and editors are switched off", { skip: isWindows }, async (context) => {
  const { run } = await shellIn(context);
  const commits =
    "for i in $(seq 200); do printf 'commit refs/heads/main\\ncommitter n <a@b.c> 17000%05d +0000\\ndata <<E\\nc%d\\nE\\n\\n' $i $i; done";
  const setUp = `git init -q . && git config user.email a@b.c && git config user.name n && ${commits} | git fast-import --quiet && git symbolic-ref HEAD refs/heads/main`;
  assert.equal((await run(setUp)).exitCode, 0);
  const log = await run("git log --format=%s");
  assert.deepEqual(
    [log.exitCode, log.output.split("\n").length, log.output.slice(0, 10)],
    [0, 201, "c200\nc199\n"],
  );
  assert.equal((await run("git commit --amend --allow-empty")).exitCode, 0);
  assert.equal((await run("git -c color.ui=auto log -1 --format=%Cred%s")).output, "c200\n");
  for (const command of [
    "git log -p",
    "git rebase -i HEAD~3",
    "man ls",
    "git help log",
    "less /etc/hosts",
    "git -p status",
  ]) {
    assert.equal((await run(command)).endedBy, "itself", command);
  }
  assert.equal((await run("test -t 0 || test -t 1; echo $? $TERM")).output, "1 dumb\n");
});

test("colours and progress bars come as plain text", { skip: isWindows }, async (context) => {
  const { run } = await shellIn(context);
  assert.equal((await run("printf '\\033[31mred\\033[0m\\n10%%\\r100%%\\n'")).output, "red\n100%\n");
});

test(
  "a folder that is gone gives a result that says that nothing was started",
  { skip: isWindows },
  async () => {
    const shell = createShell(() => "/nowhere/at/all");
    const request = {
      command: "ls",
      timeLimitMs: FAR_OFF_MS,
      maxCharacters: 1_000,
      onOutput: () => undefined,
    };
    const result = await shell.run(request, new AbortController().signal);
    assert.deepEqual([result.exitCode, result.signal, result.endedBy], [null, null, "itself"]);
    assert.equal(result.output, "The folder /nowhere/at/all does not exist.");
  },
);
