import type { ToolCall } from "../shared/events";
import { isObject, listOf, objectOf, parseJson, textOf, type JsonObject } from "./json";

/**
 * Gathers the calls of one reply. They may come in several chunks; `function.index` says nothing, since several parsers of the
 * server give 0 to all. A call that comes twice with the same id counts once.
 */
export class CallCollector {
  readonly #calls: ToolCall[] = [];
  readonly #seen = new Set<string>();

  get calls(): readonly ToolCall[] {
    return this.#calls;
  }

  /** Takes the `tool_calls` of one chunk. */
  push(toolCalls: unknown): void {
    for (const entry of listOf(toolCalls)) {
      const call = objectOf(entry);
      const id = textOf(call["id"]);
      const body = objectOf(call["function"]);
      if (id !== undefined && this.#isRepeated(id, body)) continue;
      this.#add(id, { name: textOf(body["name"]) ?? "", ...readArguments(body["arguments"]) });
    }
  }

  #isRepeated(id: string, { name, arguments: given }: JsonObject): boolean {
    const key = JSON.stringify([id, name, given]);
    if (this.#seen.has(key)) return true;
    this.#seen.add(key);
    return false;
  }

  #add(givenId: string | undefined, call: Omit<ToolCall, "id">): void {
    const isFree = givenId !== undefined && this.#calls.every(({ id }) => id !== givenId);
    this.#calls.push({ id: isFree ? givenId : `call_${this.#calls.length + 1}`, ...call });
  }
}

/** Arguments as an object; some models write them as a string of JSON, and some of those do not hold an object. */
function readArguments(given: unknown): Pick<ToolCall, "arguments" | "unreadableArguments"> {
  if (given === undefined || given === null || given === "") return { arguments: {} };
  const value = typeof given === "string" ? parseJson(given) : given;
  if (isObject(value)) return { arguments: value };
  const written = typeof given === "string" ? given : JSON.stringify(given);
  return { arguments: {}, unreadableArguments: written };
}

/**
 * The calls that a model wrote as text: the whole reply, without a code fence or `<tool_call>` tags around it, is a call of an offered
 * tool or a list of such. Otherwise none, since an answer that only mentions a call must stay an answer.
 */
export function callsInText(text: string, toolNames: ReadonlySet<string>): readonly ToolCall[] {
  const values = unwrapped(text.trim()).map(parseJson);
  const calls = values
    .flatMap((value) => (Array.isArray(value) ? value : [value]) as unknown[])
    .map(objectOf);
  const isCall = (call: JsonObject): boolean =>
    toolNames.has(textOf(call["name"]) ?? "") && isObject(call["arguments"] ?? call["parameters"]);
  if (!calls.every(isCall)) return [];
  return calls.map((call, index) => ({
    id: `call_${index + 1}`,
    name: textOf(call["name"]) ?? "",
    arguments: objectOf(call["arguments"] ?? call["parameters"]),
  }));
}

function unwrapped(text: string): readonly string[] {
  const fenced = /^```[a-z]*\n(.*)\n```$/s.exec(text)?.[1];
  if (fenced !== undefined) return [fenced];
  if (!/^<tool_call>.*<\/tool_call>$/s.test(text)) return [text];
  return text
    .split(/<\/?tool_call>/)
    .map((part) => part.trim())
    .filter((part) => part !== "");
}
