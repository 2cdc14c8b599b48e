import vscode = require("vscode");
import { windowSizes } from "../../core/window/numCtx";
import { tokens, windowCost } from "./modelItems";
import type { ModelFacts } from "./modelServer";

/** Below this many tokens an agent has little room. */
const ROOMY = 16_384;

/** Lets the person choose a window; each size with its memory, as far as that is known of the model. Undefined when nothing was chosen. */
export async function pickWindow(
  current: number,
  facts: ModelFacts | undefined,
): Promise<number | undefined> {
  const costOf = (numCtx: number) => facts && windowCost(facts, numCtx);
  const items = windowSizes(current, facts?.trainedContext).map((numCtx) => ({
    numCtx,
    label: tokens(numCtx),
    description: [
      costOf(numCtx) && vscode.l10n.t("about {0} of memory", costOf(numCtx) ?? ""),
      numCtx === current ? vscode.l10n.t("now") : undefined,
      numCtx === facts?.trainedContext ? vscode.l10n.t("the most that the model was trained for") : undefined,
      numCtx < ROOMY ? vscode.l10n.t("compacts often") : undefined,
    ]
      .filter((part) => part !== undefined)
      .join(" · "),
  }));
  const chosen = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t("Context Window (num_ctx)"),
    placeHolder: vscode.l10n.t("Tokens that a request may hold; changing it loads the model anew"),
    matchOnDescription: true,
  });
  return chosen?.numCtx;
}
