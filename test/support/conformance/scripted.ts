import { startScriptedServer, type Brain, type ScriptedServerOptions } from "../scriptedServer";
import { ENDLESS, LONG_TO_READ } from "./stopping";
import { TRAINED_TOKENS, type Target } from "./wire";

/** Starts a scripted server with two models like the small ones of the real server. */
export async function startScriptedModels(
  options: Pick<ScriptedServerOptions, "version" | "reportedVersion">,
): Promise<Target & { readonly close: () => Promise<void> }> {
  const small = { contextLength: TRAINED_TOKENS, size: 98_000_000 };
  const server = await startScriptedServer({
    ...options,
    brain: rambling,
    models: [
      { ...small, name: "scripted-tools", capabilities: ["completion", "tools"] },
      { ...small, name: "scripted-plain", capabilities: ["completion"] },
    ],
  });
  return {
    url: server.url,
    toolModel: "scripted-tools",
    plainModel: "scripted-plain",
    close: () => server.close(),
  };
}

/** A small model never stops by itself. What takes a real one long takes this one until it is broken off. */
const rambling: Brain = ({ request, numCtx }) => {
  const asked = request.messages?.at(-1)?.content ?? "";
  const content = "and then the ship went on ".repeat(numCtx);
  const never = () => new Promise<never>(() => undefined);
  if (asked.startsWith(LONG_TO_READ)) return { content, before: never };
  if (asked.startsWith(ENDLESS)) return { content, before: (piece) => (piece > 2 ? never() : undefined) };
  return { content };
};
