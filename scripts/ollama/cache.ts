import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { link, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import * as z from "zod/mini";
import { cacheFolder } from "../editor/cache";
import { isAlive } from "./processes";
import { weightsDigest, type Step } from "./recipe";

/** Takes a line that tells the person what is being done. */
export type Report = (line: string) => void;

/** The places in the cache folder; nothing is written outside it. */
export interface Layout {
  readonly root: string;
  /** The server's program. It looks for its engine in `../lib/ollama`. */
  readonly server: string;
  readonly engineFolder: string;
  readonly engine: string;
  /** OLLAMA_MODELS. */
  readonly models: string;
  /** The weights, where Ollama keeps files by their digest, so that there is only one copy of them. */
  readonly weights: string;
  /** The home folder of the server, for its keys. */
  readonly home: string;
  readonly logs: string;
  /** One folder for each step, removed when the step is done. */
  readonly work: string;
  readonly marks: string;
  /** What is known of the server that was started. */
  readonly record: string;
  readonly lock: string;
}

/** The layout of the cache in `root`; `LOOM_CACHE` or the user's cache folder when none is given. */
export function layoutOf(root = cacheFolder("ollama")): Layout {
  const engineFolder = join(root, "lib", "ollama");
  const models = join(root, "models");
  return {
    root,
    server: join(root, "bin", "ollama"),
    engineFolder,
    engine: join(engineFolder, "llama-server"),
    models,
    weights: join(models, "blobs", `sha256-${weightsDigest}`),
    home: join(root, "home"),
    logs: join(root, "logs"),
    work: join(root, "work"),
    marks: join(root, "marks"),
    record: join(root, "server.json"),
    lock: join(root, "lock"),
  };
}

/** Writes a file so that it is there as a whole or not at all. */
export async function writeWhole(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const part = `${path}.${randomUUID()}.part`;
  await writeFile(part, text);
  await rename(part, path);
}

const Mark = z.object({ recipe: z.string() });

/** True when the step was done by the same recipe and its `product` (a path) is still there. */
export async function isDone(layout: Layout, step: Step, product: string): Promise<boolean> {
  if (!existsSync(product)) return false;
  const mark = z.safeParse(Mark, await readJson(markOf(layout, step)));
  return mark.success && mark.data.recipe === step.recipe;
}

/** Remembers that the step is done. */
export async function markDone(layout: Layout, step: Step): Promise<void> {
  await writeWhole(markOf(layout, step), `${JSON.stringify({ recipe: step.recipe })}\n`);
}

function markOf(layout: Layout, step: Step): string {
  return join(layout.marks, `${step.name}.json`);
}

/** The parsed file, or undefined when it is missing or not JSON. */
export async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, "utf8")) as unknown;
  } catch {
    return undefined;
  }
}

/** Does `work` while no other process does anything that asks for the same lock; waits for one that does. */
export async function withLock<T>(layout: Layout, report: Report, work: () => Promise<T>): Promise<T> {
  await mkdir(layout.root, { recursive: true });
  let waitsFor: number | undefined;
  while (!(await takeLock(layout.lock))) {
    const owner = Number(await readFile(layout.lock, "utf8").catch(() => ""));
    if (owner > 0 && !isAlive(owner)) {
      await rm(layout.lock, { force: true });
      continue;
    }
    if (owner > 0 && owner !== waitsFor) {
      waitsFor = owner;
      report(`Process ${owner} is setting Ollama up; waiting for it (its lock is ${layout.lock}) …`);
    }
    await delay(200);
  }
  try {
    return await work();
  } finally {
    await rm(layout.lock, { force: true });
  }
}

/** The file appears together with the process's id in it, so that there is never a lock without an owner. */
async function takeLock(path: string): Promise<boolean> {
  const part = `${path}.${randomUUID()}.part`;
  await writeFile(part, String(process.pid));
  try {
    await link(part, path);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  } finally {
    await rm(part, { force: true });
  }
}
