import type { Locator } from "playwright-core";
import type { Panel } from "./panel";

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
