import type { ReadCommand } from "../approvals/commandSyntax";
import type { IsSecret } from "../approvals/secrets";
import type { Shell, Workspace } from "../ports";
import { keepHead } from "../window/truncate";
import { createBashTool } from "./bash";
import type { ToolLimits } from "./bash";
import { createEditFileTool } from "./editFile";
import { createListFilesTool } from "./listFiles";
import { cancelled, failed } from "./outcomes";
import { createReadFileTool } from "./readFile";
import { createSearchTextTool } from "./searchText";
import { toAnyTool } from "./tool";
import type { AnyTool, Tool } from "./tool";

export type { ToolLimits } from "./bash";

/** What the tools work with. */
export interface ToolPorts {
  readonly workspace: Workspace;
  readonly shell: Shell;
  /** Read anew for each call, so that an object with getters follows the settings. */
  readonly limits: ToolLimits;
  /** Takes commands apart for the approval and the allow list. */
  readonly readCommand?: ReadCommand;
  /** Which files are asked about before they are read or changed; none when absent. */
  readonly isSecret?: IsSecret;
}

/** All tools, in an order that never changes: their schemas are the same bytes in every request. */
export function createTools(ports: ToolPorts): readonly AnyTool[] {
  return [
    toAnyTool(guarded(createReadFileTool(ports))),
    toAnyTool(guarded(createListFilesTool(ports))),
    toAnyTool(guarded(createSearchTextTool(ports))),
    toAnyTool(guarded(createEditFileTool(ports))),
    toAnyTool(guarded(createBashTool(ports))),
  ];
}

/** Holds what every tool promises: an end soon after a stop, no exception, no result above its size. */
function guarded<Arguments>(tool: Tool<Arguments>): Tool<Arguments> {
  return {
    ...tool,
    async run(input, context, signal) {
      if (signal.aborted) return cancelled();
      try {
        const result = await tool.run(input, context, signal);
        return { ...result, content: keepHead(result.content, context.maxCharacters) };
      } catch (error) {
        if (signal.aborted) return cancelled();
        const message = error instanceof Error ? error.message : String(error);
        return failed(keepHead(`${tool.schema.name} failed: ${message}`, context.maxCharacters), "failed");
      }
    },
  };
}
