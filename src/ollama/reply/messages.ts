import type { ToolSchema } from "../../core/ports";
import type { ContextMessage } from "../../core/window/messages";
import type { JsonObject } from "../wire/json";

/** A message as /api/chat takes it. The client's own type lacks the ids. */
export interface WireMessage {
  role: ContextMessage["role"];
  content: string;
  thinking?: string;
  tool_calls?: { id: string; function: { name: string; arguments: JsonObject } }[];
  tool_name?: string;
  tool_call_id?: string;
}

/** A tool as /api/chat takes it. */
export interface WireTool {
  type: "function";
  function: { name: string; description: string; parameters: WireParameters };
}

type WireParameters = {
  type: "object";
  required: string[];
  properties: Record<string, { type: string; description?: string }>;
};

/**
 * The message with its keys always in the same order, so that a message becomes the same bytes in every request and the server finds
 * its prompt cache. Thinking goes back with the message to a model that thinks: it plans on from it within a tool loop, and the server
 * itself leaves old thinking out. Servers differ in whether they match a result by name, id or order, so it has all three.
 */
export function toWireMessage(message: ContextMessage, thinks: boolean): WireMessage {
  const { role, content } = message;
  switch (message.role) {
    case "system":
    case "user":
      return { role, content };
    case "assistant":
      return {
        role,
        content,
        ...(message.thinking === "" || !thinks ? {} : { thinking: message.thinking }),
        ...(message.toolCalls.length === 0 ? {} : { tool_calls: message.toolCalls.map(toWireCall) }),
      };
    case "tool":
      return { role, content, tool_name: message.toolName, tool_call_id: message.callId };
  }
}

/** The tool with its keys always in the same order. */
export function toWireTool({ name, description, parameters }: ToolSchema): WireTool {
  const properties = Object.fromEntries(
    Object.entries(parameters.properties).map(([key, { type, description: about }]) => [
      key,
      about === undefined ? { type } : { type, description: about },
    ]),
  );
  return {
    type: "function",
    function: {
      name,
      description,
      parameters: { type: parameters.type, required: [...parameters.required], properties },
    },
  };
}

/** Arguments are an object even where the model's could not be read: a string is refused by the server, in all later requests too. */
function toWireCall(call: {
  readonly id: string;
  readonly name: string;
  readonly arguments: JsonObject;
}): NonNullable<WireMessage["tool_calls"]>[number] {
  return { id: call.id, function: { name: call.name, arguments: call.arguments } };
}
