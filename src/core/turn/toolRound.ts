import type { ToolCall, ToolResult } from "../../shared/events";
import type { ApprovalQuestion } from "../../shared/live";
import type { Approvals } from "../approvals/approvals";
import { rereadRemark, type HashOf } from "../log/files";
import type { Journal } from "../log/journal";
import { cleanPath, PATH_ALIASES } from "../tools/arguments";
import { denied } from "../tools/outcomes";
import type { AnyTool, PreparedTool, ToolRun } from "../tools/tool";
import { cutToTokens } from "../window/cutToTokens";
import type { Rates } from "../window/estimate";
import type { Checkpoints } from "./checkpoints";
import { keepFor } from "./keepFiles";

export interface ToolRoundInput {
  readonly calls: readonly ToolCall[];
  readonly tools: readonly AnyTool[];
  readonly journal: Journal;
  readonly approvals: Approvals;
  readonly hashOf: HashOf | undefined;
  readonly checkpoints: Checkpoints | undefined;
  readonly rates: Rates;
  readonly now: () => number;
  /** The most tokens that the result of the next call may have, when `callsLeft` calls with it are still to run. */
  readonly budget: (callsLeft: number) => number;
  readonly describeError: (error: unknown) => string;
}

export interface ToolRoundOutcome {
  /** The calls with their results: equal for rounds that are alike. */
  readonly signature: string;
  /** True when no call could even be started: unknown tools or arguments that cannot be used. */
  readonly isAllInvalid: boolean;
}

/** A careful figure for source code; a result that is denser is cut once more by its estimate. */
const CHARACTERS_PER_TOKEN = 3;

/** Runs the calls of one reply in their order. Every call gets exactly one result, whatever happens, also after a stop. */
export async function runToolRound(input: ToolRoundInput, signal: AbortSignal): Promise<ToolRoundOutcome> {
  const results: string[] = [];
  let invalid = 0;
  for (const [index, call] of input.calls.entries()) {
    const prepared = prepare(call, input.tools);
    if (!("run" in prepared)) invalid++;
    const tokens = input.budget(input.calls.length - index);
    const run =
      "run" in prepared ? await runRemarked(input, call, { run: prepared.run, tokens }, signal) : prepared;
    const why = "no room; ask for a smaller part";
    const content = cutToTokens(run.content, tokens, input.rates, why);
    const result: ToolResult = {
      type: "tool_result",
      callId: call.id,
      name: call.name,
      outcome: run.outcome,
      content,
      summary: run.summary,
      ...(run.facts === undefined ? {} : { facts: run.facts }),
    };
    input.journal.append(result);
    results.push(JSON.stringify([call.name, call.arguments, content]));
  }
  return { signature: results.join("\n"), isAllInvalid: invalid === input.calls.length };
}

/** How long the remark on a file that is edited unread can be, in characters beside its path. */
const REMARK_CHARACTERS = 140;

/** Runs a call; the result of an edit says first when the context no longer held the file. */
async function runRemarked(
  input: ToolRoundInput,
  call: ToolCall,
  { run, tokens }: { readonly run: PreparedTool; readonly tokens: number },
  signal: AbortSignal,
): Promise<ToolRun> {
  const { events } = input.journal;
  const path = call.name === "edit_file" ? pathIn(call) : undefined;
  if (path === undefined || !events.some(({ type }) => type === "compacted")) {
    return runOne(input, call, { run, maxCharacters: charactersFor(tokens) }, signal);
  }
  const hash = await input.hashOf?.(path).catch(() => undefined);
  const maxCharacters = Math.max(LEAST_CHARACTERS, charactersFor(tokens) - path.length - REMARK_CHARACTERS);
  const result = await runOne(input, call, { run, maxCharacters }, signal);
  const { outcome, facts } = result;
  if (facts?.kind === "edit" && facts.isNew) return result;
  const wasRead = outcome === "ok" || (outcome === "error" && hash !== undefined);
  if (!wasRead) return result;
  const remark = rereadRemark(events, facts?.kind === "edit" ? facts.path : path, hash);
  return remark === undefined ? result : { ...result, content: `${remark}\n${result.content}` };
}

/** The path that a call names, as far as it can be told without the tool. */
function pathIn({ arguments: input }: ToolCall): string | undefined {
  const path = ["path", ...PATH_ALIASES]
    .map((name) => input[name])
    .find((value) => typeof value === "string");
  return typeof path === "string" ? cleanPath(path).replace(/^\.\//, "") : undefined;
}

/** Every result has room for a sentence. */
const LEAST_CHARACTERS = 200;

function charactersFor(tokens: number): number {
  return Math.max(LEAST_CHARACTERS, tokens * CHARACTERS_PER_TOKEN);
}

/** What a call is about, in one line. */
function targetOf(call: ToolCall): string {
  const texts = Object.values(call.arguments).filter((value) => typeof value === "string");
  return texts.map(firstLine).join(" · ");
}

const CANCELLED: ToolRun = {
  outcome: "cancelled",
  content: "Cancelled by the user before it ran.",
  summary: "cancelled",
};

async function runOne(
  input: ToolRoundInput,
  call: ToolCall,
  { run, maxCharacters }: { readonly run: PreparedTool; readonly maxCharacters: number },
  signal: AbortSignal,
): Promise<ToolRun> {
  if (signal.aborted) return CANCELLED;
  const { journal, now } = input;
  const showRunning = () => {
    journal.emit({ type: "phase_changed", phase: { name: "tool", since: now(), callId: call.id } });
  };
  journal.emit({ type: "tool_started", callId: call.id });
  showRunning();
  // What the tool is about to do must be on disk before it does it.
  await journal.flushed();
  const isRecovered = call.isRecovered === true;
  const ask = async (question: ApprovalQuestion, stop: AbortSignal) => {
    const marked = isRecovered ? { ...question, isRecovered } : question;
    const decision = await input.approvals.ask(call.id, marked, stop);
    showRunning();
    return decision;
  };
  const onOutput = (text: string) => journal.emit({ type: "tool_output", callId: call.id, text });
  const keeping = input.checkpoints && keepFor(journal, input.checkpoints);
  const asks = input.tools.find(({ schema }) => schema.name === call.name)?.asks === true;
  if (isRecovered && !asks) {
    const decision = await ask({ kind: "recovered", tool: call.name, target: targetOf(call) }, signal);
    if (signal.aborted) return CANCELLED;
    if (decision.answer === "deny") return denied(`${call.name} was not run.`, decision.reason);
  }
  try {
    return await run({ maxCharacters, ask, onOutput, ...keeping }, signal);
  } catch (error) {
    const content = signal.aborted
      ? "Cancelled by the user."
      : `The tool failed: ${input.describeError(error)}`;
    return { outcome: signal.aborted ? "cancelled" : "error", content, summary: firstLine(content) };
  }
}

function prepare(call: ToolCall, tools: readonly AnyTool[]): { readonly run: PreparedTool } | ToolRun {
  const tool = tools.find(({ schema }) => schema.name === call.name);
  if (tool === undefined) {
    const names = tools.map(({ schema }) => schema.name).join(", ");
    return refusal(`There is no tool named "${call.name}". The tools are: ${names}.`);
  }
  if (call.unreadableArguments !== undefined) {
    const form = JSON.stringify(Object.keys(tool.schema.parameters.properties));
    return refusal(
      `The arguments of ${call.name} are not a JSON object. Send an object with these fields: ${form}.`,
    );
  }
  const prepared = tool.prepare(call.arguments);
  return "error" in prepared ? refusal(prepared.error) : { run: prepared };
}

function refusal(content: string): ToolRun {
  return { outcome: "error", content, summary: firstLine(content) };
}

function firstLine(text: string): string {
  return text.split("\n", 1)[0] ?? "";
}
