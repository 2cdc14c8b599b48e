import * as vscode from "vscode";
import {
  startScriptedServer,
  type ScriptedServer,
  type ScriptedServerOptions,
} from "../../support/scriptedServer";

/** Starts a scripted server with one model and sets Loom to it; `stop` undoes both. */
export async function useScriptedServer(
  options: ScriptedServerOptions = {},
): Promise<{ readonly server: ScriptedServer; stop(): Promise<void> }> {
  const server = await startScriptedServer(options);
  await setLoom({ address: server.url, model: "scripted" });
  return {
    server,
    async stop() {
      await setLoom({ address: undefined, model: undefined });
      await server.close();
    },
  };
}

/** Sets the person's own settings of Loom, by names without `loom.`; undefined takes one away. */
export async function setLoom(values: Readonly<Record<string, unknown>>): Promise<void> {
  for (const [name, value] of Object.entries(values)) {
    await vscode.workspace.getConfiguration("loom").update(name, value, vscode.ConfigurationTarget.Global);
  }
}
