/** Where a server answers, without a slash at the end. */
export type At = { readonly url: string };

/** A JSON object of the protocol, as it came. */
export type Json = Readonly<Record<string, unknown>>;

/** What a chat answered: the status, all lines of the stream, and what they add up to. */
export interface RawChat {
  readonly status: number;
  readonly lines: readonly Json[];
  readonly content: string;
  readonly thinking: string;
  readonly toolCalls: readonly RawToolCall[];
  /** The last line. */
  readonly final: Json;
}

/** A tool call as it came over the wire. */
export interface RawToolCall {
  readonly id?: string;
  readonly function: { readonly index?: number; readonly name: string; readonly arguments: unknown };
}

/** Sends a JSON body with nothing between the test and the wire but `fetch`. */
export async function post(
  server: At,
  path: string,
  body: object,
  init: RequestInit = {},
): Promise<Response> {
  return fetch(server.url + path, { method: "POST", body: JSON.stringify(body), ...init });
}

/** The parsed body of a GET. */
export async function get(server: At, path: string): Promise<Json> {
  return (await (await fetch(server.url + path)).json()) as Json;
}

/** One chat request, read to its end; `model` is `scripted` unless the body names another. */
export async function rawChat(server: At, body: object): Promise<RawChat> {
  const response = await post(server, "/api/chat", { model: "scripted", ...body });
  const text = await response.text();
  const lines = text.split("\n").filter((line) => line !== "");
  return { status: response.status, ...addUp(lines.map((line) => JSON.parse(line) as Json)) };
}

/** The messages that this answer and the results of its calls add to a conversation. */
export function assistantMessage(chat: RawChat): Json {
  const { content, thinking, toolCalls } = chat;
  return { role: "assistant", content, thinking, ...(toolCalls.length > 0 ? { tool_calls: toolCalls } : {}) };
}

function addUp(lines: readonly Json[]): Omit<RawChat, "status"> {
  const messages = lines.map((line) => (line["message"] ?? {}) as Json);
  const joined = (key: string): string =>
    messages.map((message) => (message[key] as string | undefined) ?? "").join("");
  return {
    lines,
    content: joined("content"),
    thinking: joined("thinking"),
    toolCalls: messages.flatMap((message) => (message["tool_calls"] as RawToolCall[] | undefined) ?? []),
    final: lines.at(-1) ?? {},
  };
}
