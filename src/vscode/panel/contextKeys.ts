import vscode = require("vscode");
import { currentCompaction } from "../../shared/compactionView";
import type { ModelStatus } from "../../shared/protocol";
import type { SessionView } from "../../shared/view";

/** The conditions that `enablement` and `when` clauses of the manifest read, each under `loom.NAME`. */
interface ContextKeys {
  /** The agent works or waits for an answer. */
  readonly busy: boolean;
  readonly hasMessages: boolean;
  /** There is something to compact and the agent is idle. */
  readonly canCompact: boolean;
  /** The context begins with a compaction. */
  readonly hasSummary: boolean;
  /** A turn changed files, and the agent is idle. */
  readonly canRestore: boolean;
  /** An Ollama server answers. */
  readonly serverReachable: boolean;
  /** A model that can call tools is chosen and there. */
  readonly modelReady: boolean;
}

/** Tells the editor the conditions, each only when it changes. */
export class ContextKeySetter {
  readonly #told = new Map<string, boolean>();

  update(view: SessionView | undefined, status: ModelStatus): void {
    const keys: Readonly<Record<string, boolean>> = { ...contextKeysOf(view, status) };
    for (const [name, value] of Object.entries(keys)) {
      if (this.#told.get(name) === value) continue;
      this.#told.set(name, value);
      void vscode.commands.executeCommand("setContext", `loom.${name}`, value);
    }
  }
}

function contextKeysOf(view: SessionView | undefined, status: ModelStatus): ContextKeys {
  const busy = view !== undefined && view.phase.name !== "idle";
  const hasMessages = view?.entries.some(({ kind }) => kind === "user") ?? false;
  return {
    busy,
    hasMessages,
    canCompact: hasMessages && !busy,
    canRestore: !busy && (view?.entries.some((entry) => entry.kind === "turn_ended" && entry.kept) ?? false),
    hasSummary: view !== undefined && currentCompaction(view) !== undefined,
    serverReachable: status.state !== "checking" && status.state !== "unreachable",
    modelReady: status.state === "ready",
  };
}
