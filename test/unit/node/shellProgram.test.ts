import assert from "node:assert/strict";
import { test } from "node:test";
import { commandsIn, windowsKillArguments } from "../../../src/node/commands/processTree";
import { chooseShell, commandEnvironment, shellArguments } from "../../../src/node/commands/shellProgram";

const none = () => false;

test("bash is taken where there is one, else sh", () => {
  const choose = (exists: (path: string) => boolean, PATH = "/opt/bin:relative") =>
    chooseShell({ platform: "linux", environment: { PATH }, exists });
  assert.deepEqual(
    choose((path) => path === "/usr/bin/bash"),
    { file: "/usr/bin/bash", options: ["-c"], name: "bash" },
  );
  assert.equal(choose((path) => path === "/opt/bin/bash").file, "/opt/bin/bash");
  assert.equal(choose((path) => path === "relative/bash").file, "/bin/sh");
  assert.equal(choose(none).name, "sh");
});

test("on Windows the bash of Git is taken, else PowerShell, and never the one of WSL", () => {
  const environment = {
    ProgramFiles: "C:\\Program Files",
    LOCALAPPDATA: "C:\\Users\\a\\AppData\\Local",
    PATH: "C:\\Windows\\System32",
  };
  const choose = (...there: string[]) =>
    chooseShell({ platform: "win32", environment, exists: (path) => there.includes(path) });
  const git = "C:\\Program Files\\Git\\bin\\bash.exe";
  assert.deepEqual(choose(git, "C:\\Windows\\System32\\bash.exe"), {
    file: git,
    options: ["-c"],
    name: "bash",
  });
  assert.equal(choose("C:\\Users\\a\\AppData\\Local\\Programs\\Git\\bin\\bash.exe").name, "bash");
  assert.equal(choose("C:\\Windows\\System32\\bash.exe").file, "powershell.exe");
});

test("a command line is handed over as one argument; PowerShell writes UTF-8 and gives the exit code", () => {
  const bash = { file: "/bin/bash", options: ["-c"], name: "bash" } as const;
  assert.deepEqual(shellArguments(bash, "echo 'a b' && c"), ["-c", "echo 'a b' && c"]);
  const powershell = chooseShell({ platform: "win32", environment: {}, exists: none });
  const [profile, interactive, command, script] = shellArguments(powershell, "git status; echo $x");
  assert.deepEqual([profile, interactive, command], ["-NoProfile", "-NonInteractive", "-Command"]);
  assert.match(script ?? "", /UTF8\ngit status; echo \$x\n.*exit \$LASTEXITCODE/);
});

test("B08: the environment switches pagers, editors, prompts and colours off and marks the command", () => {
  const environment = commandEnvironment(
    {
      HOME: "/home/a",
      PAGER: "less",
      EDITOR: "vim",
      FORCE_COLOR: "1",
      ELECTRON_RUN_AS_NODE: "1",
      UNSET: undefined,
    },
    "id-1",
  );
  assert.equal(environment["HOME"], "/home/a");
  for (const name of ["PAGER", "GIT_PAGER", "MANPAGER"]) assert.equal(environment[name], "cat");
  for (const name of ["EDITOR", "VISUAL", "GIT_EDITOR"]) assert.equal(environment[name], "true");
  assert.deepEqual(
    [environment["TERM"], environment["NO_COLOR"], environment["LOOM_COMMAND"]],
    ["dumb", "1", "id-1"],
  );
  for (const name of ["FORCE_COLOR", "ELECTRON_RUN_AS_NODE", "UNSET"])
    assert.equal(Object.hasOwn(environment, name), false);
});

test("B01: where there is no /proc, what a command left is named by its group in the listing of ps", () => {
  const listing = [
    "    1     1 Ss   /sbin/launchd",
    "  700   700 Z    (bash)",
    "  701   700 S    sleep 300",
    "  702   700 R+   node server.js --name 701 700 S",
    " 7000  7000 S    other 700",
    "  703   703 S    setsid",
    "",
  ].join("\n");
  assert.deepEqual(commandsIn(listing, [-700]), ["sleep 300", "node server.js --name 701 700 S"]);
  assert.deepEqual(commandsIn(listing, [703, 1]), ["/sbin/launchd", "setsid"]);
  assert.deepEqual(commandsIn("", [-700]), []);
});

test("B02: on Windows the whole tree is ended by force", () => {
  assert.deepEqual(windowsKillArguments(42), ["/PID", "42", "/T", "/F"]);
});
