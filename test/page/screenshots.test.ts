import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { EMPTY_VIEW } from "../../src/shared/view";
import { usePanels, withPanel, type Panel } from "./support/panel";
import { SCENES } from "./support/scenes";
import { THEMES } from "./support/themes";

const FOLDER = join("out", "screenshots", "page");
const WIDTHS = [240, 600];

/** Pictures are for people, and take most of the time; without them two themes do, since the other two are as wide. */
const TAKES_PICTURES = process.env["LOOM_PICTURES"] === "1";
const SHOWN = TAKES_PICTURES ? THEMES : (["dark", "high-contrast-light"] as const);

usePanels();

/** What a person has unfolded in a picture, by the name of its scene. */
const UNFOLDED: Readonly<Record<string, string>> = {
  compacted: "Compacted: 21 messages",
  steered: "Compacted: 21 messages",
  takenBack: "Compacted: 21 messages",
  work: "Thought",
};

async function unfold(panel: Panel, name: string): Promise<void> {
  const text = UNFOLDED[name];
  if (text === undefined) return;
  const summary = panel.page.locator("summary", { hasText: text }).first();
  await summary.click();
  await summary.scrollIntoViewIfNeeded();
}

for (const theme of SHOWN) {
  test(`nothing is wider than the panel: ${theme}`, async () => {
    mkdirSync(FOLDER, { recursive: true });
    await withPanel({ theme, height: 820, reducedMotion: "reduce" }, async (panel) => {
      for (const width of WIDTHS) {
        await panel.page.setViewportSize({ width, height: 820 });
        for (const [name, scene] of Object.entries(SCENES)) {
          const { view = EMPTY_VIEW, messages = [], ...rest } = scene;
          await panel.snapshot({ ...rest, view: { ...view, sessionId: `${name}-${width}` } });
          await unfold(panel, name);
          for (const message of messages) await panel.tell(message);
          if (TAKES_PICTURES)
            await panel.page.screenshot({ path: join(FOLDER, `${name}-${theme}-${width}.png`) });
          assert.deepEqual(await tooWide(panel), [], `${name} at ${width}`);
          await panel.page.keyboard.press("Escape");
          await panel.field.fill("");
        }
      }
    });
  });
}

/** The elements that reach beyond the panel's edge and can't be scrolled to. */
async function tooWide(panel: Panel): Promise<string[]> {
  return panel.page.evaluate(() =>
    [...document.querySelectorAll("#root *")]
      .filter((element) => {
        const { right, width } = element.getBoundingClientRect();
        const scrolls = element.closest("pre, .table-frame, .arguments dd, .visually-hidden");
        return width > 0 && right > window.innerWidth + 1 && scrolls === null;
      })
      .map((element) => `${element.tagName}.${element.getAttribute("class") ?? ""}`),
  );
}
