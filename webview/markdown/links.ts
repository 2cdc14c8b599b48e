import { h } from "../dom";
import { post } from "../hostApi";
import { icon } from "../icons";
import { strings } from "../strings";
import { spelledText } from "../visibleText";

/** Where a link leads: a web address, or a file by a path relative to the workspace. */
type Target =
  { readonly kind: "web"; readonly url: string } | { readonly kind: "file"; readonly path: string };

/** Makes the anchor of a Markdown link open its target when it is pressed; text remains where the target is neither web nor file. */
export function setLink(anchor: HTMLAnchorElement): void {
  const address = anchor.dataset["url"] ?? "";
  delete anchor.dataset["url"];
  const target = targetOf(address);
  if (target === undefined) {
    anchor.replaceWith(...anchor.childNodes);
    return;
  }
  setPressable(anchor, target);
}

/** Shows a picture of an answer as a description that opens its address when it is pressed. It is never loaded. */
export function setImage(element: HTMLElement): void {
  const target = targetOf(element.dataset["picture"] ?? "");
  const label = strings.transcript.picture(element.textContent ?? "");
  const isInsideLink = element.closest("a") !== null;
  const shown =
    target?.kind === "web" && !isInsideLink ? h("a", { class: "picture" }) : h("span", { class: "picture" });
  shown.append(icon("picture"), label);
  if (shown instanceof HTMLAnchorElement && target !== undefined) setPressable(shown, target);
  element.replaceWith(shown);
}

/** Text that opens a file of the workspace in the editor. */
export function fileLink(path: string): HTMLAnchorElement {
  const anchor = h("a", { class: "file-link" }, spelledText(path));
  setPressable(anchor, { kind: "file", path });
  return anchor;
}

function setPressable(anchor: HTMLAnchorElement, target: Target): void {
  // An anchor without an address: the editor would open an address itself, unasked.
  anchor.setAttribute("role", "link");
  anchor.tabIndex = 0;
  const { opensLink, opensFile } = strings.transcript;
  anchor.title = spelledText(target.kind === "web" ? opensLink(target.url) : opensFile(target.path));
  const open = (event: Event) => {
    event.preventDefault();
    event.stopPropagation();
    if (target.kind === "web") post({ type: "open_link", url: target.url });
    else post({ type: "open_file", path: target.path });
  };
  anchor.addEventListener("click", open);
  anchor.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.isComposing) open(event);
  });
}

function targetOf(address: string): Target | undefined {
  if (/^https?:/i.test(address)) {
    return URL.canParse(address) ? { kind: "web", url: new URL(address).href } : undefined;
  }
  const path = decoded(address.replace(/[?#].*$/s, ""));
  const isRelative = path !== "" && !/^(?:[a-z][\w+.-]*:|[\\/]{1,2})/i.test(path);
  return isRelative ? { kind: "file", path } : undefined;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
