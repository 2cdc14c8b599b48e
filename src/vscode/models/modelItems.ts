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

/** The list to choose from: models that can work first, then those that cannot, with the reason. */
export function modelItems(models: readonly KnownModel[], numCtx: number): readonly ModelItem[] {
  const able = models.filter(canCallTools);
  const unable = models.filter((model) => !canCallTools(model));
  const heading = { label: vscode.l10n.t("cannot call tools"), kind: vscode.QuickPickItemKind.Separator };
  return [
    ...able.map((model) => itemOf(model, numCtx)),
    ...(unable.length === 0 ? [] : [heading]),
    ...unable.map((model) => itemOf(model, numCtx)),
  ];
}

function canCallTools({ facts }: KnownModel): boolean {
  return facts === undefined || "failure" in facts || facts.canCallTools !== false;
}

function itemOf(known: KnownModel, numCtx: number): ModelItem {
  const { model } = known;
  const icon = model.isCloud ? "$(cloud) " : canCallTools(known) ? "" : "$(warning) ";
  const parts = [sizeOf(model), model.parameterSize, model.quantization];
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

function detailOf({ facts, loaded }: KnownModel, numCtx: number): string {
  if (facts === undefined) return "…";
  if ("failure" in facts) return facts.failure.message;
  const { trainedContext, canSee, thinking } = facts;
  const parts = [
    facts.canCallTools === false
      ? vscode.l10n.t("cannot call tools, so it can neither read nor change files")
      : vscode.l10n.t("can call tools"),
    thinking === "none"
      ? undefined
      : thinking === "levels"
        ? vscode.l10n.t("thinks, at levels")
        : vscode.l10n.t("thinks"),
    canSee ? vscode.l10n.t("sees pictures") : undefined,
    trainedContext === undefined
      ? undefined
      : vscode.l10n.t("trained context {0} tokens", tokens(trainedContext)),
    windowCost(facts, Math.min(numCtx, trainedContext ?? numCtx)),
    loaded === undefined ? undefined : loadedText(loaded),
  ];
  return parts.filter((part) => part !== undefined).join(" · ");
}

/** What a window of so many tokens costs in memory beside the model; undefined where that cannot be told. */
export function windowCost(
  { cacheBytesPerToken }: Pick<ModelFacts, "cacheBytesPerToken">,
  numCtx: number,
): string | undefined {
  if (cacheBytesPerToken === undefined) return undefined;
  return vscode.l10n.t(
    "{0} tokens of context take about {1}",
    tokens(numCtx),
    gigabytes(cacheBytesPerToken * numCtx),
  );
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
