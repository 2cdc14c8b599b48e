import { afterEach } from "node:test";
import {
  startScriptedServer,
  type ScriptedServer,
  type ScriptedServerOptions,
} from "../../support/scriptedServer";

/** To be called at a file's top level: gives what starts the server of a test; `give` gets it, and after the test it is closed. */
export function useServer(
  give: (server: ScriptedServer) => void,
): (options?: ScriptedServerOptions) => Promise<ScriptedServer> {
  let server: ScriptedServer | undefined;
  afterEach(() => server?.close());
  return async (options = {}) => {
    server = await startScriptedServer(options);
    give(server);
    return server;
  };
}

/** A tool as a request offers it. */
export const READ_FILE = {
  type: "function",
  function: {
    name: "read_file",
    description: "Reads a file.",
    parameters: {
      type: "object",
      required: ["path"],
      properties: { path: { type: "string", description: "The path of the file." } },
    },
  },
};
