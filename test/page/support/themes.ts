/** The four default themes of the editor. */
export const THEMES = ["dark", "light", "high-contrast-dark", "high-contrast-light"] as const;

export type Theme = (typeof THEMES)[number];

/** The classes by which the editor tells a page what kind of theme it has, in the order of THEMES. */
const KINDS = ["vscode-dark", "vscode-light", "vscode-high-contrast", "vscode-high-contrast-light"] as const;

const FONTS: Readonly<Record<string, string>> = {
  "--vscode-font-family": '"Segoe UI", "Liberation Sans", system-ui, sans-serif',
  "--vscode-font-size": "13px",
  "--vscode-font-weight": "normal",
  "--vscode-editor-font-family": '"Liberation Mono", monospace',
  "--vscode-editor-font-size": "14px",
};

/** What the editor sets for its default themes, in the order of THEMES; a colour that a theme leaves out is null. */
// prettier-ignore
const COLOURS: Readonly<Record<string, readonly (string | null)[]>> = {
  "button-background": ["#0078d4", "#005fb8", null, "#0f4a85"],
  "button-border": ["rgba(255, 255, 255, 0.07)", "rgba(0, 0, 0, 0.1)", "#6fc3df", "#0f4a85"],
  "button-foreground": ["#ffffff", "#ffffff", "#ffffff", "#ffffff"],
  "button-hoverBackground": ["#026ec1", "#0258a8", null, "#0f4a85"],
  "button-secondaryBackground": ["#313131", "#e5e5e5", null, "#ffffff"],
  "button-secondaryForeground": ["#cccccc", "#3b3b3b", "#ffffff", "#292929"],
  "button-secondaryHoverBackground": ["#3c3c3c", "#cccccc", null, null],
  "charts-blue": ["#3794ff", "#1a85ff", "#3794ff", "#1a85ff"],
  "charts-green": ["#89d185", "#388a34", "#89d185", "#374e06"],
  "charts-orange": ["#d18616", "#d18616", "#ab5a00", "#0f4a85"],
  "charts-purple": ["#b180d7", "#652d90", "#b180d7", "#652d90"],
  "charts-yellow": ["#cca700", "#bf8803", "#ffd370", "#895503"],
  "contrastActiveBorder": [null, null, "#f38518", "#006bbd"],
  "contrastBorder": [null, null, "#6fc3df", "#0f4a85"],
  "debugTokenExpression-boolean": ["#4e94ce", "#0000ff", "#75bdfe", "#0000ff"],
  "debugTokenExpression-name": ["#c586c0", "#9b46b0", "#ffffff", "#292929"],
  "debugTokenExpression-number": ["#b5cea8", "#098658", "#89d185", "#098658"],
  "debugTokenExpression-string": ["#ce9178", "#a31515", "#f48771", "#a31515"],
  "descriptionForeground": ["#9d9d9d", "#3b3b3b", "rgba(255, 255, 255, 0.7)", "rgba(41, 41, 41, 0.7)"],
  "diffEditor-insertedLineBackground": ["rgba(155, 185, 85, 0.2)", "rgba(155, 185, 85, 0.2)", null, null],
  "diffEditor-insertedTextBorder": [null, null, "#33ff2e", "#374e06"],
  "diffEditor-removedLineBackground": ["rgba(255, 0, 0, 0.2)", "rgba(255, 0, 0, 0.2)", null, null],
  "diffEditor-removedTextBorder": [null, null, "#ff008f", "#ad0707"],
  "dropdown-border": ["#3c3c3c", "#cecece", "#6fc3df", "#0f4a85"],
  "editor-background": ["#1f1f1f", "#ffffff", "#000000", "#ffffff"],
  "editor-foreground": ["#cccccc", "#3b3b3b", "#ffffff", "#292929"],
  "editorWarning-foreground": ["#cca700", "#bf8803", "#ffd370", "#895503"],
  "editorWidget-background": ["#202020", "#f8f8f8", "#0c141f", "#ffffff"],
  "errorForeground": ["#f85149", "#f85149", "#f48771", "#b5200d"],
  "focusBorder": ["#0078d4", "#005fb8", "#f38518", "#006bbd"],
  "foreground": ["#cccccc", "#3b3b3b", "#ffffff", "#292929"],
  "input-background": ["#313131", "#ffffff", "#000000", "#ffffff"],
  "input-border": ["#3c3c3c", "#cecece", "#6fc3df", "#0f4a85"],
  "input-foreground": ["#cccccc", "#3b3b3b", "#ffffff", "#292929"],
  "input-placeholderForeground": ["#989898", "#767676", "rgba(255, 255, 255, 0.7)", "rgba(41, 41, 41, 0.7)"],
  "inputValidation-errorBorder": ["#be1100", "#be1100", "#6fc3df", "#0f4a85"],
  "inputValidation-warningBackground": ["#352a05", "#f6f5d2", "#000000", "#ffffff"],
  "inputValidation-warningBorder": ["#b89500", "#b89500", "#6fc3df", "#0f4a85"],
  "inputValidation-warningForeground": [null, null, null, "#292929"],
  "list-errorForeground": ["#f88070", "#b01011", null, null],
  "list-hoverBackground": ["#2a2d2e", "#f2f2f2", "rgba(255, 255, 255, 0.1)", "rgba(15, 74, 133, 0.1)"],
  "list-warningForeground": ["#cca700", "#855f00", null, null],
  "panel-border": ["#2b2b2b", "#e5e5e5", "#6fc3df", "#0f4a85"],
  "progressBar-background": ["#0078d4", "#005fb8", "#6fc3df", "#0f4a85"],
  "scrollbarSlider-activeBackground": ["rgba(191, 191, 191, 0.4)", "rgba(0, 0, 0, 0.6)", "#6fc3df", "#0f4a85"],
  "scrollbarSlider-background": ["rgba(121, 121, 121, 0.4)", "rgba(100, 100, 100, 0.4)", "rgba(111, 195, 223, 0.6)", "rgba(15, 74, 133, 0.4)"],
  "scrollbarSlider-hoverBackground": ["rgba(100, 100, 100, 0.7)", "rgba(100, 100, 100, 0.7)", "rgba(111, 195, 223, 0.8)", "rgba(15, 74, 133, 0.8)"],
  "sideBar-background": ["#181818", "#f8f8f8", "#000000", "#ffffff"],
  "symbolIcon-functionForeground": ["#b180d7", "#652d90", "#b180d7", "#652d90"],
  "textBlockQuote-border": ["#616161", "#e5e5e5", "#ffffff", "#292929"],
  "textLink-activeForeground": ["#4daafc", "#005fb8", "#21a6ff", "#0f4a85"],
  "textLink-foreground": ["#4daafc", "#005fb8", "#21a6ff", "#0f4a85"],
  "textPreformat-background": ["#3c3c3c", "rgba(0, 0, 0, 0.12)", "#ffffff", "#09345f"],
  "textPreformat-foreground": ["#d0d0d0", "#3b3b3b", "#000000", "#ffffff"],
  "toolbar-hoverBackground": ["rgba(90, 93, 94, 0.31)", "rgba(184, 184, 184, 0.31)", null, null],
  "widget-border": ["#313131", "#e5e5e5", "#6fc3df", "#0f4a85"],
  "widget-shadow": ["rgba(0, 0, 0, 0.36)", "rgba(0, 0, 0, 0.16)", null, null],
};

/** The class of the body in a theme. */
export function bodyClass(theme: Theme): string {
  return KINDS[THEMES.indexOf(theme)] ?? KINDS[0];
}

/** The variables that the editor sets on the document in a theme. */
export function themeVariables(theme: Theme): Readonly<Record<string, string>> {
  const column = THEMES.indexOf(theme);
  const colours = Object.entries(COLOURS).flatMap(([name, values]) => {
    const value = values[column];
    return typeof value === "string" ? [[`--vscode-${name}`, value] as const] : [];
  });
  return { ...FONTS, ...Object.fromEntries(colours) };
}
