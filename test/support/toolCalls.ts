import assert from "node:assert/strict";
import type { CommandRequest, CommandResult, Shell, Workspace } from "../../src/core/ports";
import { createTools, type ToolPorts } from "../../src/core/tools";
import type { ToolContext, ToolRun } from "../../src/core/tools/tool";
import type { JsonValue } from "../../src/shared/events";
import type { ApprovalDecision, ApprovalQuestion } from "../../src/shared/live";

/** How a call is made in a test. */
export interface CallOptions {
  readonly maxCharacters?: number;
  /** The person's answer; without it every question is allowed. */
  readonly answer?: ApprovalDecision | Answer;
  readonly signal?: AbortSignal;
  readonly takeStock?: ToolContext["takeStock"];
}

/** What a call came to, with everything that the person was asked and shown. */
export interface CallResult extends ToolRun {
  readonly questions: readonly ApprovalQuestion[];
  readonly live: string;
}

type Answer = (
  question: ApprovalQuestion,
  signal: AbortSignal,
) => ApprovalDecision | Promise<ApprovalDecision>;

type Arguments = Readonly<Record<string, JsonValue>>;

/** A shell for tests that must not run anything: it notes what it is asked to run. */
export class FakeShell implements Shell {
  readonly folder: string | undefined;
  readonly requests: CommandRequest[] = [];

  constructor(
    private readonly result: Partial<CommandResult> = {},
    folder: string | null = "/ws",
  ) {
    this.folder = folder ?? undefined;
  }

  run(request: CommandRequest): Promise<CommandResult> {
    this.requests.push(request);
    return Promise.resolve({
      exitCode: 0,
      signal: null,
      endedBy: "itself",
      output: "",
      leftRunning: false,
      ...this.result,
    });
  }
}

/** Calls tools the way the agent does, on the given workspace and shell. */
export function toolCaller(
  workspace: Workspace,
  shell: Shell = new FakeShell(),
  more: Partial<ToolPorts> = {},
) {
  const tools = createTools({ workspace, shell, limits: { commandTimeLimitSeconds: 20 }, ...more });
  return async (name: string, input: Arguments, options: CallOptions = {}): Promise<CallResult> => {
    const tool = tools.find(({ schema }) => schema.name === name);
    assert.ok(tool, `there is a tool ${name}`);
    const prepared = tool.prepare(input);
    const questions: ApprovalQuestion[] = [];
    if ("error" in prepared) {
      return { outcome: "error", content: prepared.error, summary: "arguments", questions, live: "" };
    }
    let live = "";
    const answer = options.answer ?? { answer: "allow" };
    const context = {
      maxCharacters: options.maxCharacters ?? 8_000,
      ask: (question: ApprovalQuestion, signal: AbortSignal) => {
        questions.push(question);
        return Promise.resolve(typeof answer === "function" ? answer(question, signal) : answer);
      },
      onOutput: (text: string) => {
        live += text;
      },
      ...(options.takeStock && { takeStock: options.takeStock }),
    };
    const run = await prepared(context, options.signal ?? new AbortController().signal);
    return { ...run, questions, live };
  };
}
