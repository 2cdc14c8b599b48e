import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { ChatOutcome, ChatReply, ChatRequest, ReplyDelta, ToolSchema } from "../../../src/core/ports";
import type { ContextMessage } from "../../../src/core/window/messages";
import { parseAddress, type ServerAddress } from "../../../src/ollama/address";
import { OllamaModel, type OllamaModelOptions } from "../../../src/ollama/ollamaModel";
import { OllamaServer } from "../../../src/ollama/server";
import type { Failure } from "../../../src/shared/events";
import {
  startScriptedServer,
  type ScriptedServer,
  type ScriptedServerOptions,
} from "../../support/scriptedServer";

/** A scripted server with the two clients of the extension on it. */
export interface Wire {
  readonly server: ScriptedServer;
  readonly address: ServerAddress;
  readonly model: OllamaModel;
  readonly ollama: OllamaServer;
  /** The lines of the log. */
  readonly log: readonly string[];
}

export type WireOptions = ScriptedServerOptions & {
  readonly client?: Partial<Pick<OllamaModelOptions, "token" | "preferences" | "machine">>;
};

/** Starts both; at the end the server must have met no problem, and nobody may hold a connection. */
export async function startWire(context: TestContext, options: WireOptions = {}): Promise<Wire> {
  const { client, ...serverOptions } = options;
  const server = await startScriptedServer(serverOptions);
  const log: string[] = [];
  const address = addressOf(server.url);
  const options_ = { address, log: (line: string) => log.push(line), ...client };
  context.after(async () => {
    await server.waitForNoConnections();
    await server.close();
    assert.deepEqual(server.problems, []);
  });
  return { server, address, model: new OllamaModel(options_), ollama: new OllamaServer(options_), log };
}

export function addressOf(text: string): ServerAddress {
  const address = parseAddress(text, "The address");
  assert.ok(!("error" in address));
  return address;
}

export const READ_FILE: ToolSchema = {
  name: "read_file",
  description: "Reads a file.",
  parameters: {
    type: "object",
    required: ["path"],
    properties: { path: { type: "string", description: "The path." } },
  },
};

export const NEVER = new AbortController().signal;

/** A chat request to the model `scripted`. */
export function requestFor(fields: Partial<ChatRequest> = {}): ChatRequest {
  return {
    model: "scripted",
    numCtx: 4096,
    messages: [SYSTEM, user("hello")],
    tools: [READ_FILE],
    maxReplyTokens: 500,
    thinking: "default",
    ...fields,
  };
}

export const SYSTEM: ContextMessage = { role: "system", source: "e1", content: "You are Loom." };

export function user(content: string): ContextMessage {
  return { role: "user", source: "e2", content };
}

/** What came of a chat, and the deltas on the way. */
export interface Heard {
  readonly outcome: ChatOutcome;
  readonly text: string;
  readonly thinking: string;
}

export async function chat(
  wire: Pick<Wire, "model">,
  fields: Partial<ChatRequest> = {},
  signal: AbortSignal = NEVER,
): Promise<Heard> {
  const deltas: ReplyDelta[] = [];
  const outcome = await wire.model.chat(requestFor(fields), (delta) => deltas.push(delta), signal);
  const joined = (name: keyof ReplyDelta): string => deltas.map((delta) => delta[name]).join("");
  return { outcome, text: joined("text"), thinking: joined("thinking") };
}

/** A chat that must end with a reply. */
export async function reply(
  wire: Pick<Wire, "model">,
  fields: Partial<ChatRequest> = {},
): Promise<ChatReply> {
  const { outcome } = await chat(wire, fields);
  assert.equal(outcome.type, "reply", JSON.stringify(outcome));
  assert.ok(outcome.type === "reply");
  return outcome.reply;
}

/** A chat that must fail. */
export async function failure(
  wire: Pick<Wire, "model">,
  fields: Partial<ChatRequest> = {},
): Promise<Failure & { readonly partial: ReplyDelta; readonly outcome: ChatOutcome & { type: "failed" } }> {
  const { outcome } = await chat(wire, fields);
  assert.equal(outcome.type, "failed", JSON.stringify(outcome));
  assert.ok(outcome.type === "failed");
  return { ...outcome.failure, partial: outcome.partial, outcome };
}
