/** What can stand inside an element; text becomes a text node, `undefined` and `null` nothing. */
export type Child = Node | string | undefined | null;

/** Makes an element from attributes and children. Text always arrives as text: nothing is parsed as HTML. */
export function h<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, value);
  element.append(...present(children));
  return element;
}

/** The children that are there. */
export function present(children: readonly Child[]): (Node | string)[] {
  return children.filter((child) => child !== undefined && child !== null);
}

/** Shows or hides an element, for everyone and for assistive technology alike. */
export function setShown(element: HTMLElement, isShown: boolean): void {
  if (element.hidden === isShown) element.hidden = !isShown;
}

/** Sets the text of an element only when it differs, so that an unchanged part of the page is left alone. */
export function setText(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** Moves the keyboard focus, but only inside this page: never away from an editor that the person types into. */
export function focusIfHere(element: HTMLElement | undefined): void {
  if (document.hasFocus()) element?.focus();
}
