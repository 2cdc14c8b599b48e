import type { ToolSchema } from "../../src/core/ports";
import type { ContextMessage } from "../../src/core/window/messages";
import { toWireMessage, toWireTool } from "../../src/ollama/reply/messages";
import { countPrompt } from "../../test/support/scriptedServer";

/** What the template ends every prompt with: the head of the reply. */
const REPLY_HEAD = countPrompt({ messages: [] });

/** The scripted server's count of prompts, which remembers each text: the same conversation is played several times. */
export class TokenCounter {
  readonly #messages = new WeakMap<ContextMessage, number>();
  readonly #texts = new Map<string, number>();
  readonly #tools = new WeakMap<readonly ToolSchema[], number>();

  prompt(messages: readonly ContextMessage[], tools: readonly ToolSchema[]): number {
    return messages.reduce((sum, message) => sum + this.message(message), REPLY_HEAD + this.tools(tools));
  }

  message(message: ContextMessage): number {
    const known = this.#messages.get(message);
    if (known !== undefined) return known;
    const wire = { ...toWireMessage(message, true) };
    const text = JSON.stringify(wire);
    const count = this.#texts.get(text) ?? countPrompt({ messages: [wire] }) - REPLY_HEAD;
    this.#texts.set(text, count);
    this.#messages.set(message, count);
    return count;
  }

  /** What the tool list adds to a prompt. */
  tools(tools: readonly ToolSchema[]): number {
    if (tools.length === 0) return 0;
    const known = this.#tools.get(tools);
    if (known !== undefined) return known;
    const system = { messages: [{ role: "system", content: "x" }] };
    const wire = tools.map((tool) => ({ ...toWireTool(tool) }));
    const count = countPrompt({ ...system, tools: wire }) - countPrompt(system);
    this.#tools.set(tools, count);
    return count;
  }
}
