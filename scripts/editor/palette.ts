import type { Locator, Page } from "playwright-core";

/** Runs a command of a workbench as a person does: F1, its title ("Loom: Compact Now"), Enter. Waits until the palette has closed. */
export async function runFromPalette(page: Page, title: string): Promise<void> {
  const widget = page.locator(".quick-input-widget");
  const row = widget.locator(".quick-input-list .monaco-list-row.focused", { hasText: title });
  // A window that has just opened does not know all commands yet.
  while (!(await isOffered(page, title))) {
    await page.keyboard.press("Escape");
    await widget.waitFor({ state: "hidden" });
  }
  await row.waitFor();
  await page.keyboard.press("Enter");
  // A command may itself show a list, in the same widget: then only the palette's `>` is gone.
  const input = widget.locator(".quick-input-filter input");
  while ((await widget.isVisible()) && (await valueOf(input)).startsWith(">")) await nextFrame(page);
}

/** Types into the command palette, which stays open: true when a command of this title is in its list. */
async function isOffered(page: Page, title: string): Promise<boolean> {
  const widget = page.locator(".quick-input-widget");
  await openPalette(page);
  await page.keyboard.type(title);
  // Single keys can go elsewhere while the workbench moves the focus.
  if ((await valueOf(widget.locator(".quick-input-filter input"))) !== `>${title}`) return false;
  const rows = widget.locator(".quick-input-list .monaco-list-row");
  const found = rows.filter({ hasText: title });
  const none = rows.filter({ hasText: /similar commands|No matching commands/ });
  await found.or(none).first().waitFor();
  return (await found.count()) > 0;
}

/** How long the palette is waited for before F1 is pressed again, in milliseconds. */
const paletteLimit = 3_000;

/** Opens the command palette with the cursor in it. A key is lost where a page of the workbench is just being changed, so it is pressed again. */
export async function openPalette(page: Page): Promise<void> {
  const input = page.locator(".quick-input-widget .quick-input-filter input:focus");
  const isOpen = () =>
    input.waitFor({ timeout: paletteLimit }).then(
      () => true,
      () => false,
    );
  do await page.keyboard.press("F1");
  while (!(await isOpen()));
}

async function nextFrame(page: Page): Promise<void> {
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
}

/** What an input holds; nothing once it is gone. */
async function valueOf(input: Locator): Promise<string> {
  return input.inputValue({ timeout: 1_000 }).catch(() => "");
}
