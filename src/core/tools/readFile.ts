import type { NotText, TextFile } from "../ports";
import { formatCount, keepHead, keepLines, quantity, safeIndex } from "../window/truncate";
import { PATH_ALIASES, readArguments, toSchema } from "./arguments";
import type { ArgumentsOf } from "./arguments";
import { cancelled, failed } from "./outcomes";
import { plainName } from "./plainName";
import { notAFile, notFound, reach } from "./reach";
import type { ReachedPath, ReachPorts } from "./reach";
import type { Tool, ToolRun } from "./tool";

const FIELDS = {
  path: {
    type: "string",
    isRequired: true,
    aliases: PATH_ALIASES,
    example: "src/main.ts",
  },
  start_line: {
    type: "integer",
    isRequired: false,
    aliases: ["start", "from", "line_start", "from_line", "begin", "offset", "line"],
  },
  end_line: {
    type: "integer",
    isRequired: false,
    aliases: ["end", "to", "line_end", "to_line", "stop"],
  },
  start_character: {
    type: "integer",
    description: "In a very long line",
    isRequired: false,
    aliases: ["character", "start_column", "column"],
  },
} as const;

type ReadArguments = ArgumentsOf<typeof FIELDS>;

/** A part of a file that is to be shown; lines and characters count from 1. */
interface Part {
  readonly shown: string;
  readonly remark: string;
  readonly lines: readonly string[];
  readonly start: number;
  readonly end: number;
  readonly startCharacter: number;
}

/** `read_file`: the lines of a text file without line numbers, under one line that says which lines they are. */
export function createReadFileTool(ports: ReachPorts): Tool<ReadArguments> {
  const { workspace } = ports;
  return {
    schema: toSchema("read_file", "Read a text file or some of its lines", FIELDS),
    parse: (input) => readArguments("read_file", FIELDS, input),
    async run(input, context, signal) {
      const reached = await reach(ports, { path: input.path, access: "read" }, context, signal);
      if ("end" in reached) return reached.end;
      const { path } = reached;
      if (path.kind === "missing") return notFound(workspace, path);
      const problem = notAFile(path);
      if (problem) return problem;
      const file = await workspace.readText(path.absolute);
      if (signal.aborted) return cancelled();
      if ("reason" in file) return notText(path.shown, file);
      return showFile(path, file, input, context.maxCharacters);
    },
  };
}

/** Says what a file that has no text is, and how large. */
export function notText(shown: string, file: NotText): ToolRun {
  const size = quantity(file.bytes, "byte");
  const advice =
    file.reason === "too_large"
      ? " search_text does not search it either; use bash to look at a part of it."
      : "";
  return failed(`${plainName(shown)} was not read: ${file.description}, ${size}.${advice}`, file.description);
}

function showFile(path: ReachedPath, file: TextFile, input: ReadArguments, maxCharacters: number): ToolRun {
  const lines = splitLines(file.text);
  const facts = { kind: "read", path: path.shown, hash: file.hash } as const;
  const shown = plainName(path.shown);
  const range = checkRange(shown, lines, input);
  if ("error" in range) return failed(range.error, "no such lines");
  if (lines.length === 0) {
    return { outcome: "ok", content: `${shown} is empty (0 lines).`, summary: "empty file", facts };
  }
  const remarks = [file.encoding, file.hasUnsavedChanges ? "with unsaved changes" : undefined];
  const remark = remarks.filter((text) => text !== undefined).join(", ");
  const part: Part = { shown, remark, lines, ...range };
  const { content, last } = showPart(part, maxCharacters);
  const summary = `lines ${formatCount(range.start)}–${formatCount(last)} of ${formatCount(lines.length)}`;
  return { outcome: "ok", content, summary, facts };
}

function splitLines(text: string): readonly string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

type Range = Pick<Part, "start" | "end" | "startCharacter">;

function checkRange(
  shown: string,
  lines: readonly string[],
  input: ReadArguments,
): Range | { readonly error: string } {
  const total = lines.length;
  const {
    start_line: start = 1,
    end_line: end = Math.max(total, start),
    start_character: character = 1,
  } = input;
  const size = `${shown} has ${quantity(total, "line")}`;
  if (total === 0 && start <= 1) return { start: 1, end: 0, startCharacter: 1 };
  if (start < 1 || start > total) {
    const valid = total === 0 ? "it is empty" : `start_line must be from 1 to ${total}`;
    return { error: `${size}: ${valid} (start_line was ${start}).` };
  }
  if (end < start) return { error: `${size}: end_line (${end}) must not be before start_line (${start}).` };
  const length = lines[start - 1]?.length ?? 0;
  if (character < 1 || (character > 1 && character > length)) {
    return {
      error: `Line ${start} of ${shown} has ${quantity(length, "character")}: start_character was ${character}.`,
    };
  }
  return { start, end: Math.min(end, total), startCharacter: character };
}

function showPart(part: Part, maxCharacters: number): { readonly content: string; readonly last: number } {
  const total = part.lines.length;
  const first = part.lines[part.start - 1] ?? "";
  const from = safeIndex(first, part.startCharacter - 1);
  const lines = [first.slice(from), ...part.lines.slice(part.start, part.end)];
  const header = (last: number) => {
    const remark = part.remark === "" ? "" : ` (${part.remark})`;
    const begin = from > 0 ? ` from character ${formatCount(from + 1)}` : "";
    return `${part.shown} lines ${part.start}–${last} of ${total}${begin}${remark}\n`;
  };
  const room = maxCharacters - header(part.end).length;
  const { text, shown } = keepLines(lines, room, (count) => {
    const next = part.start + count;
    return `[${quantity(total - next + 1, "line")} left; read on with start_line=${next}]`;
  });
  if (shown === 0) return showLongLine(part, from, maxCharacters);
  const last = part.start + shown - 1;
  return { content: `${header(last)}${text}`, last };
}

/** One line that does not fit whole is cut by size; the next part is had by start_character. */
function showLongLine(
  part: Part,
  from: number,
  maxCharacters: number,
): { readonly content: string; readonly last: number } {
  const line = part.lines[part.start - 1] ?? "";
  const length = formatCount(line.length);
  const header = `${part.shown} line ${part.start} of ${part.lines.length}: one line of ${length} characters\n`;
  const notice = (end: number) =>
    `\n[characters ${formatCount(from + 1)}–${formatCount(end)} of ${length}; read on with start_line=${part.start}, start_character=${end + 1}; search_text finds places in it]`;
  const room = Math.max(1, maxCharacters - header.length - notice(line.length).length);
  const end = safeIndex(line, from + room);
  return {
    content: keepHead(`${header}${line.slice(from, end)}${notice(end)}`, maxCharacters),
    last: part.start,
  };
}
