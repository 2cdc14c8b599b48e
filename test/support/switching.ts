import type { TestContext } from "node:test";
import type { SessionSettings } from "../../src/core/session";
import { asksForSummary } from "./asksForSummary";
import type { SeenChat } from "./scriptedServer";
import { SETTINGS } from "./sessionFixture";
import { startWireSession, type WireSession, type WireSessionOptions } from "./wireSession";

export interface Switching extends WireSession {
  /** Changes settings as the person does. */
  readonly choose: (changed: Partial<SessionSettings>) => void;
  /** The chats that asked for no summary. */
  readonly asked: () => readonly SeenChat[];
}

/** A session whose settings change. It begins with the model `a`. */
export async function startSwitching(context: TestContext, options: WireSessionOptions): Promise<Switching> {
  let settings: SessionSettings = { ...SETTINGS, model: "a", numCtx: 8192, ...options.settings };
  const played = await startWireSession(context, {
    models: [{ name: "a" }, { name: "b" }],
    ...options,
    settingsNow: () => settings,
  });
  const choose = (changed: Partial<SessionSettings>): void => {
    settings = { ...settings, ...changed };
    played.session.settingsChanged();
  };
  const asked = () => played.server.chats().filter(({ request }) => !isSummary(request.messages ?? []));
  return { ...played, choose, asked };
}

/** True when a chat asked for a summary. */
export const isSummary = (messages: Parameters<typeof asksForSummary>[0]["messages"]) =>
  asksForSummary({ messages });

/** The model and the num_ctx of a chat. */
export const windowAsked = ({ request }: SeenChat) => [request.model, request.options?.["num_ctx"]];
