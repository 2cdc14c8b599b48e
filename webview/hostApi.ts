import type { FromPage, PageCommand } from "../src/shared/protocol";
import type { SteeringAction } from "../src/shared/steeringActions";

// The editor hands the connection out once per document.
const api = acquireVsCodeApi<unknown>();

/** Sends one message to the extension host. */
export function post(message: FromPage): void {
  api.postMessage(message);
}

/** Asks the host to run one of its commands. */
export function runCommand(command: PageCommand, argument = ""): void {
  post({ type: "command", command, argument });
}

/** Asks the host to do something to compactions, pins or the context. */
export function steer(action: SteeringAction): void {
  post({ type: "steer", action });
}

/** What was last saved for this view, from this or an earlier document; any shape, since older versions wrote it too. */
export function savedState(): unknown {
  return api.getState();
}

/** Keeps `state` (JSON) for the next document of this view, also over a reload of the window. */
export function saveState(state: unknown): void {
  api.setState(state);
}
