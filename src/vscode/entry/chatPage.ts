import { randomBytes } from "node:crypto";
import vscode = require("vscode");
import { chatHtml } from "./chatHtml";
import { HeldMessages } from "./heldMessages";

/** The page of the panel in one view. It starts at once; what it says before anyone listens is kept. */
export class ChatPage {
  readonly #messages = new HeldMessages();
  #isGone = false;

  constructor(
    readonly view: vscode.WebviewView,
    extensionUri: vscode.Uri,
  ) {
    const { webview } = view;
    webview.onDidReceiveMessage((message: unknown) => this.#messages.pass(message));
    view.onDidDispose(() => (this.#isGone = true));
    const dist = vscode.Uri.joinPath(extensionUri, "dist");
    const asset = (name: string) => webview.asWebviewUri(vscode.Uri.joinPath(dist, name)).toString();
    webview.options = { enableScripts: true, localResourceRoots: [dist] };
    webview.html = chatHtml({
      cspSource: webview.cspSource,
      nonce: randomBytes(16).toString("base64"),
      scriptUri: asset("page.js"),
      styleUri: asset("page.css"),
      language: vscode.env.language,
      title: "Loom",
    });
  }

  /** The view has been closed for good and must not be asked for anything any more. */
  get isClosed(): boolean {
    return this.#isGone;
  }

  /** Hands over what the page has said so far and, until disposed of, whatever it says from now on. */
  listen(listener: (message: unknown) => void): vscode.Disposable {
    return new vscode.Disposable(this.#messages.listen(listener));
  }
}
