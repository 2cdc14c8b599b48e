import vscode = require("vscode");
import { inform, plainMessage, tellError } from "../messages";
import type { ModelServer, PullOutcome } from "./modelServer";

const LIBRARY = "https://ollama.com/library";

/** How far a download got, in percent of what is known of its size. */
interface Pulled {
  readonly outcome: PullOutcome;
  readonly percent: number;
}

/** Gets a model onto the server, with progress that can be cancelled and gone on with; true when it is there. */
export async function pullModel(server: Pick<ModelServer, "pull">, model: string): Promise<boolean> {
  for (;;) {
    const { outcome, percent } = await pullOnce(server, model);
    if (outcome.type === "done") return true;
    const again =
      outcome.type === "stopped" ? await offerToGoOn(model, percent) : await offerToRetry(outcome.failure);
    if (!again) return false;
  }
}

async function pullOnce(server: Pick<ModelServer, "pull">, model: string): Promise<Pulled> {
  let percent = 0;
  const options = {
    location: vscode.ProgressLocation.Notification,
    title: plainMessage(vscode.l10n.t("Getting {0}", model)),
    cancellable: true,
  };
  const outcome = await vscode.window.withProgress(options, async (progress, token) => {
    const stop = new AbortController();
    const listening = token.onCancellationRequested(() => stop.abort());
    const onProgress: Parameters<ModelServer["pull"]>[1] = ({ status, completed = 0, total = 0 }) => {
      const next = total > 0 ? Math.floor((completed / total) * 100) : 0;
      progress.report({
        message: messageFor(status, completed, total),
        increment: Math.max(0, next - percent),
      });
      percent = Math.max(percent, next);
    };
    try {
      return await server.pull(model, onProgress, stop.signal);
    } finally {
      listening.dispose();
    }
  });
  return { outcome, percent };
}

function messageFor(status: string, completed: number, total: number): string {
  if (total === 0) return plainMessage(status);
  const gigabytes = (bytes: number) => (bytes / 1e9).toFixed(1);
  const percent = Math.floor((completed / total) * 100);
  const size = vscode.l10n.t("{0} of {1} GB ({2} %)", gigabytes(completed), gigabytes(total), percent);
  // What follows the download takes its time too.
  return completed < total ? size : `${size}, ${plainMessage(status)}`;
}

async function offerToGoOn(model: string, percent: number): Promise<boolean> {
  const goOn = vscode.l10n.t("Go On");
  const text = vscode.l10n.t("Getting {0} was stopped at {1} %. What has come is kept.", model, percent);
  return (await inform(text, goOn)) === goOn;
}

async function offerToRetry({
  kind,
  message,
}: {
  readonly kind: string;
  readonly message: string;
}): Promise<boolean> {
  // A name that the library does not have is not there the second time either.
  if (kind === "model_missing") {
    const open = vscode.l10n.t("Open Library");
    if ((await tellError(message, open)) === open) await vscode.env.openExternal(vscode.Uri.parse(LIBRARY));
    return false;
  }
  const again = vscode.l10n.t("Try Again");
  return (await tellError(message, again)) === again;
}
