import vscode = require("vscode");
import type { Session } from "../../core/session";
import { currentVersion } from "../../shared/compactionView";
import type { SessionEvent } from "../../shared/live";
import type { CompactionEntry } from "../../shared/sessionView";
import { Disposable } from "../disposable";
import { SUMMARY_SCHEME } from "../entry/names";
import type { Sessions } from "../sessions/sessions";

/** The events after which a summary is another text. */
const CHANGES: ReadonlySet<SessionEvent["type"]> = new Set([
  "summary_replaced",
  "summary_chosen",
  "compaction_undone",
]);

/**
 * The summaries of the current session as files that can be edited: saving one puts it into the context. Only the newest
 * compaction's can be saved; why one cannot is said by the editor, which keeps what was typed.
 */
export class SummaryFiles extends Disposable {
  readonly #changed = this.register(new vscode.EventEmitter<vscode.FileChangeEvent[]>());
  readonly onDidChange = this.#changed.event;

  constructor(private readonly sessions: Sessions) {
    super();
    this.register(
      sessions.onEvent((event) => {
        if (!CHANGES.has(event.type) || !("compactionId" in event) || sessions.current === undefined) return;
        const uri = uriOf(sessions.current, event.compactionId);
        this.#changed.fire([{ type: vscode.FileChangeType.Changed, uri }]);
      }),
    );
  }

  /** Opens a summary of the current session in an editor. */
  async open(compactionId: string): Promise<void> {
    const session = await this.sessions.ready();
    const document = await vscode.workspace.openTextDocument(uriOf(session, compactionId));
    await vscode.window.showTextDocument(document, { preview: false });
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const { entry } = await this.#find(uri);
    const { at: ctime, changedAt: mtime } = entry;
    return { type: vscode.FileType.File, ctime, mtime, size: bytesOf(entry).byteLength };
  }

  async read(uri: vscode.Uri): Promise<Uint8Array> {
    return bytesOf((await this.#find(uri)).entry);
  }

  async write(uri: vscode.Uri, content: Uint8Array): Promise<void> {
    const { session, entry } = await this.#find(uri);
    const outcome = session.steering.editSummary(entry.id, new TextDecoder().decode(content));
    if (!outcome.ok) throw vscode.FileSystemError.Unavailable(outcome.message);
  }

  async #find(uri: vscode.Uri): Promise<{ readonly session: Session; readonly entry: CompactionEntry }> {
    const session = await this.sessions.ready();
    const [, sessionId, compactionId] = uri.path.split("/");
    const entry = session.view.entries.find(({ kind, id }) => kind === "compaction" && id === compactionId);
    if (session.id !== sessionId || entry?.kind !== "compaction") {
      throw vscode.FileSystemError.FileNotFound(
        vscode.l10n.t("This summary belongs to another session. Open that session first."),
      );
    }
    return { session, entry };
  }
}

function uriOf(session: Session, compactionId: string): vscode.Uri {
  const name = vscode.l10n.t("Summary.md");
  return vscode.Uri.from({ scheme: SUMMARY_SCHEME, path: `/${session.id}/${compactionId}/${name}` });
}

function bytesOf(entry: CompactionEntry): Uint8Array {
  return new TextEncoder().encode(`${currentVersion(entry)?.summary ?? ""}\n`);
}
