import { announce } from "./announcer";
import { post } from "./hostApi";
import { strings } from "./strings";
import { button, setIcon } from "./toolkit";

/** How long a button says that it has copied, in milliseconds. */
const CONFIRMATION_MS = 1_500;

/** A button that puts a text, asked for when it is pressed, on the clipboard and then says so. */
export function copyButton(label: string, text: () => string): HTMLElement {
  const element = button({
    label,
    icon: "copy",
    appearance: "icon",
    onPress: () => {
      post({ type: "copy", text: text() });
      announce(strings.transcript.copied);
      setIcon(element, "check", strings.transcript.copied);
      setTimeout(() => setIcon(element, "copy", label), CONFIRMATION_MS);
    },
  });
  return element;
}
