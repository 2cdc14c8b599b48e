import vscode = require("vscode");
import type { ChatModel } from "../../core/ports";
import { Disposable } from "../disposable";
import type { ServerAddress } from "../serverAddress";
import type { Settings } from "../settings";
import type { CloudConsent } from "./cloudConsent";
import { machineInWords } from "./machineInWords";
import type { Connect, ModelServer, ServerConnection } from "./modelServer";

interface Parts {
  readonly settings: Settings;
  readonly secrets: vscode.SecretStorage;
  readonly log: vscode.LogOutputChannel;
  readonly connect: Connect;
  readonly consent: CloudConsent;
}

/** The server that the settings name, with the token that is kept for its address. It changes with them, also between two calls. */
export class OllamaConnection extends Disposable implements ModelServer, ChatModel {
  #connection: { readonly address: string; readonly made: Promise<ServerConnection> } | undefined;

  constructor(private readonly parts: Parts) {
    super();
    this.register(parts.secrets.onDidChange(() => (this.#connection = undefined)));
  }

  readonly status: ModelServer["status"] = async (...question) =>
    (await this.#now()).server.status(...question);
  readonly listModels: ModelServer["listModels"] = async (signal) =>
    (await this.#now()).server.listModels(signal);
  readonly show: ModelServer["show"] = async (...question) => (await this.#now()).server.show(...question);
  readonly listLoaded: ModelServer["listLoaded"] = async (signal) =>
    (await this.#now()).server.listLoaded(signal);
  readonly pull: ModelServer["pull"] = async (...order) => (await this.#now()).server.pull(...order);
  readonly chat: ChatModel["chat"] = async (...request) => (await this.#now()).model.chat(...request);
  readonly requestBody: NonNullable<ChatModel["requestBody"]> = async (request, signal) =>
    (await (await this.#now()).model.requestBody?.(request, signal)) ?? { body: request };
  readonly allocatedNumCtx: ChatModel["allocatedNumCtx"] = async (...question) =>
    (await this.#now()).model.allocatedNumCtx(...question);
  readonly preload: ChatModel["preload"] = async (...order) => (await this.#now()).model.preload(...order);
  readonly isLoaded: ChatModel["isLoaded"] = async (...question) =>
    (await this.#now()).model.isLoaded(...question);

  /** Asks for the token of the current server and keeps it in the editor's secret storage; an empty one is forgotten. */
  async askForToken(): Promise<void> {
    const { settings, secrets } = this.parts;
    const { url } = settings.current.address;
    const token = await vscode.window.showInputBox({
      title: vscode.l10n.t("Access Token for {0}", url),
      prompt: vscode.l10n.t("Sent to this server only. Leave empty to forget the token."),
      password: true,
      ignoreFocusOut: true,
    });
    if (token === undefined) return;
    if (token.trim() === "") await secrets.delete(secretOf(url));
    else await secrets.store(secretOf(url), token.trim());
  }

  #now(): Promise<ServerConnection> {
    const { address } = this.parts.settings.current;
    if (this.#connection?.address !== address.url) {
      this.#connection = { address: address.url, made: this.#make(address) };
    }
    return this.#connection.made;
  }

  async #make(address: ServerAddress): Promise<ServerConnection> {
    const { secrets, log, connect, settings, consent } = this.parts;
    const token = await secrets.get(secretOf(address.url));
    return connect({
      address,
      token,
      log: (line) => log.info(line),
      machine: machineInWords(vscode.env.remoteName, vscode.l10n.t),
      preferences: () => ({
        thinking: settings.current.thinking,
        silenceMinutes: settings.current.silenceLimit,
        mayLeaveMachine: (model) => consent.mayUse(model),
      }),
    });
  }
}

function secretOf(url: string): string {
  return `loom.token:${url}`;
}
