/** What the document of the panel is made from; all values are escaped here. */
export interface ChatHtmlOptions {
  /** The webview's own source for content policies. */
  readonly cspSource: string;
  /** Fresh and unguessable for every document. */
  readonly nonce: string;
  readonly scriptUri: string;
  readonly styleUri: string;
  /** The editor's display language, e.g. `en` or `pt-br`. */
  readonly language: string;
  readonly title: string;
}

/**
 * The document of the panel: one script, one style sheet and an empty root. The content policy allows nothing else, so text
 * from models and files can neither run nor load anything. The nonce is also in `style-src` and in a meta element because
 * the UI toolkit adds a style element of its own and reads the nonce for it from there.
 */
export function chatHtml(options: ChatHtmlOptions): string {
  const [nonce, source] = [escapeAttribute(options.nonce), escapeAttribute(options.cspSource)];
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${source} 'nonce-${nonce}'`,
    `font-src ${source}`,
    `img-src ${source}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  return `<!DOCTYPE html>
<html lang="${escapeAttribute(options.language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta property="csp-nonce" content="${nonce}">
<link rel="stylesheet" href="${escapeAttribute(options.styleUri)}">
<title>${escapeAttribute(options.title)}</title>
</head>
<body>
<div id="root"></div>
<script nonce="${nonce}" src="${escapeAttribute(options.scriptUri)}"></script>
</body>
</html>`;
}

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};

function escapeAttribute(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ESCAPES[character] ?? character);
}
