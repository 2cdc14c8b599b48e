import type { ToolCall } from "../../shared/events";
import { isObject, objectOf, parseJson, textOf, type JsonObject } from "../wire/json";

/** What a reply without calls turns out to be: the calls that stand in it, and the text without them. */
export interface CallsInText {
  readonly calls: readonly ToolCall[];
  readonly text: string;
}

type Call = Pick<ToolCall, "name" | "arguments">;

/**
 * A call or several in the tags that chat templates use, at the end of a reply. No tag is looked for beyond the next one: a model that
 * repeats one without end would make that take minutes.
 */
const TAGGED = /(?:<tool_call>(?:(?!<\/?tool_call>).)*<\/tool_call>\s*)+$/s;
const FUNCTIONS = /(?:<function=[\w.-]+>(?:(?!<\/?function[=>]).)*<\/function>\s*)+$/s;

/**
 * The calls that a model wrote as text: the whole reply, without a code fence around it, is a call of an offered tool or a list of
 * such, or it ends with calls in `<tool_call>` or `<function=…>` tags. Otherwise undefined, since an answer that only mentions a call
 * must stay an answer.
 */
export function callsInText(text: string, toolNames: ReadonlySet<string>): CallsInText | undefined {
  const trimmed = text.trim();
  const tagged = TAGGED.exec(trimmed) ?? FUNCTIONS.exec(trimmed) ?? undefined;
  const before = tagged === undefined ? "" : trimmed.slice(0, tagged.index);
  // Tags in a code block that is still open are an example.
  if ((before.match(/^[ \t]*(```|~~~)/gm) ?? []).length % 2 === 1) return undefined;
  const calls = tagged === undefined ? callsIn(withoutFence(trimmed)) : callsInTags(tagged[0]);
  if (calls === undefined || calls.length === 0) return undefined;
  if (!calls.every(({ name }) => toolNames.has(name))) return undefined;
  return {
    calls: calls.map((call, index) => ({ id: `call_${index + 1}`, ...call, isRecovered: true })),
    text: before.trim(),
  };
}

function withoutFence(text: string): string {
  return /^```[a-z_]*\n(.*)\n```$/s.exec(text)?.[1] ?? text;
}

function callsInTags(text: string): readonly Call[] | undefined {
  const bodies = text.includes("<tool_call>") ? text.split(/<\/?tool_call>/) : [text];
  const calls = bodies.filter((body) => body.trim() !== "").map((body) => callsIn(body.trim()));
  return calls.every((call) => call !== undefined) ? calls.flat() : undefined;
}

/** The calls in one JSON value or in `<function=…>` tags; undefined when there is anything else. */
function callsIn(text: string): readonly Call[] | undefined {
  if (text.startsWith("<function=")) return functionsIn(text);
  const value = parseJson(text);
  const calls = (Array.isArray(value) ? (value as readonly unknown[]) : [value]).map(callOf);
  return calls.every((call) => call !== undefined) ? calls : undefined;
}

function callOf(value: unknown): Call | undefined {
  const outer = objectOf(value);
  const call = isObject(outer["function"]) ? outer["function"] : outer;
  const name = textOf(call["name"]);
  const given = call["arguments"] ?? call["parameters"];
  const parsed = typeof given === "string" ? parseJson(given) : given;
  return name !== undefined && isObject(parsed) ? { name, arguments: parsed } : undefined;
}

/** `<function=NAME><parameter=KEY>value</parameter></function>`: values are as they stand, without the line ends around them. */
function functionsIn(text: string): readonly Call[] | undefined {
  const calls: Call[] = [];
  const rest = text.replace(
    /<function=([\w.-]+)>((?:(?!<\/?function[=>]).)*)<\/function>/gs,
    (_, name: string, body: string) => {
      const values: Record<string, string> = {};
      const other = body.replace(
        /<parameter=([\w.-]+)>((?:(?!<\/?parameter[=>]).)*)<\/parameter>/gs,
        (__, key: string, value: string) => {
          values[key] = value.replace(/^\n|\n$/g, "");
          return "";
        },
      );
      if (other.trim() === "") calls.push({ name, arguments: values satisfies JsonObject });
      return other;
    },
  );
  return rest.trim() === "" ? calls : undefined;
}
