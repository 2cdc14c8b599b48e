import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { DEFAULT_ADDRESS, parseAddress } from "../../src/ollama/address";
import { createModel, expectReply, probe } from "./api";
import { build, createModelsOnce, fetchWeights, hasModels, isBuilt } from "./build";
import { layoutOf, withLock, type Layout, type Report } from "./cache";
import { models, plainModel, toolModel, weightsDigest } from "./recipe";
import { installHint } from "./requirements";
import { readRunning, startServer, stopServer } from "./server";

export { plainModel, toolModel };

/** A server that answers. */
export interface FoundOllama {
  /** Scheme, host and port, without a slash at the end. */
  readonly address: string;
  readonly version: string;
  /** The names of its models, with their tags. */
  readonly models: readonly string[];
  /** What led to it: OLLAMA_HOST, Ollama's own default address, or the cache from which it was started. */
  readonly source: "OLLAMA_HOST" | "default address" | "cache";
  /** It was started from the cache: its models may be changed, and it may be stopped. */
  readonly isOwn: boolean;
}

/** The server to use, if one answers: at OLLAMA_HOST, else at Ollama's own address, else the one started from the cache. */
export async function findOllama(
  env: NodeJS.ProcessEnv = process.env,
  layout: Layout = layoutOf(),
): Promise<FoundOllama | undefined> {
  const own = (await readRunning(layout))?.address;
  for (const { address, source } of candidates(env, own)) {
    const answer = await probe(address);
    if (answer) return { address, source, isOwn: address === own, ...answer };
  }
  return undefined;
}

/** Where a server may be, most wanted first. `own` is the address of the one that was started from the cache. */
export function candidates(
  env: NodeJS.ProcessEnv,
  own: string | undefined,
): readonly Pick<FoundOllama, "address" | "source">[] {
  const host = hostAddress(env);
  return [
    ...(host === undefined ? [] : [{ address: host, source: "OLLAMA_HOST" } as const]),
    { address: DEFAULT_ADDRESS.url, source: "default address" },
    ...(own === undefined ? [] : [{ address: own, source: "cache" } as const]),
  ];
}

function hostAddress(env: NodeJS.ProcessEnv): string | undefined {
  const text = env["OLLAMA_HOST"]?.trim();
  if (!text) return undefined;
  const parsed = parseAddress(text, "The environment variable OLLAMA_HOST");
  if ("error" in parsed) throw new Error(parsed.error);
  return parsed.url;
}

export interface EnsureOptions {
  /** Also create the small models on a server that was not started from the cache. */
  readonly createModels?: boolean;
  readonly env?: NodeJS.ProcessEnv;
}

/**
 * The server to use, whatever it takes: one that answers, else an installed one that is started, else one that is built
 * and started. The small models are created on a server that was started here. Throws with what to install where none
 * of it can be done.
 */
export async function ensureOllama(report: Report, options: EnsureOptions = {}): Promise<FoundOllama> {
  const { env = process.env, createModels = false } = options;
  const layout = layoutOf();
  return withLock(layout, report, async () => {
    const found = await findOllama(env, layout);
    if (found && !found.isOwn) {
      if (createModels) await createModelsOn(found.address, layout, report);
      return (await findOllama(env, layout)) ?? found;
    }
    if (!found) {
      const host = hostAddress(env);
      if (host !== undefined) report(`No Ollama answers at ${host} (OLLAMA_HOST).`);
    }
    const address = found?.address ?? (await start(layout, report, env));
    await createOwnModels(address, layout, report);
    return expectFound(env, layout);
  });
}

/**
 * Starts the server that an earlier set-up left in the cache, or finds it running. Undefined when there was none: nothing
 * is built or fetched.
 */
export async function startCachedOllama(
  env: NodeJS.ProcessEnv = process.env,
): Promise<FoundOllama | undefined> {
  const layout = layoutOf();
  const binary = await availableBinary(layout, env);
  if (binary === undefined || !(await hasModels(layout))) return undefined;
  const silent: Report = () => undefined;
  return withLock(layout, silent, async () => {
    const running = await readRunning(layout);
    const { address } = running ?? (await startServer(layout, binary));
    const answer = await probe(address);
    return answer && { address, source: "cache", isOwn: true, ...answer };
  });
}

/** Ends the server that was started from the cache, with its engine. False when none was running. */
export function stopOllama(): Promise<boolean> {
  return stopServer(layoutOf());
}

async function start(layout: Layout, report: Report, env: NodeJS.ProcessEnv): Promise<string> {
  let binary = installedBinary(env, process.platform);
  if (binary === undefined) {
    if (process.platform !== "linux")
      throw new Error(
        `No Ollama is installed, and one can be built only on Linux. Please ${installHint(process.platform)}`,
      );
    await build(layout, report);
    binary = layout.server;
  }
  await fetchWeights(layout, report);
  report(`Starting ${binary} …`);
  return (await startServer(layout, binary)).address;
}

async function availableBinary(layout: Layout, env: NodeJS.ProcessEnv): Promise<string | undefined> {
  return installedBinary(env, process.platform) ?? ((await isBuilt(layout)) ? layout.server : undefined);
}

/** The path of an Ollama on the PATH. */
export function installedBinary(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string | undefined {
  const name = platform === "win32" ? "ollama.exe" : "ollama";
  const folders = (env["PATH"] ?? env["Path"] ?? "").split(delimiter).filter(Boolean);
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

async function createOwnModels(address: string, layout: Layout, report: Report): Promise<void> {
  await createModelsOnce(layout, report, async () => {
    await createModelsOn(address, layout, report);
    await expectReply(address, toolModel);
  });
}

async function createModelsOn(address: string, layout: Layout, report: Report): Promise<void> {
  await fetchWeights(layout, report);
  const weights = { path: layout.weights, digest: weightsDigest };
  for (const model of models) await createModel(address, model, weights);
}

async function expectFound(env: NodeJS.ProcessEnv, layout: Layout): Promise<FoundOllama> {
  const found = await findOllama(env, layout);
  if (!found) throw new Error(`The server has ended. Its log is in ${layout.logs}.`);
  return found;
}
