import vscode = require("vscode");
import { plainName } from "../core/tools/plainName";

/**
 * A text for one of the editor's messages, in which names and words from elsewhere are only text: the editor makes links of
 * `[…](…)`, also such that run commands.
 */
export function plainMessage(text: string): string {
  return plainName(text.replaceAll(/[\r\n]+/g, " ")).replaceAll("](", "] (");
}

/** Shows a message and resolves with the button that was pressed; `undefined` when it was closed. */
export function inform(text: string, ...buttons: readonly string[]): Thenable<string | undefined> {
  return vscode.window.showInformationMessage(plainMessage(text), ...buttons);
}

/** As `inform`, as a warning. */
export function warn(text: string, ...buttons: readonly string[]): Thenable<string | undefined> {
  return vscode.window.showWarningMessage(plainMessage(text), ...buttons);
}

/** As `inform`, as an error. */
export function tellError(text: string, ...buttons: readonly string[]): Thenable<string | undefined> {
  return vscode.window.showErrorMessage(plainMessage(text), ...buttons);
}
