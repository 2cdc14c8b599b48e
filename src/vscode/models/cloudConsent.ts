import vscode = require("vscode");
import { inform, plainMessage } from "../messages";
import { openSetting, type Settings } from "../settings";

/** Where the agreements are kept: models that run elsewhere, each with the server that passes things on to it. */
const KEY = "loom.cloudModels";

/** Which models that run elsewhere the person has agreed to use. */
export class CloudConsent {
  constructor(
    private readonly settings: Settings,
    private readonly memory: vscode.Memento,
  ) {}

  /** Whether a model that runs elsewhere may be sent anything. */
  mayUse(model: string): boolean {
    return this.settings.current.cloudModels === "ask" && this.#agreed().includes(this.#keyOf(model));
  }

  /** Asks before the first use of a model that runs elsewhere; true when it may be used. */
  async ask(model: string): Promise<boolean> {
    if (this.settings.current.cloudModels === "hide") {
      await explainHidden(model);
      return false;
    }
    if (this.mayUse(model)) return true;
    const use = vscode.l10n.t("Use It");
    const detail = vscode.l10n.t(
      "Everything that you and the tools send it leaves this machine: messages, contents of files, output of commands. Its provider's terms hold for that.",
    );
    const text = plainMessage(
      vscode.l10n.t("{0} does not run on this machine but in Ollama's cloud.", model),
    );
    if ((await vscode.window.showWarningMessage(text, { modal: true, detail }, use)) !== use) return false;
    await this.memory.update(KEY, [...this.#agreed(), this.#keyOf(model)]);
    return true;
  }

  #keyOf(model: string): string {
    return `${this.settings.current.address.url} ${model}`;
  }

  #agreed(): readonly string[] {
    return this.memory.get<readonly string[]>(KEY, []);
  }
}

async function explainHidden(model: string): Promise<void> {
  const open = vscode.l10n.t("Open Setting");
  const text = vscode.l10n.t(
    "{0} runs in Ollama's cloud, and the setting loom.cloudModels keeps such models away.",
    model,
  );
  if ((await inform(text, open)) === open) await openSetting("cloudModels");
}
