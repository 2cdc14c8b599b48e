import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { createWorkspace } from "../../src/node/files/workspace";
import { temporaryFolder } from "./temporaryFolder";
import { toolCaller } from "./toolCalls";

/** Edits files of a temporary folder with the real tool on the real disk. */
export async function editorOn(
  context: TestContext,
  files: Readonly<Record<string, string | Uint8Array>> = {},
) {
  const folder = await temporaryFolder(context, files);
  const workspace = createWorkspace(() => [{ name: "ws", path: folder }]);
  const call = toolCaller(workspace);
  const edit = (
    path: string,
    old_text: string,
    new_text: string,
    more: { readonly replace_all?: boolean } = {},
  ) => call("edit_file", { path, old_text, new_text, ...more });
  const bytesOf = (path: string) => readFile(join(folder, path));
  return { folder, workspace, call, edit, bytesOf };
}
