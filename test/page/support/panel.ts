import { chromium, type Browser, type Page } from "playwright-core";
import assert from "node:assert/strict";
import { after, before } from "node:test";
import { findBrowser } from "../../../scripts/editor/browser";
import type { SessionEvent } from "../../../src/shared/live";
import {
  NO_DRAFT,
  parseFromPage,
  type Draft,
  type FromPage,
  type ModelStatus,
  type ToPage,
} from "../../../src/shared/protocol";
import { EMPTY_VIEW, type SessionView } from "../../../src/shared/view";
import { serveBuiltPage, type BuiltPage } from "./builtPage";
import { installFakeEditor } from "./fakeEditor";
import { READY } from "./sessions";
import { bodyClass, themeVariables, type Theme } from "./themes";

/** What the host tells a page at once; a new session on a ready model in a folder where nothing else is said. */
export interface Told {
  readonly view?: SessionView;
  readonly status?: ModelStatus;
  readonly hasFolder?: boolean;
  readonly draft?: Draft;
}

export interface PanelOptions extends Told {
  readonly theme?: Theme;
  readonly width?: number;
  readonly height?: number;
  readonly reducedMotion?: "reduce" | "no-preference";
}

type Posted<Type extends FromPage["type"]> = Extract<FromPage, { type: Type }>;

/** How long a condition may take to come true before a test fails, in milliseconds; far above what it needs. */
const PATIENCE_MS = 20_000;

/** The page in a browser with a host that the test plays. */
export class Panel {
  /** What the page has posted, oldest first. */
  readonly posted: FromPage[] = [];
  /** Breaches of the content policy and uncaught errors: none may happen. */
  readonly problems: string[] = [];

  constructor(
    readonly page: Page,
    private readonly options: PanelOptions,
  ) {}

  /** Lets the page start and answers its `ready` with a snapshot. */
  async start(address: string): Promise<void> {
    await this.page.goto(address);
    await this.until(() => this.posted.some(({ type }) => type === "ready"), "the page says ready");
    await this.snapshot(this.options);
  }

  /** Tells everything at once, as the host does when the page says `ready` and when the session changes. */
  async snapshot(told: Told): Promise<void> {
    const { view = { ...EMPTY_VIEW, sessionId: "s1" }, status = READY, hasFolder = true } = told;
    await this.tell({ type: "snapshot", view, status, hasFolder, draft: told.draft ?? NO_DRAFT });
  }

  /** Posts a message as the host does and waits until the page has drawn. */
  async tell(message: ToPage): Promise<void> {
    await this.page.evaluate(
      (text) =>
        new Promise((resolve) => {
          // The page's own listener is older and so hears it first.
          window.addEventListener("message", resolve, { once: true });
          window.postMessage(JSON.parse(text));
        }).then(() => undefined),
      JSON.stringify(message),
    );
    await this.drawn();
  }

  async events(...events: readonly SessionEvent[]): Promise<void> {
    await this.tell({ type: "events", sessionId: "s1", events });
  }

  /** Resolves when the page has drawn what it was told so far. */
  async drawn(): Promise<void> {
    await this.page.evaluate(async () => {
      const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
      await frame();
      await frame();
    });
  }

  /** The messages of one type that the page has posted. */
  of<Type extends FromPage["type"]>(type: Type): Posted<Type>[] {
    return this.posted.filter((message): message is Posted<Type> => message.type === type);
  }

  /** Waits for the page to post a message of this type that was not there when `action` began. */
  async postedBy<Type extends FromPage["type"]>(
    type: Type,
    action: () => Promise<unknown>,
  ): Promise<Posted<Type>> {
    const known = this.of(type).length;
    await action();
    await this.until(() => this.of(type).length > known, `the page posts ${type}`);
    const message = this.of(type)[known];
    assert.ok(message);
    return message;
  }

  /** Waits for a condition, looking again after each frame of the page. */
  async until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
    const end = Date.now() + PATIENCE_MS;
    while (!(await condition())) {
      assert.ok(Date.now() < end, `waited in vain: ${what}`);
      await this.drawn();
    }
  }

  /** The field of the composer. */
  get field() {
    return this.page.getByRole("textbox", { name: "Message to Loom" });
  }
}

interface Running {
  readonly built: BuiltPage;
  readonly browser: Browser;
}

let starting: Promise<Running> | undefined;
let running: Running | undefined;

/** Files that still use the browser; all of a process say so before the first of them runs. */
let users = 0;

/** Starts a browser for the tests of a file, one for all files that share a process; to be called at a file's top level. */
export function usePanels(): void {
  users += 1;
  before(async () => {
    running = await (starting ??= start());
  });
  after(async () => {
    users -= 1;
    if (users > 0) return;
    const ended = running;
    running = undefined;
    await ended?.browser.close();
    await ended?.built.close();
  });
}

async function start(): Promise<Running> {
  const built = await serveBuiltPage();
  const { executablePath, args, env } = await findBrowser();
  return { built, browser: await chromium.launch({ executablePath, args, env, headless: true }) };
}

/** Opens the panel for `test`, and checks at its end that nothing broke the content policy and no error went uncaught. */
export async function withPanel(options: PanelOptions, test: (panel: Panel) => Promise<void>): Promise<void> {
  assert.ok(running, "usePanels() comes first");
  const { browser, built } = running;
  const { width = 300, height = 700, theme = "dark", reducedMotion = "no-preference" } = options;
  const context = await browser.newContext({ viewport: { width, height }, reducedMotion });
  try {
    const page = await context.newPage();
    const panel = new Panel(page, options);
    page.setDefaultTimeout(PATIENCE_MS);
    page.on("pageerror", (error) => panel.problems.push(String(error)));
    await page.exposeFunction("loomTestHost", (text: string) => {
      const message = parseFromPage(JSON.parse(text));
      if (message === undefined || message.type === "page_error") panel.problems.push(text);
      if (message !== undefined) panel.posted.push(message);
    });
    await page.exposeFunction("loomTestViolation", (text: string) => void panel.problems.push(text));
    await page.addInitScript(installFakeEditor, {
      bodyClass: bodyClass(theme),
      variables: themeVariables(theme),
    });
    await panel.start(built.address);
    await test(panel);
    assert.deepEqual(panel.problems, []);
  } finally {
    await context.close();
  }
}
