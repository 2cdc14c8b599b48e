import { join } from "node:path";
import type { TestContext } from "node:test";
import { createTools } from "../../src/core/tools";
import { createShell } from "../../src/node/commands/shell";
import { readShellCommand } from "../../src/node/commands/shellSyntax";
import { CheckpointStore, type CheckpointOptions } from "../../src/node/files/checkpointStore";
import { doStep, stepsFor } from "../../src/node/files/turnFiles";
import type { RestoreStep } from "../../src/node/files/turnRestore";
import { createWorkspace } from "../../src/node/files/workspace";
import type { ToolCall } from "../../src/shared/events";
import { callOf, ScriptedModel } from "./scriptedModel";
import { startSession } from "./sessionFixture";
import { temporaryFolder } from "./temporaryFolder";

type Files = Readonly<Record<string, string | Uint8Array>>;

/** A session over real files, whose model makes each list of calls in a turn of its own. */
export async function play(
  context: TestContext,
  files: Files,
  turns: readonly (readonly ToolCall[])[],
  options: CheckpointOptions = {},
) {
  const folder = await temporaryFolder(context, files);
  const storage = await temporaryFolder(context);
  const workspace = createWorkspace(() => [{ name: "ws", path: folder }]);
  const shell = createShell(() => folder);
  const store = new CheckpointStore(storage, { list: workspace.files, ...options });
  const parts = { store, workspace };
  const readCommand = (command: string) => Promise.resolve(readShellCommand(command));
  const tools = createTools({ workspace, shell, limits: { commandTimeLimitSeconds: 20 }, readCommand });
  const replies = turns.flatMap((toolCalls) => [{ toolCalls }, { text: "Done." }]);
  const model = new ScriptedModel(replies);
  const fixture = startSession(model, { tools, checkpoints: store });
  const { session } = fixture;
  session.onEvent((event) => {
    if (event.type === "approval_asked") session.decide(event.callId, { answer: "allow" }, event.askId);
  });
  for (const [index] of turns.entries()) {
    session.send(`m${index}`, `turn ${index}`);
    await fixture.idle();
  }
  const turnIds = session.events.filter(({ type }) => type === "user_message").map(({ id }) => id);
  const pathOf = (name: string) => join(folder, name);
  return { ...fixture, model, tools, folder, storage, workspace, store, parts, turnIds, pathOf };
}

export type Played = Awaited<ReturnType<typeof play>>;

/** Takes a turn back, without questions. */
export async function restore(
  { parts, session }: Played,
  turnId: string | undefined,
  how: (step: RestoreStep) => "take" | "merge" = () => "take",
) {
  const steps = await stepsFor(parts, session, turnId ?? "");
  const done = [];
  for (const step of steps) done.push(await doStep(parts, step, how(step)));
  return { steps, done };
}

export const edit = (path: string, old_text: string, new_text: string) =>
  callOf("edit_file", { path, old_text, new_text });
export const bash = (command: string) => callOf("bash", { command });
