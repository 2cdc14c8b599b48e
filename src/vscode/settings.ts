import vscode = require("vscode");
import type { BadSetting } from "./badSetting";
import { Disposable } from "./disposable";
import { warn } from "./messages";
import type { ChooseAddress, ServerAddress } from "./serverAddress";
import { readSettings, type SettingValues } from "./settingValues";
import type { AddressAnswer } from "./workspaceAddress";

/** The section of all settings. */
const SECTION = "loom";

/** Where the answers about addresses that this workspace names are kept, by address. */
const ANSWERS = "loom.workspaceAddresses";

interface Parts {
  readonly chooseAddress: ChooseAddress;
  readonly defaultAddress: ServerAddress;
  /** Of this workspace alone: what is agreed to in one means nothing in another. */
  readonly memory: vscode.Memento;
}

/** The settings as they are now. A value that cannot be used is named once, with a button that opens the setting. */
export class Settings extends Disposable {
  #values: SettingValues;
  readonly #named = new Set<string>();
  readonly #changed = this.register(new vscode.EventEmitter<SettingValues>());
  /** Fires after `current` has changed. */
  readonly onDidChange = this.#changed.event;

  constructor(private readonly parts: Parts) {
    super();
    this.#values = this.#readAll();
    this.register(
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration(SECTION)) this.#readAgain();
      }),
    );
    this.register(vscode.workspace.onDidGrantWorkspaceTrust(() => this.#readAgain()));
  }

  get current(): SettingValues {
    return this.#values;
  }

  /** Changes a setting where it is set already, in the person's own settings otherwise. */
  async choose(id: "model" | "numCtx", value: string | number): Promise<void> {
    const configuration = vscode.workspace.getConfiguration(SECTION);
    const isOfWorkspace = configuration.inspect(id)?.workspaceValue !== undefined;
    await configuration.update(id, value, !isOfWorkspace);
  }

  /** Keeps what the person said to an address that this workspace names, from now on. */
  async answer(url: string, answer: AddressAnswer): Promise<void> {
    await this.parts.memory.update(ANSWERS, { ...this.#answers(), [url]: answer });
    this.#readAgain();
  }

  #answers(): Readonly<Record<string, AddressAnswer>> {
    return this.parts.memory.get<Record<string, AddressAnswer>>(ANSWERS, {});
  }

  #readAgain(): void {
    this.#values = this.#readAll();
    this.#changed.fire(this.#values);
  }

  #readAll(): SettingValues {
    // One look at the whole section: each look at a single setting takes the editor half a millisecond.
    const found = vscode.workspace.getConfiguration().inspect(SECTION);
    const own = [found?.globalValue];
    const ofWorkspace = [found?.workspaceFolderValue, found?.workspaceValue];
    const { chooseAddress, defaultAddress } = this.parts;
    const answers = this.#answers();
    const { values, bad } = readSettings({
      chooseAddress,
      defaultAddress,
      set: (id) => first(id === "address" ? own : [...ofWorkspace, ...own], id),
      workspaceAddress: {
        // The editor leaves it out of what it tells of a workspace that is not trusted; that is not to hang on one line of the manifest.
        value: vscode.workspace.isTrusted ? first(ofWorkspace, "address") : undefined,
        answerTo: (url) => answers[url],
      },
    });
    for (const setting of bad) this.#name(setting);
    return values;
  }

  #name(setting: BadSetting): void {
    const key = `${setting.id}=${JSON.stringify(setting.value)}`;
    if (this.#named.has(key)) return;
    this.#named.add(key);
    const open = vscode.l10n.t("Open Setting");
    void warn(describe(setting), open).then((answer) => {
      if (answer === open) void openSetting(setting.id);
    });
  }
}

/** Opens the Settings editor at one setting of Loom, or at all of them. */
export async function openSetting(id?: string): Promise<void> {
  const query = id === undefined ? "@ext:loom.loom" : `@id:${SECTION}.${id}`;
  await vscode.commands.executeCommand("workbench.action.openSettings", query);
}

function first(layers: readonly unknown[], id: string): unknown {
  return layers.map((layer) => valueAt(layer, id)).find((value) => value !== undefined);
}

/** What stands under a name of parts like `compaction.request`. */
function valueAt(section: unknown, id: string): unknown {
  return id.split(".").reduce<unknown>((value, part) => {
    const isObject = typeof value === "object" && value !== null;
    return isObject ? (value as Readonly<Record<string, unknown>>)[part] : undefined;
  }, section);
}

function describe({ id, value, expected, usedInstead }: BadSetting): string {
  if (expected.kind === "address") {
    return vscode.l10n.t("{0} Loom uses {1} instead.", expected.problem, usedInstead);
  }
  const name = `${SECTION}.${id}`;
  return vscode.l10n.t(
    "The setting {0} is {1}, which cannot be used: it should be {2}. Loom uses {3} instead.",
    name,
    JSON.stringify(value),
    describeExpected(expected),
    usedInstead === "" ? vscode.l10n.t("none") : usedInstead,
  );
}

function describeExpected(expected: Exclude<BadSetting["expected"], { kind: "address" }>): string {
  switch (expected.kind) {
    case "whole_number":
      return vscode.l10n.t("a whole number from {0} to {1}", expected.minimum, expected.maximum);
    case "number":
      return vscode.l10n.t("a number from {0} to {1}", expected.minimum, expected.maximum);
    case "choice":
      return vscode.l10n.t("one of {0}", expected.choices.join(", "));
    case "text":
      return vscode.l10n.t("text");
    case "texts":
      return vscode.l10n.t("a list of texts");
    case "yes_or_no":
      return vscode.l10n.t("true or false");
  }
}
