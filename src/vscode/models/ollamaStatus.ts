import vscode = require("vscode");
import { chooseNumCtx, type WindowFacts } from "../../core/window/numCtx";
import type { ModelStatus, ServerStatus } from "../../shared/protocol";
import { Disposable } from "../disposable";
import type { SettingValues } from "../settingValues";
import type { Settings } from "../settings";
import type { ModelServer } from "./modelServer";

/** How often a server that is not ready is asked again while someone looks at the panel, in milliseconds. */
const AGAIN_MS = 3_000;

/**
 * The state of server and model. It is asked for when the panel is shown, when the window gets the focus, when the settings
 * change and on request; again and again only while the panel is visible and says that something is missing.
 */
export class OllamaStatus extends Disposable {
  /** As the server said it; `status` is that together with what the settings say. */
  #said: ServerStatus;
  #status: ModelStatus;
  #asking: AbortController | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isWatched = false;
  /** Kept while the server does not answer: the window of a session must not change by that. */
  readonly #windows = new Map<string, WindowFacts>();
  readonly #changed = this.register(new vscode.EventEmitter<ModelStatus>());
  readonly onDidChange = this.#changed.event;

  constructor(
    private readonly server: Pick<ModelServer, "status">,
    private readonly settings: Settings,
  ) {
    super();
    this.#said = { state: "checking", address: settings.current.address.url };
    this.#status = withOther(this.#said, settings.current);
    this.register(settings.onDidChange(() => void this.check()));
    this.register(
      vscode.window.onDidChangeWindowState(({ focused }) => {
        if (focused && this.#isWatched) void this.check();
      }),
    );
    this.register(new vscode.Disposable(() => this.#rest()));
  }

  get current(): ModelStatus {
    return this.#status;
  }

  /** What is known of the window of a model. */
  windowOf(model: string): WindowFacts {
    return this.#windows.get(model) ?? {};
  }

  /** To be told whether the panel is visible. */
  watch(isVisible: boolean): void {
    this.#isWatched = isVisible;
    if (isVisible) void this.check();
    else this.#rest();
  }

  /** Asks the server now; an answer to an earlier question that is still on its way no longer counts. */
  async check(): Promise<void> {
    this.#rest();
    const asking = new AbortController();
    this.#asking = asking;
    const { address, model } = this.settings.current;
    this.#set(address.url === this.#said.address ? this.#said : { state: "checking", address: address.url });
    const status = await this.server.status(model, asking.signal);
    if (asking.signal.aborted) return;
    this.#asking = undefined;
    this.#set(status);
    if (this.#isWatched && status.state !== "ready")
      this.#timer = setTimeout(() => void this.check(), AGAIN_MS);
  }

  #set(said: ServerStatus): void {
    this.#said = said;
    const status = withOther(said, this.settings.current);
    if (JSON.stringify(status) === JSON.stringify(this.#status)) return;
    this.#status = status;
    if (status.state === "ready") {
      const { trainedContext: trained, modelfileNumCtx: modelfile } = status;
      this.#windows.set(status.model, { trained, modelfile });
    }
    this.#changed.fire(status);
  }

  #rest(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#asking?.abort();
    this.#asking = undefined;
  }
}

function withOther(status: ServerStatus, { namedByWorkspace: named }: SettingValues): ModelStatus {
  if (named === undefined || named.answer === "use") return status;
  return { ...status, otherAddress: { url: named.url, isRefused: named.answer === "refuse" } };
}

/** The num_ctx that requests to the chosen model have, before the server has its say. */
export function windowInUse(values: SettingValues, status: Pick<OllamaStatus, "windowOf">): number {
  return chooseNumCtx(values.isNumCtxSet ? values.numCtx : undefined, status.windowOf(values.model));
}
