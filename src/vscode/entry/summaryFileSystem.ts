import vscode = require("vscode");
import type { SummaryFiles } from "../documents/summaryFiles";
import { SUMMARY_SCHEME } from "./names";

/**
 * The editor's door to the summaries. It must be there when activation ends, since the editor asks for a file of an earlier
 * window right then; who knows the summaries is loaded with the first question.
 */
export class SummaryFileSystem implements vscode.FileSystemProvider {
  readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
  readonly onDidChangeFile = this.#changed.event;
  readonly #registered: vscode.Disposable;
  #forwarding: vscode.Disposable | undefined;

  constructor(private readonly load: () => Promise<SummaryFiles>) {
    this.#registered = vscode.workspace.registerFileSystemProvider(SUMMARY_SCHEME, this, {
      isCaseSensitive: true,
    });
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined);
  }

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    return (await this.#files()).stat(uri);
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    return (await this.#files()).read(uri);
  }

  async writeFile(uri: vscode.Uri, content: Uint8Array): Promise<void> {
    return (await this.#files()).write(uri, content);
  }

  readDirectory(): never {
    throw vscode.FileSystemError.NoPermissions();
  }

  createDirectory(): never {
    throw vscode.FileSystemError.NoPermissions();
  }

  delete(): never {
    throw vscode.FileSystemError.NoPermissions();
  }

  rename(): never {
    throw vscode.FileSystemError.NoPermissions();
  }

  dispose(): void {
    this.#forwarding?.dispose();
    this.#registered.dispose();
    this.#changed.dispose();
  }

  /** Changes matter to the editor once it has asked for a file. */
  async #files(): Promise<SummaryFiles> {
    const files = await this.load();
    this.#forwarding ??= files.onDidChange((changes) => this.#changed.fire(changes));
    return files;
  }
}
