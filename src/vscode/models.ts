import * as vscode from "vscode";
import type { Failed, InstalledModel, ModelFacts, ModelServer, PullOutcome } from "./modelServer";
import type { OllamaStatus } from "./ollamaStatus";
import type { Settings } from "./settings";

interface Parts {
  readonly server: ModelServer;
  readonly settings: Settings;
  readonly status: OllamaStatus;
}

interface ModelItem extends vscode.QuickPickItem {
  readonly model?: string;
}

/** Choosing a model from what the server has, and getting more. */
export class Models {
  constructor(private readonly parts: Parts) {}

  /** Lets the person choose; what was chosen is in the settings afterwards. */
  async select(): Promise<void> {
    const stop = new AbortController();
    const picker = vscode.window.createQuickPick<ModelItem>();
    picker.title = vscode.l10n.t("Model for Loom");
    picker.placeholder = vscode.l10n.t("Models on {0}", this.parts.settings.current.address.url);
    picker.matchOnDescription = true;
    picker.busy = true;
    const chosen = new Promise<ModelItem | undefined>((resolve) => {
      picker.onDidAccept(() => resolve(picker.selectedItems[0]));
      picker.onDidHide(() => resolve(undefined));
    });
    picker.show();
    void this.fill(picker, stop.signal);
    const item = await chosen;
    stop.abort();
    picker.dispose();
    if (item?.model !== undefined) await this.parts.settings.chooseModel(item.model);
    else if (item !== undefined) await this.pull("");
  }

  /** Gets a model onto the server, with progress that can be cancelled; asks for its name when `name` is empty. */
  async pull(name: string): Promise<void> {
    const model = name.trim() || (await askForName());
    if (model === undefined || model === "") return;
    const outcome = await vscode.window.withProgress(
      {
        location: vscode.ProgressLocation.Notification,
        title: vscode.l10n.t("Getting {0}", model),
        cancellable: true,
      },
      (progress, token) => this.pullWith(model, progress, token),
    );
    if (outcome.type === "failed") void vscode.window.showErrorMessage(outcome.failure.message);
    if (outcome.type === "done" && this.parts.settings.current.model === "") {
      await this.parts.settings.chooseModel(model);
    }
    await this.parts.status.check();
  }

  private async pullWith(
    model: string,
    progress: vscode.Progress<{ message?: string; increment?: number }>,
    token: vscode.CancellationToken,
  ): Promise<PullOutcome> {
    const stop = new AbortController();
    const listening = token.onCancellationRequested(() => stop.abort());
    let shown = 0;
    const outcome = await this.parts.server.pull(
      model,
      ({ status, completed = 0, total = 0 }) => {
        const percent = total > 0 ? Math.floor((completed / total) * 100) : 0;
        progress.report({
          message: total > 0 ? `${status} ${percent}%` : status,
          increment: Math.max(0, percent - shown),
        });
        shown = Math.max(shown, percent);
      },
      stop.signal,
    );
    listening.dispose();
    return outcome;
  }

  private async fill(picker: vscode.QuickPick<ModelItem>, signal: AbortSignal): Promise<void> {
    const { server, settings } = this.parts;
    const models = await server.listModels(signal);
    if (signal.aborted) return;
    const more: ModelItem = {
      label: vscode.l10n.t("$(cloud-download) Get another model…"),
      alwaysShow: true,
    };
    if ("failure" in models) {
      picker.placeholder = models.failure.message;
      picker.items = [];
      picker.busy = false;
      return;
    }
    picker.items = [...models.map((model) => itemOf(model, undefined)), more];
    const details = await Promise.all(models.map((model) => server.show(model.name, signal)));
    if (signal.aborted) return;
    const items = models.map((model, index) => itemOf(model, details[index]));
    const active = picker.activeItems[0]?.model ?? settings.current.model;
    picker.items = [...items.filter(canWork), ...withHeading(items.filter((item) => !canWork(item))), more];
    picker.activeItems = picker.items.filter(({ model }) => model === active || model === `${active}:latest`);
    picker.busy = false;
  }
}

interface DetailedItem extends ModelItem {
  readonly canCallTools: boolean;
}

function canWork(item: DetailedItem): boolean {
  return item.canCallTools;
}

function withHeading(items: readonly ModelItem[]): readonly ModelItem[] {
  if (items.length === 0) return [];
  const label = vscode.l10n.t("cannot call tools");
  return [{ label, kind: vscode.QuickPickItemKind.Separator }, ...items];
}

function itemOf(model: InstalledModel, facts: ModelFacts | Failed | undefined): DetailedItem {
  const canCallTools = facts === undefined || "failure" in facts || facts.canCallTools !== false;
  const parts = [sizeOf(model), model.parameterSize, model.quantization];
  return {
    model: model.name,
    label: canCallTools ? model.name : `$(warning) ${model.name}`,
    description: parts.filter((part) => part !== undefined).join(" · "),
    detail: detailOf(facts),
    canCallTools,
  };
}

function sizeOf({ size, isCloud }: InstalledModel): string | undefined {
  if (isCloud) return vscode.l10n.t("runs elsewhere: what you send leaves this machine");
  return size === undefined ? undefined : `${(size / 1e9).toFixed(1)} GB`;
}

function detailOf(facts: ModelFacts | Failed | undefined): string {
  if (facts === undefined) return "…";
  if ("failure" in facts) return facts.failure.message;
  const { canCallTools, trainedContext } = facts;
  const tools =
    canCallTools === false
      ? vscode.l10n.t("cannot call tools, so it can neither read nor change files")
      : vscode.l10n.t("can call tools");
  if (trainedContext === undefined) return tools;
  const tokens = trainedContext.toLocaleString(vscode.env.language);
  return `${tools} · ${vscode.l10n.t("trained context {0} tokens", tokens)}`;
}

function askForName(): Thenable<string | undefined> {
  return vscode.window.showInputBox({
    title: vscode.l10n.t("Get a Model"),
    prompt: vscode.l10n.t("The name of a model from ollama.com/library that can call tools"),
    placeHolder: "qwen3:8b",
  });
}
