import vscode = require("vscode");
import { Disposable } from "../disposable";

const SCHEME = "loom";

/** How many texts are kept for documents that are open; older ones are gone when they are opened again. */
const KEPT = 40;

/** Read-only documents that exist only in the editor: summaries and the two sides of a diff. */
export class VirtualDocuments extends Disposable implements vscode.TextDocumentContentProvider {
  readonly #texts = new Map<string, string>();
  #made = 0;

  constructor() {
    super();
    this.register(vscode.workspace.registerTextDocumentContentProvider(SCHEME, this));
  }

  /** A document with this text; `path` gives it its name and, by its ending, its language. */
  make(path: string, text: string): vscode.Uri {
    const uri = vscode.Uri.from({
      scheme: SCHEME,
      path: `/${path.replace(/^\/+/, "")}`,
      query: String(++this.#made),
    });
    this.#texts.set(uri.toString(), text);
    const oldest = [...this.#texts.keys()].slice(0, -KEPT);
    for (const key of oldest) this.#texts.delete(key);
    return uri;
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return (
      this.#texts.get(uri.toString()) ??
      vscode.l10n.t("This text is not kept any more. Open it again from Loom.")
    );
  }
}
