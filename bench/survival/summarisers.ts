import type { ChatReply, ChatRequest } from "../../src/core/ports";
import type { Needle } from "./conversation";

/** Answers a request for a summary. */
export type Summariser = (request: ChatRequest) => Omit<ChatReply, "usage">;

export type SummariserName = "perfect" | "forgetful" | "amnesic" | "rambling" | "broken";

const reply = (text: string): Omit<ChatReply, "usage"> => ({
  text,
  thinking: "",
  toolCalls: [],
  doneReason: "stop",
});

/** A summariser of a kind, for a conversation with these needles. */
export function createSummariser(name: SummariserName, needles: readonly Needle[]): Summariser {
  const shown = ({ messages }: ChatRequest) => {
    const text = messages.map(({ content }) => content).join("\n");
    return needles.filter(({ value }) => text.includes(value)).map(({ sentence }) => `- ${sentence}`);
  };
  let calls = 0;
  switch (name) {
    case "perfect":
      return (request) => reply(["- notes:", ...shown(request)].join("\n"));
    case "forgetful":
      return (request) =>
        reply(["- notes:", ...shown(request).filter((_, index) => index % 2 === 0)].join("\n"));
    case "amnesic":
      return () => reply("we talked");
    case "rambling":
      return (request) =>
        reply("so then we looked at it again ".repeat(Math.ceil((request.numCtx * 0.3) / 7)));
    case "broken":
      return () => {
        const faults = [
          reply(""),
          { ...reply(""), toolCalls: [{ id: "", name: "bash", arguments: { command: "touch x" } }] },
          { ...reply(""), thinking: "I should summarise this." },
          { ...reply("- half a"), doneReason: "length" as const },
        ] as const;
        return faults[calls++ % faults.length] ?? faults[0];
      };
  }
}
