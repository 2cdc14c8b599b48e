import { basename } from "node:path";
import { applyPatch, parsePatch, reversePatch, type StructuredPatch } from "diff";
import vscode = require("vscode");
import type { Workspace } from "../../core/ports";
import { plainName } from "../../core/tools/plainName";
import type { ApprovalQuestion, SessionEvent } from "../../shared/live";
import { Disposable } from "../disposable";
import { inform } from "../messages";
import type { Sessions } from "../sessions/sessions";
import type { VirtualDocuments } from "./virtualDocuments";

interface Parts {
  readonly sessions: Sessions;
  readonly workspace: Workspace;
  readonly documents: VirtualDocuments;
}

type EditQuestion = Extract<ApprovalQuestion, { kind: "edit" }>;

/** How many edits can be shown again after they were decided. */
const KEPT = 100;

/** Shows the edits that the agent asked for in the editor's own diff view, before and after they were agreed to. */
export class Diffs extends Disposable {
  readonly #edits = new Map<string, EditQuestion>();

  constructor(private readonly parts: Parts) {
    super();
    this.register(parts.sessions.onEvent((event) => this.#note(event)));
  }

  #note(event: SessionEvent): void {
    if (event.type !== "approval_asked" || event.question.kind !== "edit") return;
    this.#edits.set(event.callId, event.question);
    for (const key of [...this.#edits.keys()].slice(0, -KEPT)) this.#edits.delete(key);
  }

  async show(callId: string): Promise<void> {
    const edit = this.#edits.get(callId);
    const sides = edit && (await this.#sidesOf(edit));
    if (edit === undefined || sides === undefined) {
      const text = vscode.l10n.t("This change cannot be shown: the file has changed since.");
      void inform(text);
      return;
    }
    const name = plainName(basename(edit.path));
    const title = edit.isNew
      ? vscode.l10n.t("{0} (new file)", name)
      : vscode.l10n.t("{0} (change by Loom)", name);
    await vscode.commands.executeCommand(
      "vscode.diff",
      this.parts.documents.make(edit.path, sides.before),
      this.parts.documents.make(edit.path, sides.after),
      title,
    );
  }

  async #sidesOf(edit: EditQuestion): Promise<{ before: string; after: string } | undefined> {
    const [patch] = parsePatch(edit.diff);
    if (patch === undefined) return undefined;
    const text = await this.#textOf(edit);
    return sidesOfPatch(text, patch);
  }

  async #textOf({ path, isNew }: EditQuestion): Promise<string> {
    const resolved = await this.parts.workspace.resolve(path);
    if (resolved.place === "no_folder" || (resolved.kind === "missing" && isNew)) return "";
    const file = await this.parts.workspace.readText(resolved.absolute);
    return "text" in file ? file.text : "";
  }
}

/** Both sides of a change, from the text as it is now: the change may be still to come or done already. */
function sidesOfPatch(text: string, patch: StructuredPatch): { before: string; after: string } | undefined {
  const after = applyPatch(text, patch);
  if (after !== false) return { before: text, after };
  const before = applyPatch(text, reversePatch(patch));
  return before === false ? undefined : { before, after: text };
}
