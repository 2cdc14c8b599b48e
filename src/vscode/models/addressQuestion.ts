import vscode = require("vscode");
import { Disposable } from "../disposable";
import { inform, warn } from "../messages";
import { openSetting, type Settings } from "../settings";

/** Asks whether an address that the workspace's settings name is to be used: by itself once, and whenever the person wants to. */
export class AddressQuestion extends Disposable {
  readonly #asked = new Set<string>();

  constructor(
    private readonly settings: Settings,
    private readonly log: Pick<vscode.LogOutputChannel, "info">,
  ) {
    super();
    this.register(settings.onDidChange(() => this.#note()));
    this.#note();
  }

  /** Asks whatever was said before; for somebody who has thought better of it. */
  async ask(): Promise<void> {
    const { namedByWorkspace, address } = this.settings.current;
    if (namedByWorkspace !== undefined) return this.#askAbout(namedByWorkspace.url);
    const open = vscode.l10n.t("Open Setting");
    const text = vscode.l10n.t(
      "The settings of this workspace name no other address than yours. Loom uses {0}.",
      address.url,
    );
    if ((await inform(text, open)) === open) await openSetting("address");
  }

  #note(): void {
    const named = this.settings.current.namedByWorkspace;
    if (named === undefined || this.#asked.has(named.url)) return;
    this.#asked.add(named.url);
    if (named.answer === undefined) void this.#askAbout(named.url);
    else this.#say(named.url, named.answer === "use");
  }

  async #askAbout(url: string): Promise<void> {
    const use = vscode.l10n.t("Use It");
    const refuse = vscode.l10n.t("Don't Use It");
    const text = vscode.l10n.t(
      "The settings of this workspace name {0} as the address of Ollama. If you agree, your messages, contents of files and output of commands go there. Now Loom uses {1}.",
      url,
      this.settings.current.address.url,
    );
    const answer = await warn(text, use, refuse);
    if (answer === undefined) return;
    await this.settings.answer(url, answer === use ? "use" : "refuse");
    this.#say(url, answer === use);
  }

  #say(url: string, isUsed: boolean): void {
    this.log.info(
      `The settings of this workspace name the address ${url}; ${isUsed ? "it is used, as was agreed" : "it was refused and is not used"}.`,
    );
  }
}
