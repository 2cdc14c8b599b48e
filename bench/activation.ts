import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Page } from "playwright-core";
import { runFromPalette } from "../scripts/editor/palette";
import { startWorkbench } from "../scripts/editor/workbench";
import { buildExtension } from "../scripts/tests/nodeTier";
import { median, printFigures } from "./measure";

/** The most that activation may take, in milliseconds. */
const LIMIT_MS = 30;

/** How many windows are opened, one after the other; each activates Loom anew. */
const WINDOWS = 5;

/** Milliseconds of one window. */
interface Times {
  readonly activation: number;
  /** From the click on Loom's icon to a panel that says what it knows: all of Loom is loaded then, and its page has started. */
  readonly untilShown: number;
}

/**
 * `npm run bench -- activation`: how long VS Code says that Loom took to activate (loading its code and the call of `activate`, as in
 * "Developer: Show Running Extensions"), in windows of VS Code's server form, and how long the person waits for the panel. Medians.
 */
export async function main(words: readonly string[]): Promise<void> {
  buildExtension();
  const times = await measureActivations(WINDOWS);
  const activations = times.map(({ activation }) => activation);
  const waits = times.map(({ untilShown }) => Math.round(untilShown));
  printFigures(
    [
      {
        what: `Activation by VS Code's own figure, median of ${activations.join(", ")} ms`,
        value: median(activations),
        unit: "ms",
        limit: LIMIT_MS,
      },
      {
        what: `From the click on the icon to the panel, median of ${waits.join(", ")} ms`,
        value: median(waits),
        unit: "ms",
      },
    ],
    words.includes("--json"),
  );
}

async function measureActivations(count: number): Promise<readonly Times[]> {
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
    const times: Times[] = [];
    for (let window = 0; window < count; window++) {
      // Each in a folder of its own: nothing of the window before is restored.
      const own = join(folder, String(window));
      await mkdir(own);
      await workbench.open(own, resolve("."));
      times.push(await timesOf(workbench.page));
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

/** Makes Loom activate as a person does, and reads the figure of the list of running extensions. */
async function timesOf(page: Page): Promise<Times> {
  // The start of the window itself would be measured with it: the list is filled when that is over.
  await runFromPalette(page, "Developer: Show Running Extensions");
  await page.locator(".runtime-extensions-editor .extension .activation-time").nth(1).waitFor();
  const icon = page.locator('.activitybar .action-label[aria-label="Loom"]');
  await icon.waitFor();
  const started = performance.now();
  await icon.click();
  await page
    .frameLocator('iframe.webview[src*="extensionId=loom.loom"]')
    .frameLocator("#active-frame")
    .locator(".empty > *")
    .first()
    .waitFor();
  const untilShown = performance.now() - started;
  const row = page.locator(".runtime-extensions-editor .extension", { hasText: "loom.loom" });
  const text = await row.locator(".activation-time", { hasText: /\d ?ms/ }).innerText();
  const found = /(\d+) ?ms/.exec(text)?.[1];
  if (found === undefined) throw new Error(`The list of running extensions says "${text}" of Loom.`);
  return { activation: Number(found), untilShown };
}
