import vscode = require("vscode");
import type { ScriptedServer, ScriptedToolCall } from "../../support/scriptedServer";

/** Sets Loom to a server with these settings; the function that comes back undoes that and ends the server. */
export async function useServer(
  server: ScriptedServer,
  settings: Readonly<Record<string, unknown>>,
): Promise<() => Promise<void>> {
  // One form in all tests that do not say otherwise: which one `auto` takes depends on speeds. And no request but those of a test.
  const values = { address: server.url, "compaction.request": "isolated", preload: false, ...settings };
  await setLoom(values);
  return async () => {
    await setLoom(Object.fromEntries(Object.keys(values).map((name) => [name, undefined])));
    await server.close();
  };
}

/** Sets the person's own settings of Loom, by names without `loom.`; undefined takes one away. */
export async function setLoom(values: Readonly<Record<string, unknown>>): Promise<void> {
  for (const [name, value] of Object.entries(values)) {
    await vscode.workspace.getConfiguration("loom").update(name, value, vscode.ConfigurationTarget.Global);
  }
}

/** The next reply makes these calls, the ones after it are the answer. */
export function callOnce(server: ScriptedServer, ...toolCalls: readonly ScriptedToolCall[]): void {
  let isCalled = false;
  server.setBrain(() => {
    if (isCalled) return { content: "That was it." };
    isCalled = true;
    return { content: "", toolCalls };
  });
}
