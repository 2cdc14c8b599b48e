import { steer } from "./hostApi";
import { strings } from "./strings";
import { button } from "./toolkit";

/** A button that pins what is selected inside `element`, or all of it: `text` as it was written. */
export function pinButton(element: () => HTMLElement, text: () => string): HTMLElement {
  const pin = button({
    label: strings.steering.pin,
    title: strings.steering.pinTitle,
    icon: "pin",
    appearance: "icon",
    className: "pin-button",
    onPress: () => {
      const chosen = selectionIn(element());
      steer({ do: "pin", text: chosen === "" ? text() : chosen });
    },
  });
  // A press would otherwise take the selection away before it is read.
  pin.addEventListener("mousedown", (event) => event.preventDefault());
  return pin;
}

function selectionIn(element: HTMLElement): string {
  const selection = getSelection();
  if (selection === null || selection.isCollapsed || selection.rangeCount === 0) return "";
  const isInside = element.contains(selection.anchorNode) && element.contains(selection.focusNode);
  return isInside ? selection.toString().trim() : "";
}
