import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer as createHttpServer } from "node:http";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import { readArguments } from "../../../scripts/ollama/arguments";
import { featuresOf, reportFifths } from "../../../scripts/ollama/build";
import { isDone, layoutOf, markDone, withLock, writeWhole, type Layout } from "../../../scripts/ollama/cache";
import { engineFlagsFor, models, plainModel, stepsFor, toolModel } from "../../../scripts/ollama/recipe";
import {
  compilersAtOnce,
  explainLacks,
  goSettings,
  lacksForBuild,
  lacksForWeights,
  type Machine,
} from "../../../scripts/ollama/requirements";
import { findFreePort, readRunning, serverEnvironment } from "../../../scripts/ollama/server";
import { candidates, findOllama, installedBinary } from "../../../scripts/ollama/setup";

let layout: Layout;
beforeEach(async () => {
  layout = layoutOf(await mkdtemp(join(tmpdir(), "loom-ollama-")));
});
afterEach(() => rm(layout.root, { recursive: true }));

function portOf(server: { address(): unknown }): number {
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null && "port" in address);
  return Number(address.port);
}

/** A machine on which exactly these calls succeed, with what they print. */
function machineWith(calls: Readonly<Record<string, string>>, hasApt = true): Machine {
  return {
    platform: "linux",
    hasApt,
    output: (program, parameters) => calls[[program, ...parameters].join(" ")],
  };
}

const goCall = "go env GOVERSION GOTOOLCHAIN";
const complete = {
  [goCall]: "go1.26.8\nlocal",
  "cmake --version": "cmake version 3.25.1",
  "ninja --version": "1.11.1",
  "c++ --version": "c++ 12",
  "cc --version": "cc 12",
  "python3 -m pip --version": "pip 24.0 from /usr/lib (python 3.11)",
};

describe("the arguments of npm run ollama", () => {
  test("none means: find or get a server and start it", () => {
    assert.deepEqual(readArguments([]), { action: "start", isJson: false, createModels: false });
  });
  test("each switch is read", () => {
    assert.deepEqual(readArguments(["--stop"]), { action: "stop", isJson: false, createModels: false });
    assert.deepEqual(readArguments(["--find", "--json"]), {
      action: "find",
      isJson: true,
      createModels: false,
    });
    assert.deepEqual(readArguments(["--model"]), { action: "start", isJson: false, createModels: true });
  });
  test("an unknown word and two actions at once are refused by name", () => {
    assert.deepEqual(readArguments(["--stpo"]), { error: "There is no argument --stpo." });
    assert.ok("error" in readArguments(["--stop", "--find"]));
  });
});

describe("where a server is looked for", () => {
  const addresses = (host: string | undefined, own?: string): string[] =>
    candidates(host === undefined ? {} : { OLLAMA_HOST: host }, own).map(({ address }) => address);

  test("OLLAMA_HOST first, then Ollama's own address, then the one started from the cache", () => {
    assert.deepEqual(candidates({ OLLAMA_HOST: "box:9" }, "http://127.0.0.1:11535"), [
      { address: "http://box:9", source: "OLLAMA_HOST" },
      { address: "http://127.0.0.1:11434", source: "default address" },
      { address: "http://127.0.0.1:11535", source: "cache" },
    ]);
    assert.deepEqual(addresses(undefined), ["http://127.0.0.1:11434"]);
    assert.deepEqual(addresses("  "), ["http://127.0.0.1:11434"]);
  });
  test("an address to listen on becomes one to call, and what is left out is added", () => {
    assert.equal(addresses("0.0.0.0")[0], "http://127.0.0.1:11434");
    assert.equal(addresses("0.0.0.0:8080")[0], "http://127.0.0.1:8080");
    assert.equal(addresses("gpu.local")[0], "http://gpu.local:11434");
    assert.equal(addresses("https://ollama.example.com/")[0], "https://ollama.example.com:443");
  });
  test("an OLLAMA_HOST that is no address is named, not passed over", () => {
    assert.throws(() => addresses("http://"), /OLLAMA_HOST/);
  });
  test("a server that answers at OLLAMA_HOST is found with its version and models, and is not ours", async () => {
    const server = createHttpServer((request, response) => {
      const isVersion = request.url === "/api/version";
      response.end(JSON.stringify(isVersion ? { version: "0.9.1" } : { models: [{ name: "qwen3:8b" }] }));
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const host = `127.0.0.1:${portOf(server)}`;
    const found = await findOllama({ OLLAMA_HOST: host }, layout);
    server.close();
    assert.deepEqual(found, {
      address: `http://${host}`,
      version: "0.9.1",
      models: ["qwen3:8b"],
      source: "OLLAMA_HOST",
      isOwn: false,
    });
  });
  test("a record of a process that is not an Ollama is not believed", async () => {
    await writeWhole(
      layout.record,
      JSON.stringify({ pid: process.ppid, address: "http://127.0.0.1:1", binary: "/nowhere" }),
    );
    assert.equal(await readRunning(layout), undefined);
    await writeWhole(layout.record, "{");
    assert.equal(await readRunning(layout), undefined);
  });
  test("an installed program is found by the PATH", async () => {
    assert.equal(installedBinary({ PATH: layout.root }, "linux"), undefined);
    const path = join(layout.root, "ollama");
    await writeFile(path, "");
    assert.equal(installedBinary({ PATH: ["/nowhere", layout.root].join(":") }, "linux"), path);
  });
});

describe("steps that are done once", () => {
  const { server, engine } = stepsFor("A", []);

  test("a step is done when its recipe is the same and its product is there", async () => {
    const product = join(layout.root, "product");
    await markDone(layout, server);
    assert.equal(await isDone(layout, server, product), false, "no product");
    await writeFile(product, "");
    assert.equal(await isDone(layout, server, product), true);
    assert.equal(await isDone(layout, { ...server, recipe: "newer" }, product), false, "another recipe");
    assert.equal(await isDone(layout, engine, product), false, "another step");
  });
  test("a mark that was cut off counts as none", async () => {
    await markDone(layout, server);
    await writeFile(join(layout.marks, "server.json"), '{"rec');
    assert.equal(await isDone(layout, server, layout.marks), false);
  });
  test("another processor needs another engine, and nothing else", () => {
    const other = stepsFor("B", []);
    assert.notEqual(other.engine.recipe, engine.recipe);
    assert.equal(other.server.recipe, server.recipe);
    assert.equal(other.models.recipe, stepsFor("A", []).models.recipe);
  });
  test("the engine is compiled for what the processor has, but never for AMX", () => {
    const line = (features: string) => `processor\t: 0\nflags\t\t: ${features}\nbugs\t\t:\n`;
    const flagsOf = (features: string) =>
      engineFlagsFor(featuresOf(line(features))).filter((flag) => /NATIVE|AVX|AMX/.test(flag));
    const usual = "fpu sse2 avx avx2 fma f16c bmi1 bmi2";
    assert.deepEqual(flagsOf(usual), ["-DGGML_NATIVE=OFF"]);
    const large = flagsOf(`${usual} avx512f avx_vnni amx_tile amx_int8 amx_bf16`);
    assert.deepEqual(large, ["-DGGML_NATIVE=OFF", "-DGGML_AVX_VNNI=ON", "-DGGML_AVX512=ON"]);
    assert.deepEqual(flagsOf("fpu sse2"), ["-DGGML_NATIVE=ON"]);
    assert.deepEqual([...featuresOf("Features : neon")], []);
  });
  test("the compiler's progress is reported once for each fifth", () => {
    const lines: string[] = [];
    const take = reportFifths((line) => lines.push(line));
    for (let done = 1; done <= 214; done += 1) take(`[${done}/214] Building CXX object`);
    take("ninja: no work to do.");
    assert.deepEqual(
      lines,
      ["20", "40", "60", "80", "100"].map((percent) => `  ${percent} % compiled`),
    );
  });
  test("compilers at once: one a core, no more than one for each GiB, at least one", () => {
    assert.equal(compilersAtOnce(16, 64 * 2 ** 30), 16);
    assert.equal(compilersAtOnce(16, 4 * 2 ** 30), 4);
    assert.equal(compilersAtOnce(2, 2 ** 28), 1);
  });
});

describe("the lock", () => {
  test("a second set-up waits, says for whom, and goes on when the first has ended", async () => {
    const order: string[] = [];
    let go: () => void = assert.fail;
    const told = new Promise<void>((resolve) => {
      go = resolve;
    });
    const first = withLock(layout, assert.fail, async () => {
      await told;
      order.push("first");
    });
    while (!existsSync(layout.lock)) await new Promise(setImmediate);
    const second = withLock(
      layout,
      (line) => {
        order.push(line.includes(`Process ${process.pid} `) ? "told" : line);
        go();
      },
      () => Promise.resolve(order.push("second")),
    );
    await Promise.all([first, second]);
    assert.deepEqual(order, ["told", "first", "second"]);
    assert.equal(existsSync(layout.lock), false);
  });
  test("the lock of a process that is gone holds nobody up, and a failure gives it back", async () => {
    const gone = spawnSync(process.execPath, ["--version"]).pid;
    await writeFile(layout.lock, String(gone));
    await assert.rejects(
      withLock(layout, assert.fail, () => Promise.reject(new Error("no"))),
      /^Error: no$/,
    );
    assert.equal(existsSync(layout.lock), false);
  });
});

describe("what a machine lacks", () => {
  test("nothing where all tools are", () => {
    assert.deepEqual(lacksForBuild(machineWith(complete)), []);
  });
  test("each missing tool is named with its Debian package; Go without one, since Debian's is too old", () => {
    const bare = machineWith({});
    const text = explainLacks(lacksForBuild(bare), bare);
    assert.match(text, /Go 1\.26 or newer from https:\/\/go\.dev\/dl \(Debian's is too old\)/);
    assert.match(
      text,
      /apt-get install --no-install-recommends cmake ninja-build g\+\+ python3 python3-pip\n/,
    );
    assert.match(text, /https:\/\/ollama\.com\/download/);
    assert.doesNotMatch(explainLacks(lacksForBuild(bare), machineWith({}, false)), /apt-get/);
  });
  test("an old Go is enough only if it may fetch a newer one", () => {
    const lacksWith = (go: string): string[] =>
      lacksForBuild(machineWith({ ...complete, [goCall]: go })).map(({ what }) => what);
    assert.deepEqual(lacksWith("go1.24.4\nauto"), []);
    assert.deepEqual(lacksWith("go1.27rc1\nlocal"), []);
    assert.match(lacksWith("go1.24.4\nlocal")[0] ?? "", /this is go1\.24\.4/);
    assert.match(lacksWith("go1.19.8\n")[0] ?? "", /this is go1\.19\.8/);
  });
  test("go counts its use inside the cache and still reads the person's settings", () => {
    const env = goSettings(layout, { XDG_CONFIG_HOME: "/home/ada/.config" });
    assert.ok(env["XDG_CONFIG_HOME"]?.startsWith(layout.root));
    assert.equal(env["GOENV"], join("/home/ada/.config", "go", "env"));
    assert.equal(goSettings(layout, { GOENV: "off" })["GOENV"], "off");
  });
  test("the model alone needs only Python with pip, under either name", () => {
    assert.deepEqual(lacksForWeights(machineWith({ "python -m pip --version": "pip 24 (python 3.12)" })), []);
    assert.equal(
      lacksForWeights(machineWith({ "python -m pip --version": "pip 20 (python 2.7)" })).length,
      1,
    );
  });
});

describe("the server that is started", () => {
  test("it takes the first free port", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const port = portOf(taken);
    assert.ok((await findFreePort(port, 20)) > port);
    await assert.rejects(findFreePort(port, 1), /are all taken/);
    taken.close();
  });
  test("settings for another Ollama don't reach it, and all it writes is in the cache", () => {
    const person = { PATH: "/bin", OLLAMA_KEEP_ALIVE: "-1", GGML_X: "1", HOME: "/home/ada", TMPDIR: "/tmp" };
    const env = serverEnvironment(person, layout, "127.0.0.1:11535");
    assert.equal(env["OLLAMA_KEEP_ALIVE"], undefined);
    assert.equal(env["GGML_X"], undefined);
    assert.equal(env["PATH"], "/bin");
    assert.equal(env["OLLAMA_HOST"], "127.0.0.1:11535");
    for (const name of ["OLLAMA_MODELS", "HOME", "USERPROFILE", "XDG_CACHE_HOME", "TMPDIR", "TEMP", "TMP"])
      assert.ok(env[name]?.startsWith(layout.root), name);
  });
  test("its threads give way to other programs, unless it is said how they are to wait", () => {
    const policyOf = (env: NodeJS.ProcessEnv) => {
      const { OMP_WAIT_POLICY, GOMP_SPINCOUNT } = serverEnvironment(env, layout, "127.0.0.1:11535");
      return [OMP_WAIT_POLICY, GOMP_SPINCOUNT];
    };
    assert.deepEqual(policyOf({}), ["passive", "0"]);
    assert.deepEqual(policyOf({ OMP_WAIT_POLICY: "active" }), ["active", undefined]);
  });
  test("one model is given a template that renders tools, calls and results; the other has none", () => {
    const [tools, plain] = [toolModel, plainModel].map((name) => models.find((model) => model.name === name));
    for (const part of [".System", ".Tools", ".ToolCalls", 'eq .Role "tool"'])
      assert.ok(tools?.template?.includes(part), part);
    assert.ok(plain && plain.template === undefined);
  });
});
