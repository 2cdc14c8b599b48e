/** The view's id in the manifest. */
export const CHAT_VIEW = "loom.chat";

/** The scheme of the files that summaries are edited in; the manifest activates Loom for it. */
export const SUMMARY_SCHEME = "loom-summary";

/** The commands of the manifest and the one that only the panel gives, each there as `loom.NAME`. */
export const COMMAND_NAMES = [
  "compactNow",
  "undoCompaction",
  "editSummary",
  "regenerateSummary",
  "pinSelection",
  "showRequest",
  "newSession",
  "showSessions",
  "showContext",
  "showSummary",
  "restoreTurn",
  "stop",
  "selectModel",
  "selectWindow",
  "chooseAddress",
  "allowCloudModel",
  "pullModel",
  "startOllama",
  "setToken",
  "focusChat",
  "openLog",
] as const;

export type CommandName = (typeof COMMAND_NAMES)[number];
