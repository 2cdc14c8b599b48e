import type { ThinkingEffort } from "./requestOptions";

/** What the person has set for chats; read anew for each. */
export interface ChatPreferences {
  /** `on` by default. */
  readonly thinking?: ThinkingEffort | undefined;
  /** A request is given up when nothing comes for so many minutes; 0, the default, for never. */
  readonly silenceMinutes?: number | undefined;
  /** Whether a model that runs elsewhere may be sent anything; yes by default. */
  readonly mayLeaveMachine?: ((model: string) => boolean) | undefined;
}
