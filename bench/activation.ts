import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Page } from "playwright-core";
import { runFromPalette } from "../scripts/editor/palette";
import { startWorkbench } from "../scripts/editor/workbench";
import { median, printFigures } from "./measure";

/** The most that activation may take, in milliseconds. */
const LIMIT_MS = 30;

/** How many windows are opened, one after the other; each activates Loom anew. */
const WINDOWS = 5;

/**
 * `npm run bench -- activation`: how long VS Code says that Loom took to activate (loading its code and the call of `activate`, as in
 * "Developer: Show Running Extensions"), in windows of VS Code's server form. The median counts.
 */
export async function main(words: readonly string[]): Promise<void> {
  const { status, stderr } = spawnSync(process.execPath, ["esbuild.mjs"], { encoding: "utf8" });
  if (status !== 0) throw new Error(`esbuild.mjs ended with ${status}:\n${stderr}`);
  const times = await measureActivations(WINDOWS);
  printFigures(
    [
      {
        what: `Activation by VS Code's own figure, median of ${times.join(", ")} ms`,
        value: median(times),
        unit: "ms",
        limit: LIMIT_MS,
      },
    ],
    words.includes("--json"),
  );
}

async function measureActivations(count: number): Promise<readonly number[]> {
  const folder = await mkdtemp(join(tmpdir(), "loom-activation-"));
  const hosts = { ended: 0, onEnd: (): void => undefined };
  const onServerLine = (line: string): void => {
    if (!line.includes("Extension Host Process exited")) return;
    hosts.ended++;
    hosts.onEnd();
  };
  const workbench = await startWorkbench({ onServerLine });
  try {
    // The list holds only the rows that can be seen, and the slowest extensions come first.
    await workbench.page.setViewportSize({ width: 1280, height: 4_000 });
    const times: number[] = [];
    for (let window = 0; window < count; window++) {
      // Each in a folder of its own: nothing of the window before is restored.
      const own = join(folder, String(window));
      await mkdir(own);
      await workbench.open(own, resolve("."));
      times.push(await activationTime(workbench.page));
      // The end of one window's extension host would slow the start of the next.
      await workbench.page.goto("about:blank");
      await new Promise<void>((resolve) => {
        hosts.onEnd = () => {
          if (hosts.ended > window) resolve();
        };
        hosts.onEnd();
      });
    }
    return times;
  } finally {
    await workbench.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Makes Loom activate and reads the figure of the list of running extensions, in milliseconds. */
async function activationTime(page: Page): Promise<number> {
  // The start of the window itself would be measured with it: the list is filled when that is over.
  await runFromPalette(page, "Developer: Show Running Extensions");
  await page.locator(".runtime-extensions-editor .extension .activation-time").nth(1).waitFor();
  await runFromPalette(page, "Loom: Focus Chat");
  await page.locator('.statusbar-item[id^="loom.loom"]').waitFor();
  const row = page.locator(".runtime-extensions-editor .extension", { hasText: "loom.loom" });
  const time = row.locator(".activation-time", { hasText: /\d ?ms/ });
  const text = await time.innerText();
  const found = /(\d+) ?ms/.exec(text)?.[1];
  if (found === undefined) throw new Error(`The list of running extensions says "${text}" of Loom.`);
  return Number(found);
}
