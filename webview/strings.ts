import type { CompactionTrigger, TokenCount } from "../src/shared/events";
import type { ContextPart } from "../src/shared/protocol";
import type { ToolEntry } from "../src/shared/view";
import { approval } from "./strings/approval";
import { restore } from "./strings/restore";
import { steering } from "./strings/steering";
import { duration, elapsed, number, percent, tokens } from "./format";

const TRIGGERS: Readonly<Record<CompactionTrigger, string>> = {
  automatic: "automatic",
  by_hand: "by hand",
  window_full: "before a request that would not have fit",
  overflow: "after the server refused a request as too long",
};

const PARTS: Readonly<Record<ContextPart["name"], string>> = {
  system_prompt: "System prompt",
  tools: "Tools",
  summary: "Summary",
  your_words: "Your words",
  pins: "Pins",
  files_and_commands: "Files and commands",
  tool_results: "Tool results",
  conversation: "Conversation",
  reply_room: "Room for the reply",
  free: "Free",
};

const TOOL_STATES: Readonly<Record<ToolEntry["state"], string>> = {
  pending: "waiting",
  running: "running",
  ok: "done",
  error: "failed",
  denied: "denied",
  cancelled: "cancelled",
};

const plural = (count: number, one: string, many: string) => `${number(count)} ${count === 1 ? one : many}`;

/** Texts of the transcript. */
const transcript = {
  conversation: "Conversation",
  you: "You",
  loom: "Loom",
  jumpToNewest: "Jump to newest",
  thinking: "Thinking",
  thought: "Thought",
  cutByLength: "The answer reached its length limit and ends here.",
  partialAnswer: "Partial answer",
  copy: "Copy",
  copied: "Copied",
  copyCode: "Copy code",
  insertAtCursor: "Insert at cursor",
  code: (language: string) => (language === "" ? "Code" : `Code: ${language}`),
  picture: (description: string) => (description === "" ? "Picture" : `Picture: ${description}`),
  opensLink: (url: string) => `Open ${url}`,
  opensFile: (path: string) => `Open ${path}`,
  toolCall: (name: string, target: string, state: ToolEntry["state"]) =>
    `Tool call: ${[name, target].join(" ").trim()}, ${TOOL_STATES[state]}`,
  toolState: (state: ToolEntry["state"]) => TOOL_STATES[state],
  toolArguments: "Called with",
  toolResult: "Result",
  toolOutput: "Output so far",
  notToldYet: "No result yet.",
  noArguments: "nothing",
  openFile: "Open file",
  modelNote: "Loom told the model",
  notice: "Notice",
  warning: "Warning",
  turnEnd: "End of the turn",
  stopped: "Stopped.",
  failed: "This did not work.",
  noAnswer: "The model gave no answer.",
  roundLimit: "Paused: this turn reached its limit of rounds.",
  repeating: "Paused: the model repeats the same calls.",
  retry: "Retry",
  continue: "Continue",
} as const;

const compaction = {
  item: "Compaction",
  headline: (messages: number) => `Compacted: ${plural(messages, "message", "messages")}`,
  sizes: (before: TokenCount, after: TokenCount) => `${tokens(before)} → ${tokens(after)} tokens`,
  took: (milliseconds: number) => duration(milliseconds),
  expected: (milliseconds: number) => `It was expected to take ${duration(milliseconds)}.`,
  trigger: (trigger: CompactionTrigger, threshold: string | undefined) =>
    trigger === "automatic" && threshold !== undefined ? `automatic at ${threshold}` : TRIGGERS[trigger],
  failed: (message: string) => `Compaction failed. ${message}`,
  summary: "Summary",
  yourWords: "Your words",
  wordsCut: (count: number) =>
    `${plural(count, "older message is", "older messages are")} shortened or left out here; the transcript has all of them.`,
  request: "Your newest request",
  pins: "Pins",
  pinsCut: (count: number) => `${plural(count, "pin does", "pins do")} not fit the window any more.`,
  files: "Files",
  filesCut: (count: number) => `${plural(count, "more file is", "more files are")} not listed.`,
  changed: "changed",
  read: "read",
  stale: { changed: "changed by others since", deleted: "deleted since" },
  commands: "Commands",
  commandsCut: (count: number) => `${plural(count, "more command is", "more commands are")} not listed.`,
  exitCode: (code: number | null) => (code === null ? "no exit code" : `exit code ${code}`),
  copy: (what: string) => `Copy: ${what}`,
} as const;

const meter = {
  label: "Context window",
  pending: "Context not measured yet",
  count: (used: TokenCount, window: number) => `${tokens(used)} / ${number(window)}`,
  unit: "tokens",
  near: "Context nearly full",
  full: "Context full",
  over: (tokensOver: number) => `Context over the window by ${number(tokensOver)} tokens`,
  spoken: (used: TokenCount, window: number) =>
    `${used.estimated ? "about " : ""}${number(used.tokens)} of ${number(window)} tokens, ${percent(used.tokens, window)}`,
  show: "Show what fills the context",
  compactNow: "Compact Now",
  compactTitle: "Compact Now: summarise the conversation to make room",
} as const;

const context = {
  title: "What fills the context",
  used: (used: TokenCount, window: number) =>
    `${tokens(used)} of ${number(window)} tokens used (${percent(used.tokens, window)})`,
  compactsAt: (compactAt: number, window: number) =>
    `Automatic compaction above ${number(compactAt)} tokens (${percent(compactAt, window)}).`,
  part: "Part",
  tokens: "Tokens",
  share: "Share",
  partName: (name: ContextPart["name"]) => PARTS[name],
  close: "Close",
} as const;

const phase = {
  thinking: "Thinking",
  writing: "Writing",
  tool: (what: string) => (what === "" ? "Running a tool" : `Running ${what}`),
  approval: "Approval needed",
  review: "Review",
  compacting: (messages: number) => `Compacting ${plural(messages, "message", "messages")}`,
  compactingFrom: (used: number, window: number) => `${number(used)} / ${number(window)} tokens`,
  compactingPart: (part: number, parts: number) => `part ${number(part)} of ${number(parts)}`,
  elapsed: (milliseconds: number) => elapsed(milliseconds),
  status: "Status",
} as const;

const composer = {
  label: "Message to Loom",
  placeholder: "Ask Loom, or / for commands",
  send: "Send",
  sendTitle: "Send (Enter)",
  queueTitle: "Send when Loom is done (Enter)",
  stop: "Stop",
  stopTitle: "Stop what is going on",
  model: (name: string) => `Model: ${name}. Choose another`,
  chooseModel: "Choose a model",
  waitingMessages: "Messages that wait",
  waits: "Waits:",
  unknownCommand: (name: string) =>
    `There is no command ${name}. /help lists them. To send this as a message, put a space in front of it.`,
  takesNothing: (name: string) =>
    `${name} takes no words after it. To send this as a message, put a space in front of it.`,
} as const;

const help = {
  title: "Commands and keys",
  command: "Command",
  does: "What it does",
  commands: [
    ["/compact [focus]", "Summarise the conversation to make room; the focus says what matters most"],
    ["/undo", "Take the newest compaction back"],
    ["/pin TEXT", "Keep a text word for word through every compaction"],
    ["/pins", "Show what is pinned"],
    ["/unpin N", "Take pin number N back"],
    ["/clear", "Start a new session; the old one is kept"],
    ["/context", "Show what fills the context window"],
    ["/summary", "Show the newest summary"],
    ["/request", "Show the next request to the model as it will be sent"],
    ["/sessions", "Go back to an earlier session"],
    ["/help", "Show this"],
  ],
  keys: [
    ["Enter", "Send"],
    ["Shift+Enter", "New line"],
    ["Escape", "Close this"],
  ],
  note: "A message that begins with a path, such as /etc/hosts, is sent as it is. A space in front makes a message of anything.",
} as const;

const empty = {
  lookingFor: (address: string) => `Looking for Ollama at ${address}`,
  unreachable: "Ollama is not answering",
  unauthorized: "Ollama asks for an access token",
  wrongAddress: "There is no Ollama at this address",
  unreachableText: (address: string) =>
    `Loom runs on your own Ollama and looked for it at ${address}. Start it, or set another address.`,
  noModels: "Ollama has no model yet",
  noModelsText: "Pull a model that can call tools. A small one is enough to begin with.",
  noneChosen: "Choose a model",
  noneChosenText: (count: number) =>
    `Your Ollama has ${plural(count, "model", "models")}. Choose the one to work with.`,
  missing: (model: string) => `${model} is not installed`,
  missingText: "Pull it, or choose one that is there.",
  noTools: (model: string) => `${model} cannot call tools`,
  noToolsText: "Loom reads and edits files through tools. Choose a model that can call them.",
  ready: "What shall we work on?",
  readyText: (model: string) =>
    `${model} runs on your Ollama. Loom asks before it changes a file or runs a command.`,
  promise:
    "The bar below shows how full the model's context window is. Before it overflows, Loom compacts the conversation where you can see it.",
  noFolder: "No folder is open. Loom can chat, but it needs a folder to read and edit files.",
  examplesLabel: "Examples",
  examples: [
    "What does this project do, and where should I start reading?",
    "Find the part that is hardest to understand and explain it.",
    "Add a test for a case that nobody thought of.",
  ],
  startOllama: "Start Ollama",
  checkAgain: "Check again",
  openSettings: "Open settings",
  openLog: "Open log",
  setToken: "Set access token",
  openFolder: "Open folder",
  pullModel: "Pull a model",
  pullThis: (model: string) => `Pull ${model}`,
  selectModel: "Choose a model",
} as const;

const rehearsal = {
  note: "Rehearsal model: this is not an AI.",
  how: "How to get one",
  steps: [
    "Install Ollama from ollama.com and start it.",
    "Pull a model that can call tools, for example: ollama pull qwen3:8b",
    "Choose it here.",
  ],
  download: "Open ollama.com",
  url: "https://ollama.com/download",
} as const;

const announced = {
  replyFinished: "Reply finished.",
  running: (what: string) => `Running ${what}.`,
  compacting: (messages: number) => `Compaction started: ${plural(messages, "message", "messages")}.`,
} as const;

/** Every text that the page shows or speaks. */
export const strings = {
  transcript,
  approval,
  restore,
  compaction,
  meter,
  context,
  phase,
  composer,
  help,
  empty,
  rehearsal,
  steering,
  announced,
} as const;
