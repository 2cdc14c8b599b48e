import vscode = require("vscode");
import type { Meter } from "../../shared/live";
import type { ModelStatus } from "../../shared/protocol";
import { Disposable } from "../disposable";
import { plainMessage } from "../messages";

/** The model and how full its window is, at the edge of the editor; a click shows what fills the window. */
export class StatusBar extends Disposable {
  readonly #item: vscode.StatusBarItem;

  constructor() {
    super();
    this.#item = this.register(
      vscode.window.createStatusBarItem("loom.meter", vscode.StatusBarAlignment.Right, 90),
    );
    this.#item.name = vscode.l10n.t("Loom: Model and Context");
  }

  update(status: ModelStatus, meter: Meter | null): void {
    const item = this.#item;
    const isReady = status.state === "ready";
    item.text = `$(comment-discussion) ${isReady ? readyText(status.model, meter) : stateText(status)}`;
    const tooltip = isReady && meter !== null ? meterSentence(meter) : stateText(status);
    item.tooltip = status.otherAddress === undefined ? tooltip : `${tooltip}\n${otherSentence(status)}`;
    item.accessibilityInformation = {
      label: `Loom, ${item.text.replace(/^\S+ /, "")}. ${item.tooltip}`,
      role: "button",
    };
    item.command = isReady ? "loom.showContext" : "loom.focusChat";
    const isWarning = isReady && meter !== null && meter.level !== "ok";
    item.backgroundColor = isWarning ? new vscode.ThemeColor("statusBarItem.warningBackground") : undefined;
    item.show();
  }
}

function readyText(model: string, meter: Meter | null): string {
  if (meter === null) return model;
  const warning = meter.level === "ok" ? "" : ` ${levelWords(meter)}`;
  return `${model} ${meter.used.estimated ? "~" : ""}${percentOf(meter)}%${warning}`;
}

function levelWords({ level }: Meter): string {
  return level === "full" ? vscode.l10n.t("context full") : vscode.l10n.t("context nearly full");
}

function percentOf({ used, window }: Meter): number {
  return Math.round((used.tokens / window) * 100);
}

function meterSentence(meter: Meter): string {
  const number = (value: number) => value.toLocaleString(vscode.env.language);
  const used = `${meter.used.estimated ? "~" : ""}${number(meter.used.tokens)}`;
  return vscode.l10n.t(
    "{0} of {1} tokens used ({2}%). Compacts above {3}.",
    used,
    number(meter.window),
    percentOf(meter),
    number(meter.compactAt),
  );
}

function otherSentence({ otherAddress, address }: ModelStatus): string {
  return vscode.l10n.t(
    "Loom uses {0}, not {1}, which the settings of this workspace name.",
    address,
    plainMessage(otherAddress?.url ?? ""),
  );
}

function stateText(status: ModelStatus): string {
  switch (status.state) {
    case "checking":
      return vscode.l10n.t("looking for Ollama");
    case "unreachable":
      return vscode.l10n.t("Ollama not reachable");
    case "no_models":
      return vscode.l10n.t("no model installed");
    case "none_chosen":
      return vscode.l10n.t("no model chosen");
    case "missing":
      return vscode.l10n.t("{0} is not installed", status.model);
    case "cloud":
      return vscode.l10n.t("{0} runs elsewhere", status.model);
    case "no_tools":
      return vscode.l10n.t("{0} cannot call tools", status.model);
    case "ready":
      return status.model;
  }
}
