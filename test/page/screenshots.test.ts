import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { usePanels, withPanel } from "./support/panel";
import { SCENES } from "./support/scenes";
import { THEMES } from "./support/themes";

const FOLDER = join("out", "screenshots", "page");
const WIDTHS = [240, 600];

usePanels();

for (const theme of THEMES) {
  for (const width of WIDTHS) {
    test(`pictures of the panel: ${theme}, ${width} pixels wide`, async () => {
      mkdirSync(FOLDER, { recursive: true });
      for (const [name, scene] of Object.entries(SCENES)) {
        await withPanel({ ...scene, theme, width, height: 820 }, async (panel) => {
          if (name === "compacted") {
            await panel.page.getByText("Compacted: 21 messages").click();
            await panel.page.getByText("Compacted: 21 messages").scrollIntoViewIfNeeded();
          }
          if (name === "work") await panel.page.getByText("Thought", { exact: true }).first().click();
          await panel.drawn();
          await panel.page.screenshot({ path: join(FOLDER, `${name}-${theme}-${width}.png`) });
        });
      }
    });
  }
}
