import {
  Button,
  provideVSCodeDesignSystem,
  TextArea,
  TextField,
  vsCodeButton,
  vsCodeProgressRing,
  vsCodeTextArea,
  vsCodeTextField,
} from "@vscode/webview-ui-toolkit";
import { icon, type IconName } from "./icons";

// The toolkit is deprecated by its makers: everything that the page uses of it goes through this file.

/** Makes the toolkit's elements known to the document; to be called once, before any of them is made. */
export function registerToolkit(): void {
  provideVSCodeDesignSystem().register(
    vsCodeButton(),
    vsCodeProgressRing(),
    vsCodeTextArea(),
    vsCodeTextField(),
  );
}

export interface ButtonOptions {
  readonly label: string;
  readonly onPress: () => void;
  /** Default `secondary`; `icon` shows only the picture, with the label as its name and tooltip. */
  readonly appearance?: "primary" | "secondary" | "icon";
  readonly icon?: IconName;
  /** A longer tooltip than the label. */
  readonly title?: string;
  readonly className?: string;
}

/** A button in the editor's style. */
export function button(options: ButtonOptions): HTMLElement {
  const { label, appearance = "secondary" } = options;
  const element = document.createElement("vscode-button");
  element.setAttribute("aria-label", label);
  element.setAttribute("appearance", appearance);
  if (options.className !== undefined) element.className = options.className;
  if (options.title !== undefined || appearance === "icon") element.title = options.title ?? label;
  if (options.icon !== undefined) {
    const picture = icon(options.icon);
    if (appearance !== "icon") picture.setAttribute("slot", "start");
    element.append(picture);
  }
  if (appearance !== "icon") {
    const text = document.createElement("span");
    text.className = "label";
    text.textContent = label;
    element.append(text);
  }
  element.addEventListener("click", options.onPress);
  return element;
}

/** Switches a button on or off. */
export function setEnabled(element: HTMLElement, isEnabled: boolean): void {
  if (element instanceof Button) element.disabled = !isEnabled;
}

/** Gives a button that shows only a picture another picture, name and tooltip. */
export function setIcon(element: HTMLElement, name: IconName, label: string): void {
  element.replaceChildren(icon(name));
  element.setAttribute("aria-label", label);
  element.title = label;
}

/** A ring that turns while something goes on. The text beside it says what; the ring itself is not announced. */
export function progressRing(): HTMLElement {
  const shell = document.createElement("span");
  // The toolkit makes each ring an assertive alert named "Loading"; inside a hidden element it stays silent.
  shell.setAttribute("aria-hidden", "true");
  shell.className = "ring";
  shell.append(document.createElement("vscode-progress-ring"));
  return shell;
}

export interface TextBoxOptions {
  /** The name of the field; the style sheet shows only the placeholder. */
  readonly label: string;
  readonly placeholder: string;
  readonly className: string;
}

/** A field for text. */
export interface TextBox<Control extends HTMLInputElement | HTMLTextAreaElement> {
  readonly element: HTMLElement;
  /** The element inside that holds text and selection; undefined until the field is in the document. */
  control(): Control | undefined;
  setText(text: string): void;
}

/** A field of several lines; how it grows is a matter of the style sheet. */
export function textArea(options: TextBoxOptions): TextBox<HTMLTextAreaElement> {
  const element = boxElement("vscode-text-area", options);
  const control = () => element.shadowRoot?.querySelector("textarea") ?? undefined;
  return { element, control, setText: (text) => setBoxText(element, control(), text) };
}

/** A field of one line. */
export function textField(options: TextBoxOptions): TextBox<HTMLInputElement> {
  const element = boxElement("vscode-text-field", options);
  const control = () => element.shadowRoot?.querySelector("input") ?? undefined;
  return { element, control, setText: (text) => setBoxText(element, control(), text) };
}

function boxElement(name: string, { label, placeholder, className }: TextBoxOptions): HTMLElement {
  const element = document.createElement(name);
  element.className = className;
  element.setAttribute("placeholder", placeholder);
  // The toolkit takes the name from the text inside, and would otherwise name the field "Text area".
  element.append(label);
  return element;
}

function setBoxText(
  element: HTMLElement,
  control: HTMLInputElement | HTMLTextAreaElement | undefined,
  text: string,
): void {
  if (element instanceof TextArea || element instanceof TextField) element.value = text;
  // The toolkit passes its value on only later; the selection is set right after this.
  if (control !== undefined) control.value = text;
}
