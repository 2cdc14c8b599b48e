/** True while an input method composes: its keys, Enter and Escape among them, are not ours. */
export function isComposing(event: KeyboardEvent): boolean {
  // Some browsers report the key that ends a composition only by this code.
  return event.isComposing || event.keyCode === 229;
}
