import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CheckpointStore } from "../src/node/files/checkpointStore";
import { createWorkspace } from "../src/node/files/workspace";
import { measured, type Figure } from "./measure";

const FILES = 5_000;
const FOLDERS = 50;
/** How many of them the command changes. */
const CHANGED = 100;
/** The longest that the host may be kept from everything else, in milliseconds. */
const LONGEST_BLOCK_MS = 50;
const RUNS = 7;

/** What it costs to keep the files of a workspace before a command, and to find afterwards what it changed. */
export async function stockFigures(): Promise<readonly Figure[]> {
  const root = await mkdtemp(join(tmpdir(), "loom-bench-stock-"));
  try {
    const folder = join(root, "ws");
    const pathOf = (index: number) => join(folder, `d${index % FOLDERS}`, `f${index}.ts`);
    for (let index = 0; index < FOLDERS; index += 1)
      await mkdir(join(folder, `d${index}`), { recursive: true });
    for (let index = 0; index < FILES; index += 1) await writeFile(pathOf(index), textOf(index, 0));
    const workspace = createWorkspace(() => [{ name: "ws", path: folder }]);
    const times: Record<"first" | "again" | "after", number[]> = { first: [], again: [], after: [] };
    let longest = Infinity;
    for (let run = 1; run <= RUNS; run += 1) {
      const store = new CheckpointStore(join(root, `store${run}`), { list: workspace.files });
      const take = () => store.takeStock({ sessionId: "s", turnId: "t" }, new AbortController().signal);
      const first = await measured(take);
      const again = await measured(take);
      for (let index = 0; index < CHANGED; index += 1) await writeFile(pathOf(index), textOf(index, run));
      const after = await measured(async () => again.result?.changes());
      times.first.push(first.milliseconds);
      times.again.push(again.milliseconds);
      times.after.push(after.milliseconds);
      longest = Math.min(longest, Math.max(first.longestBlock, again.longestBlock, after.longestBlock));
    }
    return [
      figure("before the first one", times.first),
      figure("before each further one", times.again),
      figure(`after one that changed ${CHANGED} of them`, times.after),
      {
        what: "files of a command: longest block of the host",
        value: longest,
        unit: "ms",
        limit: LONGEST_BLOCK_MS,
      },
    ];
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

function figure(when: string, times: readonly number[]): Figure {
  return { what: `keeping 5,000 files for a command, ${when}`, value: Math.min(...times), unit: "ms" };
}

function textOf(index: number, run: number): string {
  return `// ${index} ${run}\n${"a line of some text as it stands in a source\n".repeat(80)}`;
}
