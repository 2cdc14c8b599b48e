import type { FailureKind } from "../../shared/events";
import type { SessionEvent } from "../../shared/live";
import { Disposable } from "../disposable";
import type { OllamaStatus } from "../models/ollamaStatus";
import type { Sessions } from "../sessions/sessions";
import type { ChatView } from "./chatView";
import { ContextKeySetter } from "./contextKeys";
import { StatusBar } from "./statusBar";

interface Parts {
  readonly sessions: Sessions;
  readonly status: OllamaStatus;
  readonly chat: ChatView;
}

/** Events that change nothing outside of the panel, and come by the hundred. */
const UNSEEN: ReadonlySet<SessionEvent["type"]> = new Set(["reply_delta", "tool_output"]);

/** Failures after which the server or the model is likely not what the status says. */
const DOUBTFUL: ReadonlySet<string> = new Set<FailureKind>([
  "not_running",
  "interrupted_stream",
  "model_missing",
  "no_tools",
  "unauthorized",
]);

/** Keeps the status bar and the conditions of the commands true, and the status of the server fresh when there is doubt. */
export class Indicators extends Disposable {
  readonly #bar = this.register(new StatusBar());
  readonly #keys = new ContextKeySetter();

  constructor(private readonly parts: Parts) {
    super();
    const { sessions, status, chat } = parts;
    this.register(sessions.onDidChange(() => this.#update()));
    this.register(sessions.onEvent((event) => this.#note(event)));
    this.register(status.onDidChange(() => this.#update()));
    this.register(chat.onDidChangeVisibility((isVisible) => status.watch(isVisible)));
    this.#update();
  }

  #note(event: SessionEvent): void {
    if (UNSEEN.has(event.type)) return;
    this.#update();
    if (event.type === "turn_ended" && DOUBTFUL.has(event.failure?.kind ?? ""))
      void this.parts.status.check();
  }

  #update(): void {
    const { sessions, status } = this.parts;
    const view = sessions.current?.view;
    this.#keys.update(view, status.current);
    this.#bar.update(status.current, view?.meter ?? null);
  }
}
