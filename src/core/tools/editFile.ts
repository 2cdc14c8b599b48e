import type { FileChange, TextFile, Workspace } from "../ports";
import { keepHead } from "../window/truncate";
import { PATH_ALIASES, readArguments, toSchema } from "./arguments";
import type { ArgumentsOf } from "./arguments";
import { applyReplacements, planEdit, toLineFeeds } from "./editPlan";
import type { EditPlan } from "./editPlan";
import { describeEdit } from "./editResult";
import { diffLines } from "./lineDiff";
import { nearestText } from "./nearestText";
import { cancelled, denied, failed } from "./outcomes";
import { plainName } from "./plainName";
import { notAFile, notFound, reach } from "./reach";
import type { ReachedPath, ReachPorts } from "./reach";
import { notText } from "./readFile";
import type { Tool, ToolContext, ToolRun } from "./tool";

const FIELDS = {
  path: {
    type: "string",
    isRequired: true,
    aliases: PATH_ALIASES,
    example: "src/main.ts",
  },
  old_text: {
    type: "string",
    description: "Exact and unique; empty for a new file",
    isRequired: true,
    aliases: ["old_string", "old_str", "old", "old_content", "search", "find", "before"],
    example: "const a = 1;",
    // Left out, it can only mean a new file; an existing one with content is refused for it.
    fallback: "",
  },
  new_text: {
    type: "string",
    isRequired: true,
    aliases: [
      "new_string",
      "new_str",
      "new",
      "new_content",
      "replacement",
      "replace",
      "after",
      "content",
      "text",
    ],
    example: "const a = 2;",
  },
  replace_all: {
    type: "boolean",
    isRequired: false,
    aliases: ["all", "replace_all_occurrences", "global"],
  },
} as const;

type EditArguments = ArgumentsOf<typeof FIELDS>;

/** A change that has been worked out but not agreed to. */
interface Proposal {
  readonly path: ReachedPath;
  readonly change: FileChange;
  readonly isTolerant: boolean;
}

/** How often a change is worked out anew because the file changed while the person was asked. */
const MOST_ATTEMPTS = 20;

/** `edit_file`: replaces text in a file, or makes a new one, after the person has agreed to the whole diff. */
export function createEditFileTool(ports: ReachPorts): Tool<EditArguments> {
  return {
    schema: toSchema("edit_file", "Replace text in a file or make a new file", FIELDS),
    asks: true,
    parse: (input) => readArguments("edit_file", FIELDS, input),
    async run(input, context, signal) {
      const reached = await reach(ports, { path: input.path, access: "write" }, context, signal);
      if ("end" in reached) return reached.end;
      for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt += 1) {
        const path = attempt === 1 ? reached.path : await again(ports.workspace, reached.path);
        const isAgain = attempt > 1;
        const run = await attemptEdit(ports.workspace, { path, input, isAgain }, context, signal);
        if (run !== "changed") return run;
      }
      return failed(
        `${plainName(reached.path.shown)} keeps changing; nothing was changed.`,
        "keeps changing",
      );
    },
  };
}

interface Attempt {
  readonly path: ReachedPath;
  readonly input: EditArguments;
  readonly isAgain: boolean;
}

/** The same path as it is by now. */
async function again(workspace: Workspace, path: ReachedPath): Promise<ReachedPath> {
  const now = await workspace.resolve(path.absolute);
  return now.place !== "no_folder" && now.absolute === path.absolute ? now : { ...path, kind: "other" };
}

async function attemptEdit(
  workspace: Workspace,
  { path, input, isAgain }: Attempt,
  context: ToolContext,
  signal: AbortSignal,
): Promise<ToolRun | "changed"> {
  const problem = notAFile(path);
  if (problem) return problem;
  const proposal = await propose(workspace, path, input, context.maxCharacters);
  if (signal.aborted) return cancelled("Stopped by the person; the file was not changed.");
  if (!("outcome" in proposal)) return askAndWrite(workspace, { ...proposal, isAgain }, context, signal);
  if (!isAgain) return proposal;
  return { ...proposal, content: `The file changed while the person was asked. ${proposal.content}` };
}

async function propose(
  workspace: Workspace,
  path: ReachedPath,
  input: EditArguments,
  maxCharacters: number,
): Promise<Proposal | ToolRun> {
  if (path.kind === "missing") {
    if (input.old_text !== "") return notFound(workspace, path);
    return { path, change: { path, before: null, after: toLineFeeds(input.new_text) }, isTolerant: false };
  }
  const file = await workspace.readText(path.absolute);
  if ("reason" in file) return notText(path.shown, file);
  if (input.old_text === "") return fillEmpty(path, file, input.new_text);
  const edit = { oldText: input.old_text, newText: input.new_text, replaceAll: input.replace_all ?? false };
  const plan = planEdit(file.text, edit);
  if (plan.type !== "replace") {
    const misfit = { shown: plainName(path.shown), text: file.text, oldText: toLineFeeds(input.old_text) };
    return refusal(plan, misfit, maxCharacters);
  }
  const { replacements, isTolerant } = plan;
  const after = applyReplacements(file.text, replacements);
  if (after === file.text) {
    return failed(`${plainName(path.shown)} already reads like new_text; nothing was changed.`, "no change");
  }
  return { path, change: { path, before: file.text, after, replacements }, isTolerant };
}

function fillEmpty(path: ReachedPath, file: TextFile, newText: string): Proposal | ToolRun {
  if (file.text === "" && newText !== "") {
    const text = toLineFeeds(newText);
    const replacements = [{ start: 0, end: 0, text }];
    return { path, change: { path, before: "", after: text, replacements }, isTolerant: false };
  }
  if (newText === "")
    return failed(
      `${plainName(path.shown)} exists and both texts are empty; nothing was changed.`,
      "no change",
    );
  return failed(
    `${plainName(path.shown)} exists and is not empty, so old_text must not be empty; nothing was changed. To append, give the last line of the file as old_text, and that line followed by the new lines as new_text.`,
    "old_text is empty",
  );
}

/** A text that an edit does not fit. */
interface Misfit {
  readonly shown: string;
  readonly text: string;
  readonly oldText: string;
}

function refusal(
  plan: Exclude<EditPlan, { readonly type: "replace" }>,
  { shown, text, oldText }: Misfit,
  maxCharacters: number,
): ToolRun {
  if (plan.type === "several") {
    const count = plan.lines.length;
    const lines = plan.lines.slice(0, 20).join(", ") + (count > 20 ? ", …" : "");
    const [how, way] = plan.isTolerant
      ? [", but for blanks or quotes", "Copy the text exactly, with more lines around the right one."]
      : ["", "Give more lines around the right one, or set replace_all."];
    return failed(
      `old_text occurs ${count} times in ${shown} (lines ${lines})${how}; nothing was changed. ${way}`,
      `${count} matches`,
    );
  }
  const start = `old_text was not found in ${shown}; nothing was changed.`;
  const nearest = nearestText(text, oldText);
  if (!nearest) return failed(`${start} Read the file again.`, "not found");
  const { difference, line, lines } = nearest;
  const marked = difference
    ? `\nLine ${difference.line} differs: the file has ${quoted(difference.inFile)}, old_text has ${quoted(difference.wanted)}.`
    : "";
  const heading = `${start} The nearest text, from line ${line}:\n`;
  const room = maxCharacters - heading.length - marked.length;
  return failed(`${heading}${keepHead(lines.join("\n"), Math.max(0, room))}${marked}`, "not found");
}

function quoted(line: string): string {
  return JSON.stringify(keepHead(line, 200));
}

/** Asks and writes what was shown; `changed` when the file is by now not what the question was about. */
async function askAndWrite(
  workspace: Workspace,
  { path, change, isTolerant, isAgain }: Proposal & { readonly isAgain: boolean },
  context: ToolContext,
  signal: AbortSignal,
): Promise<ToolRun | "changed"> {
  const { before, after } = change;
  const proposed = diffLines(path.shown, before, after);
  const question = {
    kind: "edit",
    path: path.shown,
    ...proposed,
    isNew: before === null,
    ...(isAgain && { isAgain }),
  } as const;
  const withdrawn = new AbortController();
  const stopWatching = watch(workspace, change, () => withdrawn.abort());
  const decision = await context
    .ask(question, AbortSignal.any([signal, withdrawn.signal]))
    .finally(stopWatching);
  if (signal.aborted) return cancelled("Stopped by the person; the file was not changed.");
  if (withdrawn.signal.aborted && decision.answer === "deny") return "changed";
  if (decision.answer === "deny") return denied(`${plainName(path.shown)} was not changed.`, decision.reason);
  await context.keep?.([path], true);
  const written = await workspace.write(change);
  if ("error" in written) {
    await context.noteNotWritten?.([path]);
    if (written.isChanged === true) return "changed";
    return failed(`${plainName(path.shown)} was not changed: ${written.error}`, "not written");
  }
  await context.noteWritten?.([path]);
  return describeEdit({ shown: path.shown, before, after, isTolerant }, written, context.maxCharacters);
}

/** Calls back when the file no longer holds the text that a change is made from. */
function watch(workspace: Workspace, { path, before }: FileChange, onChanged: () => void): () => void {
  const look = async (): Promise<void> => {
    const now = await workspace.readText(path.absolute);
    const text = "text" in now ? now.text : null;
    if (text !== before) onChanged();
  };
  return workspace.onChange?.(path.absolute, () => void look().catch(() => undefined)) ?? (() => undefined);
}
