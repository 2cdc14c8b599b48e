import vscode = require("vscode");
import { parseFromPage, type FromPage, type ToPage } from "../../shared/protocol";
import { Disposable, DisposableValue, disposeAll } from "../disposable";
import type { ChatPage } from "../entry/chatPage";
import { CHAT_VIEW } from "../entry/names";
import type { OllamaStatus } from "../models/ollamaStatus";
import type { Sessions } from "../sessions/sessions";
import { EventBatch } from "./eventBatch";

/** How long events are gathered before they go to the page, in milliseconds: about one frame of the screen. */
const GATHER_MS = 20;

interface Parts {
  readonly sessions: Sessions;
  readonly status: OllamaStatus;
  readonly log: vscode.LogOutputChannel;
}

/**
 * The panel. Its page may go and come back at any time: it says `ready` each time it starts, is then told everything by one
 * snapshot, and after that only what happens. Nothing is sent to a page that has not said so.
 */
export class ChatView extends Disposable {
  #view: vscode.WebviewView | undefined;
  #isPageReady = false;
  /** What the page is told once it is ready. */
  #afterReady: ToPage[] = [];
  readonly #ofView = this.register(new DisposableValue());
  readonly #batch: EventBatch;
  readonly #received = this.register(new vscode.EventEmitter<FromPage>());
  readonly #visibility = this.register(new vscode.EventEmitter<boolean>());
  /** What the page says, except `ready`. */
  readonly onMessage = this.#received.event;
  /** Fires with true when the panel is shown and with false when it is hidden. */
  readonly onDidChangeVisibility = this.#visibility.event;

  constructor(private readonly parts: Parts) {
    super();
    const { sessions, status } = parts;
    this.#batch = this.register(new EventBatch(GATHER_MS, (events) => this.#postEvents(events)));
    this.register(sessions.onEvent((event) => this.#isPageReady && this.#batch.add(event)));
    this.register(sessions.onDidChange(() => this.#isPageReady && this.#postSnapshot()));
    this.register(status.onDidChange((current) => this.post({ type: "status", status: current })));
  }

  /** Takes over the page of a view that was opened. */
  show(page: ChatPage): void {
    if (page.isClosed) return;
    const { view } = page;
    this.#view = view;
    const listeners = [
      page.listen((message) => this.#receive(message)),
      view.onDidChangeVisibility(() => this.#visibilityChanged(view)),
      view.onDidDispose(() => (this.#ofView.value = undefined)),
      new vscode.Disposable(() => this.#forget(view)),
    ];
    this.#ofView.value = { dispose: () => disposeAll(listeners) };
    this.#visibility.fire(view.visible);
  }

  get isVisible(): boolean {
    return this.#view?.visible ?? false;
  }

  /** Shows the panel and puts the cursor into its message field. */
  async focusComposer(): Promise<void> {
    await this.reveal({ type: "focus_composer" });
  }

  /** Shows the panel and then sends it `message`, as soon as its page is there. */
  async reveal(message: ToPage): Promise<void> {
    if (!this.#isPageReady) this.#afterReady.push(message);
    else this.post(message);
    await vscode.commands.executeCommand(`${CHAT_VIEW}.focus`);
  }

  /** Sends a message to the page if there is one that listens. */
  post(message: ToPage): void {
    if (this.#isPageReady) void this.#view?.webview.postMessage(message);
  }

  #receive(value: unknown): void {
    const message = parseFromPage(value);
    if (message === undefined) {
      this.parts.log.warn(
        `The page sent a message that nobody understands: ${JSON.stringify(value)?.slice(0, 200)}`,
      );
    } else if (message.type === "ready") {
      void this.#pageIsReady(this.#view);
    } else {
      this.#received.fire(message);
    }
  }

  async #pageIsReady(view: vscode.WebviewView | undefined): Promise<void> {
    await this.parts.sessions.ready();
    if (view !== this.#view || !view?.visible) return;
    this.#isPageReady = true;
    this.#postSnapshot();
    for (const message of this.#afterReady.splice(0)) this.post(message);
  }

  #postSnapshot(): void {
    const { sessions, status } = this.parts;
    if (sessions.current === undefined) return;
    // What waits in the batch is part of the view already.
    this.#batch.clear();
    const hasFolder = (vscode.workspace.workspaceFolders ?? []).length > 0;
    const { current, draft } = sessions;
    this.post({ type: "snapshot", view: current.view, status: status.current, hasFolder, draft });
  }

  #postEvents(events: Extract<ToPage, { type: "events" }>["events"]): void {
    const session = this.parts.sessions.current;
    if (session !== undefined) this.post({ type: "events", sessionId: session.id, events });
  }

  #visibilityChanged(view: vscode.WebviewView): void {
    // A hidden page is destroyed; the one that takes its place says `ready` again.
    if (!view.visible) this.#forgetPage();
    this.#visibility.fire(view.visible);
  }

  #forget(view: vscode.WebviewView): void {
    if (this.#view !== view) return;
    this.#view = undefined;
    this.#forgetPage();
    this.#visibility.fire(false);
  }

  #forgetPage(): void {
    this.#isPageReady = false;
    this.#batch.clear();
  }
}
