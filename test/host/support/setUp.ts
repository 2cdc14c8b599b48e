import vscode = require("vscode");
import {
  startScriptedServer,
  type ScriptedServer,
  type ScriptedServerOptions,
} from "../../support/scriptedServer";
import { Panel } from "./panel";
import { useServer } from "./scripted";

/** What the tests of a suite work with. */
export interface SetUp {
  /** The window that the tests run in. */
  readonly panel: Panel;
  /** The server that Loom is set to. */
  readonly server: ScriptedServer;
}

export interface SetUpOptions {
  /** What the scripted server has and does. */
  readonly server?: ScriptedServerOptions;
  /** Starts a server in place of a scripted one. */
  readonly startServer?: () => Promise<ScriptedServer>;
  /** Loom's settings, by names without `loom.`, besides the address; the model is `scripted` if they do not name one. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Undoes, while both are still there, what the tests did besides. */
  readonly after?: () => PromiseLike<unknown>;
}

type Give = (setUp: SetUp) => void;

/** To be called in a suite: `give` gets the panel, open in a window without editors, and its server before the first test; both are let go of after the last. */
export function usePanel(give: Give, options: SetUpOptions = {}): void {
  const { startServer = () => startScriptedServer(options.server), settings } = options;
  let panel: Panel | undefined;
  let stop: (() => Promise<void>) | undefined;
  before(async () => {
    panel = await Panel.connect();
    const server = await startServer();
    stop = await useServer(server, { model: "scripted", ...settings });
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    await vscode.commands.executeCommand("notifications.clearAll");
    await panel.open();
    give({ panel, server });
  });
  after(async () => {
    await options.after?.();
    await stop?.();
    await panel?.close();
  });
}

/** As `usePanel`; each test also begins with a session of its own, no open editor, and a server that says “OK.”. */
export function useSessions(give: Give, options: SetUpOptions = {}): void {
  let setUp: SetUp;
  usePanel((given) => {
    setUp = given;
    give(given);
  }, options);
  beforeEach(async () => {
    setUp.server.setBrain(() => ({ content: "OK." }));
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
    await setUp.panel.startSession();
  });
}
