import { copyButton } from "../copyButton";
import { h } from "../dom";
import { post } from "../hostApi";
import { strings } from "../strings";
import { button } from "../toolkit";

/** Puts a bar with the language and the buttons above a code block. Without `isWhole`, while it streams, there are no buttons yet. */
export function codeBlock(pre: HTMLPreElement, isWhole: boolean): HTMLElement {
  const code = pre.querySelector("code");
  const language = languageOf(code);
  const text = () => (code ?? pre).textContent ?? "";
  const { copyCode, insertAtCursor } = strings.transcript;
  pre.tabIndex = 0;
  pre.dir = "ltr";
  pre.setAttribute("role", "group");
  pre.setAttribute("aria-label", strings.transcript.code(language));
  const buttons = isWhole
    ? [
        button({
          label: insertAtCursor,
          icon: "insert",
          appearance: "icon",
          onPress: () => post({ type: "insert_at_cursor", text: text() }),
        }),
        copyButton(copyCode, text),
      ]
    : [];
  return h(
    "div",
    { class: "code-block" },
    h("div", { class: "code-bar" }, h("span", { class: "code-language" }, language), ...buttons),
    pre,
  );
}

function languageOf(code: Element | null): string {
  const name = [...(code?.classList ?? [])].find((token) => token.startsWith("language-"));
  return name?.slice("language-".length) ?? "";
}
