import type { Locator } from "playwright-core";
import type { Panel } from "./panel";

/** An answer that fills a small window in a few turns. */
export const LONG = "And so it goes on with one more sentence of the answer. ".repeat(16);

/** C09: what a first message says exactly. */
export const FACTS = "The port is 48213, the table is t_ord_7, never touch legacy/.";

/** Puts a text in the place of all that is in the active editor, by keyboard, and saves. */
export async function rewriteEditor({ workbench }: Panel, text: string): Promise<void> {
  const { keyboard } = workbench;
  await workbench.locator(".editor-instance .monaco-editor").first().click();
  await keyboard.press("Control+a");
  if (text === "") await keyboard.press("Delete");
  else await keyboard.insertText(text);
  await keyboard.press("Control+s");
}

/** The sum of what the table of the context says of its parts, without what is free and kept free, in tokens. */
export async function usedInTable(dialog: Locator): Promise<number> {
  await dialog.waitFor();
  const rows = await dialog.locator(".parts:not(.items) tbody tr").all();
  const parts = await Promise.all(
    rows.map(async (row) => ({
      name: await row.locator("th").innerText(),
      tokens: Number((await row.locator("td").first().innerText()).replaceAll(",", "")),
    })),
  );
  return parts.filter(({ name }) => !/^(Room|Free)/.test(name)).reduce((sum, { tokens }) => sum + tokens, 0);
}
