import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, test } from "node:test";
import { build } from "esbuild";
import { startNode, stopTree } from "../../../scripts/editor/processes";

const isPosix = process.platform !== "win32";

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "loom-processes-"));
});
after(() => rm(folder, { recursive: true }));

/** Gives the next line that a child prints at each call. */
function linesOf(child: ChildProcess): () => Promise<string> {
  assert.ok(child.stdout);
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return async () => String((await lines.next()).value);
}

/** Resolves once none of the processes runs; zombies, which run no more, count as ended. */
async function untilGone(pids: readonly number[]): Promise<void> {
  for (const pid of pids) {
    for (;;) {
      const ps = spawn("ps", ["-o", "stat=", "-p", String(pid)], { stdio: ["ignore", "pipe", "ignore"] });
      let state = "";
      ps.stdout.on("data", (chunk: Buffer) => (state += chunk.toString()));
      await once(ps, "close");
      if (state.trim() === "" || state.startsWith("Z")) break;
    }
  }
}

describe("What a script has started ends with it", { skip: !isPosix && "process groups are POSIX" }, () => {
  /** Starts helpers as an editor does: one in its own group, a command in a session of its own, and one that such a command left behind. */
  const standIn = `
    const { spawn } = require("node:child_process");
    const wait = ["-e", "process.on('SIGTERM', () => 0); setInterval(() => 0, 1e6)"];
    const options = { stdio: "ignore" };
    const helper = spawn(process.execPath, wait, options);
    const command = spawn(process.execPath, wait, { ...options, detached: true });
    const left = spawn("sh", ["-c", 'sleep 100000 & echo $!'], { stdio: ["ignore", "pipe", "ignore"], detached: true });
    left.stdout.once("data", (chunk) => {
      left.stdout.destroy();
      console.log(JSON.stringify([helper.pid, command.pid, Number(chunk)]));
    });
    setInterval(() => 0, 1e6);`;

  test("helpers, commands in groups of their own, and what those left in the background", async () => {
    const script = join(folder, "editor.cjs");
    await writeFile(script, standIn);
    const child = startNode(script, [], process.env);
    const [helper = 0, command = 0, left = 0] = JSON.parse(await linesOf(child)()) as number[];
    await stopTree(child);
    // Only Linux tells whose tree a process is from when its parent has ended.
    if (process.platform === "linux") await untilGone([left]);
    else process.kill(left);
    await untilGone([helper, command]);
  });
});

describe("A script that is asked to end", { skip: !isPosix && "Windows has no such signals" }, () => {
  let script: string;
  before(async () => {
    script = join(folder, "script.mjs");
    const stdin = {
      contents: `
        import { askedToEnd, untilAborted } from "./scripts/editor/processes";
        const asked = askedToEnd();
        console.log("started " + process.pid);
        const hold = setInterval(() => 0, 1e6);
        console.log(await untilAborted(asked));
        process.stdin.resume().once("end", () => {
          console.log("cleaned up");
          clearInterval(hold);
        });`,
      resolveDir: process.cwd(),
    };
    await build({ stdin, bundle: true, platform: "node", format: "esm", outfile: script });
  });

  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    test(`finishes its clean-up when ${signal} comes once more`, async () => {
      const child = spawn(process.execPath, [script], { stdio: ["pipe", "pipe", "inherit"] });
      const line = linesOf(child);
      assert.match(await line(), /^started/);
      child.kill(signal);
      assert.equal(await line(), signal);
      child.kill(signal);
      child.stdin.end();
      assert.equal(await line(), "cleaned up");
      const [code] = (await once(child, "exit")) as [number | null];
      assert.equal(code, 0);
    });
  }

  test("is told when the shell that started it was killed", async () => {
    const shell = spawn("sh", ["-c", `"${process.execPath}" "${script}"; true`], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    const line = linesOf(shell);
    assert.match(await line(), /^started/);
    shell.kill("SIGKILL");
    assert.equal(await line(), "the parent process has ended");
    assert.equal(await line(), "cleaned up");
  });

  const whyNot = process.platform !== "linux" && "only there the shell stays between npm and the script";
  test("is told when npm was killed and its shell was not", { skip: whyNot }, async () => {
    const starter = join(folder, "npm.cjs");
    await writeFile(
      starter,
      `process.title = "npm start";
       require("node:child_process").spawn("sh", ["-c", ${JSON.stringify(`"${process.execPath}" "${script}"; true`)}], {
         stdio: "inherit",
         env: { ...process.env, npm_lifecycle_event: "start" },
       });`,
    );
    const npm = spawn(process.execPath, [starter], { stdio: ["pipe", "pipe", "inherit"] });
    const line = linesOf(npm);
    assert.match(await line(), /^started/);
    npm.kill("SIGKILL");
    assert.equal(await line(), "the parent process has ended");
    assert.equal(await line(), "cleaned up");
  });
});
