import type { Compacted, ToolCall } from "../shared/events";
import type { CompactingPhase, Meter, SessionEvent } from "../shared/live";
import type { KeptTurn, TurnFile } from "../shared/sessionView";

/** Where the front end writes. */
export type Print = (text: string) => void;

/** What a terminal takes for orders, and what turns the order of signs on a line. */
const ORDERS = /(?![\n\t])\p{Cc}|[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;

/** A printer to which words of a model, contents and names are only text; what stands inside a JSON text keeps its meaning. */
export function withoutOrders(print: Print): Print {
  const spelled = (sign: string) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return (text) => print(text.replaceAll("\r\n", "\n").replace(ORDERS, spelled));
}

/** A printer of session events as plain text, as in a terminal chat. */
export function plainPrinter(print: Print): (event: SessionEvent) => void {
  let meter: Meter | undefined;
  let isLineOpen = false;
  let isCompacting = false;
  const write = (text: string) => {
    print(text);
    isLineOpen = !text.endsWith("\n");
  };
  const writeLine = (line: string) => write(`${isLineOpen ? "\n" : ""}${line}\n`);
  return (event) => {
    if (event.type === "meter_changed") meter = event.meter;
    if (event.type === "reply_delta" && event.text !== "") write(event.text);
    linesOf(event).forEach(writeLine);
    if (event.type === "phase_changed") {
      // Progress is told often; a line is printed once for each compaction.
      const { phase } = event;
      if (phase.name === "compacting" && !isCompacting) writeLine(compactingLine(phase));
      isCompacting = phase.name === "compacting";
    }
    if (event.type === "turn_ended" && meter !== undefined) writeLine(meterLine(meter));
  };
}

function linesOf(event: SessionEvent): string[] {
  switch (event.type) {
    case "assistant_message": {
      const cut = event.end === "cut_by_length" ? ["(the reply was cut: no room left)"] : [];
      const partial = event.end === "stopped" || event.end === "failed" ? ["(the reply is incomplete)"] : [];
      return [...cut, ...partial, ...event.toolCalls.map((call) => `⚙ ${describeCall(call)}`)];
    }
    case "tool_result":
      return [`  ${event.outcome === "ok" ? "" : `${event.outcome}: `}${event.summary}`];
    case "compacted":
      return [compactedLine(event)];
    case "turn_restored":
      return [
        `[files taken back: ${event.files.map(({ path, how }) => `${path} (${how})`).join(", ")}; /restore undo brings them back]`,
      ];
    case "compaction_undone":
      return ["[compaction undone]"];
    case "compaction_failed":
      return [`[not compacted: ${event.message}]`];
    case "notice":
      return [`[${event.level}: ${event.text}]`];
    case "turn_ended": {
      if (event.reason === "done" && event.message === undefined) return [];
      return [
        `[${event.reason.replaceAll("_", " ")}: ${event.failure?.message ?? event.message ?? "ended"}]`,
      ];
    }
    default:
      return [];
  }
}

function compactingLine({ messages, used, window }: CompactingPhase): string {
  return `[compacting ${messages} messages, ctx ${used}/${window}]`;
}

function compactedLine(event: Compacted): string {
  const { messagesSummarised, before, afterTokens, durationMs, predictedMs, form, trigger } = event;
  const fall = `ctx ${before.tokens} → ~${afterTokens}`;
  const expected = predictedMs === undefined ? "" : ` (${seconds(predictedMs)} expected)`;
  const how = `${form.replaceAll("_", " ")}, ${seconds(durationMs)}${expected}`;
  return `[compacted ${messagesSummarised} messages, ${fall}, ${how}, ${trigger.replaceAll("_", " ")}]`;
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}

/** More files than this are counted only. */
const MOST_NAMED = 6;

/** What a turn changed in files, and what of it cannot be restored. */
export function keptLine({ files, more = 0, isCut = false }: KeptTurn): string {
  const name = ({ path, was, reason = "" }: TurnFile) =>
    was === "not_kept" ? `${path} (cannot be restored: ${reason})` : path;
  const rest = Math.max(0, files.length - MOST_NAMED) + more;
  const named = [...files.slice(0, MOST_NAMED).map(name), ...(rest > 0 ? [`${rest} more`] : [])];
  const unknown = isCut ? "; of a large workspace not all is looked at" : "";
  return `[changed: ${named.join(", ")}; /restore takes it back${unknown}]`;
}

/** `[ctx 746/4096]`, with `~` while the count is an estimate and a warning above the threshold. */
export function meterLine({ used, window, level }: Meter): string {
  const warning = level === "ok" ? "" : level === "near" ? ", context nearly full" : ", context full";
  return `[ctx ${used.estimated ? "~" : ""}${used.tokens}/${window}${warning}]`;
}

/** Events that change the log, one line of JSON each. */
export function jsonPrinter(print: Print): (event: SessionEvent) => void {
  return (event) => {
    if ("v" in event) print(`${JSON.stringify(event)}\n`);
  };
}

function describeCall({ name, arguments: input }: ToolCall): string {
  const shown = Object.values(input).map((value) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return text.length > 60 ? `${text.slice(0, 57).replaceAll("\n", "⏎")}…` : text.replaceAll("\n", "⏎");
  });
  return `${name}(${shown.join(", ")})`;
}
