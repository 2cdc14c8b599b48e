import "./styles.css";
import { isToPage } from "../src/shared/protocol";
import { post } from "./hostApi";
import { Page } from "./page";
import { registerToolkit } from "./toolkit";

/** More errors than this are of the same origin and tell nothing new. */
const MOST_ERRORS = 20;
/** The host logs the message; a longer one (characters) is cut. */
const LONGEST_ERROR = 4_000;

let errors = 0;

function reportError(error: unknown): void {
  errors += 1;
  if (errors > MOST_ERRORS) return;
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  post({ type: "page_error", message: text.slice(0, LONGEST_ERROR) });
}

window.addEventListener("error", (event) => reportError(event.error ?? event.message));
window.addEventListener("unhandledrejection", (event) => reportError(event.reason));

registerToolkit();
const root = document.getElementById("root");
if (root === null) throw new Error("The document has no element with the id root.");
const page = new Page(root);
window.addEventListener("message", (event: MessageEvent<unknown>) => {
  if (isToPage(event.data)) page.receive(event.data);
  else
    reportError(`The host sent a message that the page does not understand: ${JSON.stringify(event.data)}`);
});
post({ type: "ready" });
