import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { chromium, type FrameLocator, type Locator, type Page } from "playwright-core";
import vscode = require("vscode");
import { runFromPalette } from "../../../scripts/editor/palette";

/** How long a condition may take before a test fails, in milliseconds: generous, since it is never waited out. */
const limit = 60_000;

const themeClasses = {
  "Default Light Modern": "vs",
  "Default Dark Modern": "vs-dark",
  "Default High Contrast": "hc-black",
  "Default High Contrast Light": "hc-light",
} as const;

export type ThemeName = keyof typeof themeClasses;

/** The context meter as assistive technology reads it; `used` is at most `window`, both in tokens. */
export interface MeterReading {
  readonly used: number;
  readonly window: number;
  readonly text: string;
}

/** All themes that the panel is looked at in. */
export const themeNames = Object.keys(themeClasses) as readonly ThemeName[];

/**
 * The window that the tests run in, driven from inside its extension host by way of the launcher, as a person would: by mouse and
 * keyboard. Every method waits for its effect.
 */
export class Panel {
  private constructor(
    /** The page of the workbench. */
    readonly workbench: Page,
    private readonly letGo: () => Promise<void>,
    /** The window that the tests run in: commands of the editor's API reach no other. */
    private readonly isOwn: boolean,
  ) {
    workbench.setDefaultTimeout(limit);
  }

  static async connect(): Promise<Panel> {
    const address = process.env["LOOM_BROWSER"];
    if (!address) throw new Error("LOOM_BROWSER is not set: start these tests by scripts/launcher.ts.");
    // A desktop VS Code has a debugging port, the browser of the server form is the launcher's.
    const isPort = address.startsWith("http");
    const browser = await (isPort ? chromium.connectOverCDP(address) : chromium.connect(address));
    const pages = browser.contexts().flatMap((context) => context.pages());
    for (const page of pages) {
      if ((await page.locator(".monaco-workbench").count()) === 0) continue;
      return new Panel(page, () => browser.close(), true);
    }
    await browser.close();
    throw new Error(`No workbench among ${pages.map((page) => page.url()).join(", ")}`);
  }

  /** Lets go of the window of the tests, which stays open; a window that was opened by `openWindow` closes. */
  async close(): Promise<void> {
    await this.letGo();
  }

  /** False in a desktop VS Code, whose second window would not have the extension under development. */
  get canOpenWindows(): boolean {
    return this.workbench.url().startsWith("http");
  }

  /** Opens another window of the same editor, on a folder (an absolute path) or on none. */
  async openWindow(folder: string | undefined): Promise<Panel> {
    const url = new URL(this.workbench.url());
    const here = new URLSearchParams(url.search).get("payload") ?? "[]";
    const extension = (JSON.parse(here) as [string, string][]).filter(
      ([name]) => name === "extensionDevelopmentPath",
    );
    url.search = new URLSearchParams({
      ...(folder === undefined ? { ew: "true" } : { folder }),
      payload: JSON.stringify([...extension, ["skipWelcome", "true"]]),
    }).toString();
    const page = await this.workbench.context().newPage();
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(url.href);
    await page.locator(".monaco-workbench .statusbar").waitFor({ timeout: limit });
    return new Panel(page, () => page.close(), false);
  }

  /** Reloads the window as a person does, and waits until the workbench is there again. */
  async reload(): Promise<void> {
    await this.workbench.reload();
    await this.workbench.locator(".monaco-workbench .statusbar").waitFor();
  }

  /** Shows the panel by its icon in the activity bar and waits for its page. */
  async open(): Promise<FrameLocator> {
    await this.workbench.locator(".part.activitybar, .part.sidebar").first().waitFor();
    const icon = this.workbench.locator('.activitybar .action-item:has(a[aria-label^="Loom"])');
    if ((await icon.getAttribute("aria-expanded")) !== "true") await icon.click();
    await this.composer().waitFor();
    return this.frame();
  }

  /** The page of the panel: the webview's content lies two frames deep. */
  frame(): FrameLocator {
    return this.workbench
      .frameLocator('iframe.webview[src*="extensionId=loom.loom"]')
      .frameLocator("#active-frame");
  }

  /** The field for the message. */
  composer(): Locator {
    return this.frame().getByRole("textbox").last();
  }

  /** Puts a message into the field, as one keystroke of an input method would, and sends it with Enter. */
  async send(text: string): Promise<void> {
    const composer = this.composer();
    await composer.click();
    await this.workbench.keyboard.insertText(text);
    await composer.press("Enter");
  }

  /** Sends a message and waits until the agent has done what there is to do for it. */
  async say(text: string): Promise<void> {
    const own = this.frame().locator("li.entry.you");
    const before = await own.count();
    await this.send(text);
    await own.nth(before).locator("xpath=following-sibling::li").first().waitFor();
    await this.untilIdle();
  }

  /** Starts a new session by the command, not through the palette since nearly every test begins so, and waits until it is shown, with the cursor in its message field, which is empty. */
  async startSession(): Promise<void> {
    const empty = this.frame().locator(".empty > *").first();
    // A page that has only just opened is about to show the session before.
    await empty.or(this.frame().locator("li.entry").first()).first().waitFor();
    if (this.isOwn) await vscode.commands.executeCommand("loom.newSession");
    else await this.runFromPalette("Loom: New Session");
    await this.frame().locator("li.entry").first().waitFor({ state: "detached" });
    await empty.waitFor();
    await this.frame().locator("textarea:focus").waitFor();
    await this.composer().fill("");
  }

  /** Waits until nothing runs. Only to be called when something is seen that comes after the start of what runs. */
  async untilIdle(): Promise<void> {
    await this.button("Stop").waitFor({ state: "hidden" });
  }

  /** What stands in the transcript with this text: a message, a tool's card, a marker or a note. */
  item(text: string | RegExp): Locator {
    return this.frame().getByRole("listitem").filter({ hasText: text });
  }

  /** A button of the panel's page by its whole name. */
  button(name: string): Locator {
    return this.frame().getByRole("button", { name, exact: true });
  }

  /** A message of the editor that is shown over the window. */
  toast(text: string): Locator {
    return this.workbench.locator(".notification-list-item", { hasText: text });
  }

  /** The list or box at the top of the window in which a command asks something. */
  quickInput(): Locator {
    return this.workbench.locator(".quick-input-widget");
  }

  /** What the context meter says. */
  async meter(): Promise<MeterReading> {
    const meter = this.frame().getByRole("meter");
    const [used, window, text] = await Promise.all(
      ["aria-valuenow", "aria-valuemax", "aria-valuetext"].map((name) => meter.getAttribute(name)),
    );
    return { used: Number(used), window: Number(window), text: text ?? "" };
  }

  /** Runs a command by its title ("Loom: Compact Now"), typed into the palette. */
  async runFromPalette(title: string): Promise<void> {
    await runFromPalette(this.workbench, title);
  }

  /** Runs Compact Now from the palette and answers its question for a focus, by default with Enter alone. */
  async compactNow(focus = ""): Promise<void> {
    await this.runFromPalette("Loom: Compact Now");
    await this.answer("For example: the API decisions", focus);
  }

  /** Types into the input box with this placeholder and presses Enter. */
  async answer(placeholder: string, text: string): Promise<void> {
    const input = this.workbench.getByPlaceholder(placeholder);
    await input.waitFor();
    if (text !== "") await input.fill(text);
    await input.press("Enter");
    await input.waitFor({ state: "hidden" });
  }

  /** Changes the colour theme and waits until the workbench, and the panel's page if it is shown, have it. */
  async setTheme(name: ThemeName): Promise<void> {
    const configuration = vscode.workspace.getConfiguration("workbench");
    await configuration.update("colorTheme", name, vscode.ConfigurationTarget.Global);
    await this.workbench.locator(`.monaco-workbench.${themeClasses[name]}`).waitFor();
    if ((await this.composer().count()) === 0) return;
    await this.frame().locator(`body[data-vscode-theme-id="${name}"]`).waitFor();
  }

  /** Drags the edge of the side bar until it is `width` pixels wide; the panel's page is as wide, less a border. */
  async setSideBarWidth(width: number): Promise<void> {
    const bar = this.workbench.locator(".part.sidebar");
    const box = await bar.boundingBox();
    if (!box) throw new Error("The side bar is not shown.");
    const { mouse } = this.workbench;
    const middle = box.y + box.height / 2;
    await mouse.move(box.x + box.width, middle);
    await mouse.down();
    await mouse.move(box.x + width, middle, { steps: 8 });
    await mouse.up();
    // Away from the edge, which stays highlighted under the pointer.
    await mouse.move(box.x + width + 200, middle);
    const now = await bar.boundingBox();
    if (!now || Math.abs(now.width - width) > 1) {
      throw new Error(`The side bar is ${now?.width ?? 0} pixels wide and should be ${width}.`);
    }
  }

  /** The colours of the message field: its text and its ground. */
  async colours(): Promise<string> {
    return this.composer().evaluate((field) => {
      const { color, backgroundColor } = getComputedStyle(field.closest(".composer-box") ?? field);
      return `${color} on ${backgroundColor}`;
    });
  }

  /** The classes of what reaches beyond the panel's edge and cannot be scrolled to. */
  async tooWide(): Promise<string[]> {
    return this.frame()
      .locator("#root")
      .evaluate((root) =>
        [...root.querySelectorAll("*")]
          .filter((element) => {
            const { right, width } = element.getBoundingClientRect();
            const scrolls = element.closest("pre, .table-frame, .arguments dd, .visually-hidden");
            return width > 0 && right > window.innerWidth + 1 && scrolls === null;
          })
          .map((element) => element.className),
      );
  }

  /** Keeps a picture of the window as out/screenshots/NAME.png, where pictures are wanted: they take long, and only people look at them. */
  async screenshot(name: string): Promise<void> {
    if (process.env["LOOM_PICTURES"] !== "1") return;
    const extension = vscode.extensions.getExtension("loom.loom");
    if (!extension) throw new Error("The extension loom.loom is not there.");
    const folder = join(extension.extensionPath, "out", "screenshots");
    mkdirSync(folder, { recursive: true });
    await this.workbench.screenshot({ path: join(folder, `${name}.png`) });
  }
}
