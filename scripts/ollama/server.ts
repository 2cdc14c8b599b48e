import { spawn, type ChildProcess } from "node:child_process";
import { mkdir, open, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import * as z from "zod/mini";
import { signalTree } from "../editor/processes";
import { probe } from "./api";
import { readJson, writeWhole, type Layout } from "./cache";
import { commandLineOf, lastLines } from "./processes";

const ServerRecord = z.object({
  pid: z.number(),
  address: z.string(),
  /** The program that was started. */
  binary: z.string(),
});

/** What is known of a server that was started here. */
export type ServerRecord = Readonly<z.infer<typeof ServerRecord>>;

/** Beside Ollama's own 11434, so that one that the person starts later finds its port free. */
const firstPort = 11535;
const portCount = 50;

/** How long a started server may take until it answers, and a stopped one until it has ended, in milliseconds. */
const startLimit = 60_000;
const stopLimit = 10_000;

/** The server that was started from this cache and still runs. */
export async function readRunning(layout: Layout): Promise<ServerRecord | undefined> {
  const record = z.safeParse(ServerRecord, await readJson(layout.record));
  return record.success && isServer(record.data.pid) ? record.data : undefined;
}

/** A process id may by now be that of a program that has nothing to do with us. */
function isServer(pid: number): boolean {
  // Windows tells only the name of the program; and an installed `ollama` may be a wrapper that runs another file.
  return /ollama(\.exe|.* serve$)/i.test(commandLineOf(pid));
}

/** Starts `binary` as a server that lives on without this process, with its models and keys in the cache. */
export async function startServer(layout: Layout, binary: string): Promise<ServerRecord> {
  const port = await findFreePort(firstPort, portCount);
  const address = `http://127.0.0.1:${port}`;
  const log = join(layout.logs, "serve.log");
  for (const folder of [layout.logs, layout.models, join(layout.home, "tmp")])
    await mkdir(folder, { recursive: true });
  const file = await open(log, "w");
  const child = spawn(binary, ["serve"], {
    detached: true,
    windowsHide: true,
    stdio: ["ignore", file.fd, file.fd],
    cwd: layout.home,
    env: serverEnvironment(process.env, layout, new URL(address).host),
  });
  const failure = startFailure(child);
  await file.close();
  if (child.pid === undefined) throw new Error(`${binary} can't be started: ${await failure}`);
  child.unref();
  const record = { pid: child.pid, address, binary };
  await writeWhole(layout.record, `${JSON.stringify(record)}\n`);
  const problem = await Promise.race([failure, untilAnswers(address)]);
  if (problem === undefined) return record;
  await stopServer(layout);
  throw new Error(`${binary} ${problem}. Its log, ${log}, ends with:\n${await lastLines(log, 15)}`);
}

function startFailure(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, signal) => resolve(`ended with ${code ?? signal} before it answered`));
  });
}

/** Resolves when the server answers, or with what is wrong. */
async function untilAnswers(address: string): Promise<string | undefined> {
  const end = performance.now() + startLimit;
  while (performance.now() < end) {
    if (await probe(address)) return undefined;
    await delay(100);
  }
  return `did not answer at ${address} within ${startLimit / 1000} s`;
}

/**
 * A thread of the engine that waits for another gives its core away. Spinning, as OpenMP does otherwise, was measured at 0.7 tokens/s
 * in place of 47 when other programs kept both cores of a machine busy, as parallel tests do; on a machine that is quiet it writes
 * three times as fast (86 tokens/s in place of 28).
 */
const GIVE_WAY = { OMP_WAIT_POLICY: "passive", GOMP_SPINCOUNT: "0" };

/**
 * The environment of the server: nothing that the person has set for another Ollama reaches it, and all that it writes
 * goes into the cache. Its threads give way to other programs, unless `OMP_WAIT_POLICY` is set.
 */
export function serverEnvironment(
  env: NodeJS.ProcessEnv,
  layout: Layout,
  host: string,
): Record<string, string | undefined> {
  const temporary = join(layout.home, "tmp");
  const others = Object.entries(env).filter(([name]) => !/^(OLLAMA|LLAMA|GGML)_/.test(name));
  return {
    ...Object.fromEntries(others),
    OLLAMA_HOST: host,
    OLLAMA_MODELS: layout.models,
    OLLAMA_NO_CLOUD: "1",
    // The weights lie among the models before a model is made of them, and would be removed at the start.
    OLLAMA_NOPRUNE: "1",
    ...(env["OMP_WAIT_POLICY"] === undefined ? GIVE_WAY : {}),
    HOME: layout.home,
    USERPROFILE: layout.home,
    XDG_CACHE_HOME: join(layout.home, ".cache"),
    XDG_CONFIG_HOME: join(layout.home, ".config"),
    TMPDIR: temporary,
    TEMP: temporary,
    TMP: temporary,
  };
}

/** The first port from `first` on that nothing listens on, of `count`. */
export async function findFreePort(first: number, count: number): Promise<number> {
  for (let port = first; port < first + count; port += 1) if (await isFree(port)) return port;
  throw new Error(`The ports ${first} to ${first + count - 1} of 127.0.0.1 are all taken.`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}

/** Ends the server that was started from this cache, with its engine. False when none was running. */
export async function stopServer(layout: Layout): Promise<boolean> {
  const record = await readRunning(layout);
  if (record) {
    signalTree(record.pid, "SIGTERM");
    const end = performance.now() + stopLimit;
    while (isServer(record.pid) && performance.now() < end) await delay(50);
    // Also for an engine that outlives the server.
    signalTree(record.pid, "SIGKILL");
  }
  await rm(layout.record, { force: true });
  return record !== undefined;
}
