/** What the page finds in the window when an editor shows it; put there before its own script runs. */
export interface EditorSetUp {
  readonly bodyClass: string;
  readonly variables: Readonly<Record<string, string>>;
}

declare global {
  interface Window {
    /** Takes what the page posts to its host. */
    loomTestHost(message: string): Promise<void>;
    loomTestViolation(directive: string): Promise<void>;
  }
}

/** Runs inside the browser: the theme, the style sheet and the connection that the editor gives a webview. */
export function installFakeEditor({ bodyClass, variables }: EditorSetUp): void {
  const storage = "loom-test-state";
  const api = {
    postMessage: (message: unknown) => void window.loomTestHost(JSON.stringify(message)),
    getState: (): unknown => JSON.parse(sessionStorage.getItem(storage) ?? "null"),
    setState: (state: unknown) => sessionStorage.setItem(storage, JSON.stringify(state)),
  };
  let isTaken = false;
  Object.defineProperty(window, "acquireVsCodeApi", {
    value: () => {
      if (isTaken) throw new Error("The connection to the host can only be had once.");
      isTaken = true;
      return api;
    },
  });
  document.addEventListener("securitypolicyviolation", (event) => {
    void window.loomTestViolation(`${event.violatedDirective}: ${event.blockedURI}`);
  });
  document.addEventListener("DOMContentLoaded", () => {
    for (const [name, value] of Object.entries(variables)) {
      document.documentElement.style.setProperty(name, value);
    }
    document.body.className = bodyClass;
    document.body.dataset["vscodeThemeKind"] = bodyClass;
    // The editor's own style sheet for webviews is in a layer, so the page's rules win.
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(`@layer vscode-default {
      html { background: var(--vscode-sideBar-background); scrollbar-color: var(--vscode-scrollbarSlider-background) transparent; }
      body { padding: 0 20px; background: transparent; color: var(--vscode-editor-foreground); }
      a, a code { color: var(--vscode-textLink-foreground); }
      code { color: var(--vscode-textPreformat-foreground); background-color: var(--vscode-textPreformat-background); padding: 1px 3px; }
      pre code { padding: 0; }
      blockquote { background: var(--vscode-textBlockQuote-background); border-color: var(--vscode-textBlockQuote-border); }
    }`);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  });
}
