import { setTimeout as delay } from "node:timers/promises";
import vscode = require("vscode");
import { inform } from "../messages";
import type { Settings } from "../settings";
import type { CloudConsent } from "./cloudConsent";
import { modelItems, type KnownModel, type ModelItem } from "./modelItems";
import type { InstalledModel, ModelServer } from "./modelServer";
import { windowInUse, type OllamaStatus } from "./ollamaStatus";
import { pullModel } from "./pulls";
import { pickWindow } from "./windowPicker";

/** How long the list waits for what the server knows of its models, in milliseconds. */
const SOON_MS = 500;

interface Parts {
  readonly server: ModelServer;
  readonly settings: Settings;
  readonly status: OllamaStatus;
  readonly consent: CloudConsent;
}

/** Choosing a model and its window from what the server has, and getting more. */
export class Models {
  constructor(private readonly parts: Parts) {}

  /** Lets the person choose; what was chosen is in the settings afterwards. */
  async select(): Promise<void> {
    const stop = new AbortController();
    const picker = vscode.window.createQuickPick<ModelItem>();
    picker.title = vscode.l10n.t("Model for Loom");
    picker.placeholder = vscode.l10n.t("Models on {0}", this.parts.settings.current.address.url);
    picker.matchOnDescription = true;
    picker.matchOnDetail = true;
    picker.busy = true;
    const chosen = new Promise<ModelItem | undefined>((resolve) => {
      picker.onDidAccept(() => resolve(picker.selectedItems[0]));
      picker.onDidHide(() => resolve(undefined));
    });
    picker.show();
    void this.#fill(picker, stop.signal);
    const item = await chosen;
    stop.abort();
    picker.dispose();
    if (item?.model !== undefined) await this.#use(item.model, item.isCloud ?? false);
    else if (item !== undefined) await this.pull("");
  }

  /** Lets the person choose num_ctx, with what each size costs in memory. */
  async selectWindow(): Promise<void> {
    const { server, settings, status } = this.parts;
    const { model } = settings.current;
    const numCtx = windowInUse(settings.current, status);
    const { signal } = new AbortController();
    const facts = model === "" ? undefined : await server.show(model, signal);
    const chosen = await pickWindow(numCtx, facts === undefined || "failure" in facts ? undefined : facts);
    if (chosen !== undefined) await settings.choose("numCtx", chosen);
  }

  /** Asks whether a model that runs elsewhere may be used, and uses it then. */
  async allowCloud(model: string): Promise<void> {
    if (model !== "") await this.#use(model, true);
  }

  /** Gets a model onto the server; asks for its name when `name` is empty. */
  async pull(name: string): Promise<void> {
    const model = name.trim() || (await askForName());
    if (model === undefined || model === "") return;
    const { server, settings, status } = this.parts;
    const isThere = await pullModel(server, model);
    await status.check();
    if (!isThere || settings.current.model === model) return;
    if (settings.current.model === "" || (await offerToUse(model))) await this.#use(model, false);
  }

  async #use(model: string, isCloud: boolean): Promise<void> {
    const { consent, settings, status } = this.parts;
    if (isCloud && !(await consent.ask(model))) return;
    if (settings.current.model === model) await status.check();
    else await settings.choose("model", model);
  }

  async #fill(picker: vscode.QuickPick<ModelItem>, signal: AbortSignal): Promise<void> {
    const { server, settings } = this.parts;
    const { numCtx, cloudModels, model: current } = settings.current;
    const all = await server.listModels(signal);
    if (signal.aborted) return;
    if ("failure" in all) {
      picker.placeholder = all.failure.message;
      picker.items = [];
      picker.busy = false;
      return;
    }
    const models = all.filter(({ isCloud }) => cloudModels === "ask" || !isCloud);
    const asking = this.#ask(models, signal);
    const soon = await Promise.race([asking, delay(SOON_MS, undefined)]);
    const isSorted = soon !== undefined;
    const unknown = models.map((model) => ({ model, facts: undefined, loaded: undefined }));
    const show = (known: readonly KnownModel[]) => {
      if (signal.aborted) return;
      const active = picker.activeItems[0]?.model ?? current;
      picker.items = modelItems(known, numCtx, isSorted);
      picker.activeItems = picker.items.filter(
        ({ model }) => model === active || model === `${active}:latest`,
      );
    };
    show(soon ?? unknown);
    if (!isSorted) show(await asking);
    picker.busy = false;
  }

  async #ask(models: readonly InstalledModel[], signal: AbortSignal): Promise<readonly KnownModel[]> {
    const { server } = this.parts;
    const [loaded, ...facts] = await Promise.all([
      server.listLoaded(signal),
      ...models.map(({ name }) => server.show(name, signal)),
    ]);
    return models.map((model, index) => ({
      model,
      facts: facts[index],
      loaded: loaded.find(({ name }) => name === model.name),
    }));
  }
}

function askForName(): Thenable<string | undefined> {
  return vscode.window.showInputBox({
    title: vscode.l10n.t("Get a Model"),
    prompt: vscode.l10n.t("The name of a model from ollama.com/library that can call tools"),
    placeHolder: "qwen3:8b",
  });
}

async function offerToUse(model: string): Promise<boolean> {
  const use = vscode.l10n.t("Use It");
  return (await inform(vscode.l10n.t("{0} is there.", model), use)) === use;
}
