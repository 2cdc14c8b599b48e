import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTools } from "../src/core/tools";
import type { ToolContext } from "../src/core/tools/tool";
import { DEFAULT_RATES, estimateText } from "../src/core/window/estimate";
import { createShell } from "../src/node/commands/shell";
import { createWorkspace } from "../src/node/files/workspace";
import { findRipgrep } from "../src/node/search/ripgrep";
import type { JsonValue } from "../src/shared/events";
import { stockFigures } from "./commandStock";
import { measured, printFigures, type Figure } from "./measure";

/** The most that names, descriptions and schemas of all tools may take on every request, in tokens. */
const SCHEMA_TOKENS = 900;
/** How long a tool may take beside ripgrep on the same tree. */
const MOST_TIMES_RIPGREP = 1.5;
/** The longest that the host may be kept from everything else, in milliseconds. */
const LONGEST_BLOCK_MS = 50;
const FILES = { packages: 100, folders: 10, files: 100 } as const;
/** The best of these counts: on a busy machine the others measure what else runs. */
const RUNS = 15;

/** `npm run bench -- tools [--json]`: what the tools cost in every request, and how fast they are on 100,000 files, and what keeping files costs. */
export async function main(words: readonly string[]): Promise<void> {
  const figures = [schemaFigure(), ...(await treeFigures()), ...(await stockFigures())];
  printFigures(figures, words.includes("--json"));
}

/** The tools as every request carries them, by the estimate of the core. */
export function schemaTokens(): number {
  const workspace = createWorkspace(() => []);
  const tools = createTools({
    workspace,
    shell: createShell(() => undefined),
    limits: { commandTimeLimitSeconds: 1 },
  });
  const sent = tools.map(({ schema }) => ({ type: "function", function: schema }));
  return estimateText(JSON.stringify(sent), DEFAULT_RATES);
}

function schemaFigure(): Figure {
  return { what: "tool descriptions and schemas", value: schemaTokens(), unit: "tok", limit: SCHEMA_TOKENS };
}

async function treeFigures(): Promise<readonly Figure[]> {
  const ripgrep = findRipgrep(undefined, process.env);
  const folder = makeTree();
  const call = callerOn(folder, ripgrep);
  const figures: Figure[] = [];
  for (const { what, tool, input, options } of [
    { what: "list_files", tool: "list_files", input: {}, options: ["--files"] },
    { what: "search_text, 100 hits", tool: "search_text", input: { pattern: "needle" }, options: ["needle"] },
    {
      what: "search_text, a regular expression",
      tool: "search_text",
      input: { pattern: "ne+dle$", is_regex: true },
      options: ["ne+dle$"],
    },
    { what: "search_text, no hit", tool: "search_text", input: { pattern: "nowhere" }, options: ["nowhere"] },
  ] as const) {
    const [ours, theirs, blocks]: [number[], number[], number[]] = [[], [], []];
    for (let run = 0; run < RUNS; run += 1) {
      if (ripgrep !== undefined)
        theirs.push(timeOf(() => spawnSync(ripgrep, [...options, "."], { cwd: folder })));
      const { milliseconds, longestBlock } = await measured(() => call(tool, input));
      ours.push(milliseconds);
      blocks.push(longestBlock);
    }
    figures.push({ what: `${what}: time on 100,000 files`, value: Math.min(...ours), unit: "ms" });
    figures.push({
      what: `${what}: longest block of the host`,
      value: Math.min(...blocks),
      unit: "ms",
      limit: LONGEST_BLOCK_MS,
    });
    if (ripgrep === undefined) continue;
    figures.push({ what: `${what}: ripgrep alone`, value: Math.min(...theirs), unit: "ms" });
    const times = Math.min(...ours) / Math.min(...theirs);
    figures.push({ what: `${what}: beside ripgrep`, value: times, unit: "×", limit: MOST_TIMES_RIPGREP });
  }
  return figures;
}

function callerOn(folder: string, ripgrep: string | undefined) {
  const options = ripgrep === undefined ? {} : { ripgrep };
  const workspace = createWorkspace(() => [{ name: "tree", path: folder }], options);
  const shell = createShell(() => folder);
  const tools = createTools({ workspace, shell, limits: { commandTimeLimitSeconds: 1 } });
  const context: ToolContext = {
    maxCharacters: 6_000,
    ask: () => Promise.resolve({ answer: "deny", reason: "" }),
    onOutput: () => undefined,
  };
  return async (name: string, input: Readonly<Record<string, JsonValue>>): Promise<void> => {
    const run = tools.find(({ schema }) => schema.name === name)?.prepare(input);
    if (run === undefined || "error" in run) throw new Error(`${name} cannot be called`);
    const { outcome } = await run(context, new AbortController().signal);
    if (outcome !== "ok") throw new Error(`${name} ended with ${outcome}`);
  };
}

function timeOf(work: () => unknown): number {
  const started = performance.now();
  work();
  return performance.now() - started;
}

/** 100,000 small files, which are made once. */
function makeTree(): string {
  const folder = join(tmpdir(), "loom-bench-tree-1");
  const done = join(folder, ".done");
  if (existsSync(done)) return folder;
  console.error(`Making 100,000 files in ${folder} …`);
  for (let a = 0; a < FILES.packages; a += 1) {
    for (let b = 0; b < FILES.folders; b += 1) {
      const place = join(folder, `package${a}`, `part${b}`);
      mkdirSync(place, { recursive: true });
      for (let c = 0; c < FILES.files; c += 1) {
        const needle = b === 3 && c === 7 ? "needle\n" : "";
        const text = `// ${a} ${b} ${c}\n${"a line of some text that is looked through\n".repeat(12)}${needle}`;
        writeFileSync(join(place, `file${c}.ts`), text);
      }
    }
  }
  writeFileSync(join(folder, ".gitignore"), "node_modules/\n*.log\n/dist\n");
  writeFileSync(done, "");
  return folder;
}
