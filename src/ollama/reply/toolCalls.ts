import type { ToolCall } from "../../shared/events";
import { isObject, listOf, objectOf, parseJson, textOf, type JsonObject } from "../wire/json";

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
