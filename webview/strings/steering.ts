import type { CompactionTrigger, SummaryForm } from "../../src/shared/events";
import type { CompactionPreview, ContextItem } from "../../src/shared/protocol";
import type { SummaryVersion } from "../../src/shared/view";
import { number, percent } from "../format";

const plural = (count: number, one: string, many: string) => `${number(count)} ${count === 1 ? one : many}`;

const ITEMS: Readonly<Record<ContextItem["kind"], string>> = {
  system_prompt: "System prompt",
  summary: "Summary with what is kept",
  user: "You",
  assistant: "Loom",
  tool_result: "Result",
};

const WHY: Readonly<Record<CompactionTrigger, string>> = {
  automatic: "Automatic, the threshold was passed",
  by_hand: "By hand",
  window_full: "The next request would not have fit the window",
  overflow: "The server refused a request as too long",
};

const FORMS: Readonly<Record<SummaryForm, string>> = {
  isolated: "In a request of its own",
  in_place: "At the end of the conversation",
  by_code: "Put together by Loom without the model",
};

const ORIGINS: Readonly<Record<SummaryVersion["origin"], string>> = {
  first: "First",
  edited: "Edited",
  regenerated: "Regenerated",
};

type Plan = NonNullable<CompactionPreview["plan"]>;

/** Texts about compactions, pins and the context as the person steers them. */
export const steering = {
  undo: "Undo",
  undoTitle: "Undo: the context is again what it was before this compaction",
  undoDoesNotFit: (tokens: number, window: number) =>
    `Undo does not fit: the conversation before this would take about ${number(tokens)} of ${number(window)} tokens. Regenerate the summary instead.`,
  edit: "Edit",
  editTitle: "Edit the summary in an editor; saving puts it into the context",
  regenerate: "Regenerate",
  regenerateTitle: "Have the model write the summary again",
  wish: "What to keep? (optional)",
  wishLabel: "Wish for the new summary",
  actions: "This compaction",
  wait: "Possible again when Loom has finished.",
  older: "A later compaction stands on this one. Undo that one first to change this one.",
  undone: "Undone",
  undoneText: "Undone: the context holds the messages themselves again.",
  versions: "Summaries",
  version: ({ origin, wish }: SummaryVersion, index: number) =>
    [`${number(index + 1)}. ${ORIGINS[origin]}`, ...(wish === undefined ? [] : [`“${wish}”`])].join(" "),
  facts: "How it came about",
  why: "Why",
  whyText: (trigger: CompactionTrigger, threshold: string | undefined) =>
    trigger === "automatic" && threshold !== undefined ? `Automatic at ${threshold}` : WHY[trigger],
  when: "When",
  messages: "Messages",
  messagesText: (summarised: number, kept: number) =>
    `${number(summarised)} summarised, ${number(kept)} kept word for word`,
  tokens: "Tokens",
  took: "Took",
  request: "Request",
  requestText: (form: SummaryForm, parts: number) =>
    parts > 1 ? `${FORMS[form]}, ${plural(parts, "part", "parts")}` : FORMS[form],
  model: "Model",
  focus: "Focus",
  chain: "Builds on",
  chainLink: (index: number, time: string) => `Compaction ${number(index + 1)}, ${time}`,
  verbatim: "Word for word",
  verbatimText: (messages: number) =>
    messages === 1
      ? "1 message follows the summary in the context as it is."
      : `${number(messages)} messages follow the summary in the context as they are.`,
  verbatimNothing: "No message follows the summary; the newest request is quoted in it.",
  shortened: (count: number) => `${plural(count, "of them is", "of them are")} shortened to fit the window.`,
  firstOfThem: "Go to the first of them",

  pin: "Pin",
  pinTitle: "Pin this message, or what is selected in it, through every compaction",
  pinWhat: "Write what to pin behind /pin, or pin a message by its button.",
  unpinWhich: "Write the number of a pin behind /unpin. /pins shows them.",
  noSuchPin: (index: number) => `There is no pin ${number(index)}. /pins shows them.`,
  pinned: "Pinned. The context holds it from the next compaction on.",
  unpinned: "Unpinned.",
  pins: "Pins",
  pinCount: (count: number) => plural(count, "pin", "pins"),
  pinRoom: (tokens: number, most: number) =>
    `About ${number(tokens)} of at most ${number(most)} tokens, a tenth of the context window.`,
  pinsEmpty:
    "Nothing is pinned. Pin a message, what is selected in one, a selection in an editor (Loom: Pin Selection), or a text: /pin TEXT.",
  pinsNote: "Pins survive every compaction word for word. They enter the context with the next one.",
  unpin: (text: string) => `Unpin: ${text}`,
  showPins: "Show pins",

  soon: (tokensLeft: number, compactAt: number, window: number) =>
    `Compacts by itself at ${percent(compactAt, window)}: about ${number(tokensLeft)} tokens left`,
  afterTurn: "Compacts by itself when the turn has ended",
  postponed: "Automatic compaction is left out once",
  notNow: "Not now",
  notNowTitle: "Leave the next automatic compaction out, once",
  preview: "Preview",
  previewTitle: "Show what the next compaction would keep and drop",

  largest: "Largest items",
  item: "Item",
  goTo: (title: string) => `Go to ${title}`,
  itemName: ({ kind, title }: ContextItem) =>
    title === "" ? ITEMS[kind] : kind === "tool_result" ? title : `${ITEMS[kind]}: ${title}`,
  drop: "Drop",
  dropTitle: (title: string) => `Drop the result of ${title} from the context`,
  dropped: "Dropped from the context",
  isDropped: "You dropped this result from the context: the model does not see it.",
  restore: "Restore",
  restoreTitle: (title: string) => `Bring the result of ${title} back into the context`,
  next: "If it compacted now",
  nothingToCompact: "All messages are recent enough to be kept: there is nothing to compact.",
  plan: ({ messagesSummarised, kept }: Plan) =>
    `${plural(messagesSummarised, "message", "messages")} would be summarised, ${number(kept.length)} kept word for word.`,
  planAfter: (used: number, after: number) => `About ${number(used)} → at most ${number(after)} tokens.`,
  planKeeps: ({ words, pins, files, commands }: Plan) => {
    const kept = [
      words === 0 ? "" : plural(words, "message of yours", "messages of yours"),
      pins === 0 ? "" : plural(pins, "pin", "pins"),
      files === 0 ? "" : plural(files, "file", "files"),
      commands === 0 ? "" : plural(commands, "command", "commands"),
    ].filter((text) => text !== "");
    return kept.length === 0 ? "" : `Beside the summary: ${kept.join(", ")}.`;
  },
  planCut: (count: number) =>
    `${plural(count, "message of yours", "messages of yours")} would be shortened or left out.`,
  planShortened: (count: number) =>
    `${plural(count, "kept message", "kept messages")} would be shortened to fit.`,
  planKept: "Kept word for word",
  showRequest: "Show request",
  showRequestTitle: "Show the next request to the model as it will be sent",

  announced: {
    undone: "Compaction undone.",
    summary: "The summary in the context has changed.",
    dropped: "The result is dropped from the context.",
    restored: "The result is in the context again.",
    postponed: "The next automatic compaction is left out once.",
    unchanged: "Compaction ended. The conversation is as it was.",
  },

  written: (tokens: number) => `~${number(tokens)} tokens written`,

  editQueued: "Edit",
  editQueuedTitle: "Take this message back into the field",
  withdraw: "Withdraw",
  withdrawTitle: "Withdraw this message: it is not sent",
} as const;
