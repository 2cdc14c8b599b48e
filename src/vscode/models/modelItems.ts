import vscode = require("vscode");
import type { Failed, InstalledModel, ModelFacts, ModelInMemory } from "./modelServer";

export interface ModelItem extends vscode.QuickPickItem {
  readonly model?: string;
  readonly isCloud?: boolean;
}

/** A model with what is known of it so far. */
export interface KnownModel {
  readonly model: InstalledModel;
  /** Undefined while it is being asked for. */
  readonly facts: ModelFacts | Failed | undefined;
  readonly loaded: ModelInMemory | undefined;
}

/**
 * The list to choose from: models that can work first, then those that cannot, with the reason. In the order of the server while that is
 * not known of all, and from then on: nothing may move under the pointer.
 */
export function modelItems(
  models: readonly KnownModel[],
  numCtx: number,
  isSorted: boolean,
): readonly ModelItem[] {
  const able = models.filter((model) => !isSorted || canCallTools(model));
  const unable = models.filter((model) => !able.includes(model));
  return [
    ...able.map((model) => itemOf(model, numCtx)),
    ...(unable.length === 0 ? [] : [separator(vscode.l10n.t("cannot call tools"))]),
    ...unable.map((model) => itemOf(model, numCtx)),
    separator(""),
    { label: vscode.l10n.t("$(cloud-download) Get another model…"), alwaysShow: true },
  ];
}

function separator(label: string): ModelItem {
  return { label, kind: vscode.QuickPickItemKind.Separator };
}

function canCallTools({ facts }: KnownModel): boolean {
  return facts === undefined || "failure" in facts || facts.canCallTools !== false;
}

function itemOf(known: KnownModel, numCtx: number): ModelItem {
  const { model, loaded } = known;
  const icon = model.isCloud ? "$(cloud) " : canCallTools(known) ? "" : "$(warning) ";
  const memory = loaded === undefined ? undefined : loadedText(loaded);
  const parts = [sizeOf(model), model.parameterSize, model.quantization, memory];
  return {
    model: model.name,
    isCloud: model.isCloud,
    label: `${icon}${model.name}`,
    description: parts.filter((part) => part !== undefined).join(" · "),
    detail: detailOf(known, numCtx),
  };
}

function sizeOf({ size, isCloud }: InstalledModel): string | undefined {
  if (isCloud) return vscode.l10n.t("runs elsewhere: what you send leaves this machine");
  return size === undefined ? undefined : gigabytes(size);
}

function detailOf({ model, facts }: KnownModel, numCtx: number): string {
  if (facts === undefined) return "…";
  if ("failure" in facts) return facts.failure.message;
  const { trainedContext, canSee, thinking } = facts;
  const window = Math.min(numCtx, trainedContext ?? numCtx);
  const cost = model.isCloud ? undefined : windowCost(facts, window);
  const parts = [
    facts.canCallTools === false
      ? vscode.l10n.t("cannot call tools, so it can neither read nor change files")
      : vscode.l10n.t("calls tools"),
    thinking === "none"
      ? undefined
      : thinking === "levels"
        ? vscode.l10n.t("thinks, at levels")
        : vscode.l10n.t("thinks"),
    canSee ? vscode.l10n.t("sees pictures") : undefined,
    trainedContext === undefined
      ? undefined
      : vscode.l10n.t("trained for {0} tokens", tokens(trainedContext)),
    cost === undefined ? undefined : vscode.l10n.t("{0} take about {1}", tokens(window), cost),
  ];
  return parts.filter((part) => part !== undefined).join(" · ");
}

/** What a window of so many tokens costs in memory beside the model; undefined where that cannot be told. */
export function windowCost(
  { cacheBytesPerToken }: Pick<ModelFacts, "cacheBytesPerToken">,
  numCtx: number,
): string | undefined {
  return cacheBytesPerToken === undefined ? undefined : gigabytes(cacheBytesPerToken * numCtx);
}

function loadedText({ size, sizeOnGpu, numCtx }: ModelInMemory): string {
  const where =
    size === undefined || sizeOnGpu === undefined || sizeOnGpu === size
      ? ""
      : vscode.l10n.t(", {0} % of it on the GPU", Math.round((100 * sizeOnGpu) / size));
  const window = numCtx === undefined ? "" : vscode.l10n.t(" with num_ctx {0}", tokens(numCtx));
  return vscode.l10n.t("in memory{0}{1}", window, where);
}

export function tokens(count: number): string {
  return count.toLocaleString(vscode.env.language);
}

function gigabytes(bytes: number): string {
  return `${(bytes / 1e9).toFixed(1)} GB`;
}
