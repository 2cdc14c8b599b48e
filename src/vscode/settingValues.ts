import type { ApprovalMode } from "../core/approvals/approvals";
import { SECRET_FILES } from "../core/approvals/secrets";
import { SUMMARY_REQUESTS, type SummaryRequestSetting } from "../core/compaction/summaryForm";
import {
  COMMAND_TIME_LIMIT,
  COMPACTION_THRESHOLD,
  KEEP_MESSAGES,
  NUM_CTX,
  ROUND_LIMIT,
  SILENCE_LIMIT,
} from "../core/limits";
import type { BadSetting, Expected } from "./badSetting";
import type { ChooseAddress, ServerAddress } from "./serverAddress";
import { readNamed, type NamedAddress, type WorkspaceAddress } from "./workspaceAddress";

const THINKING: readonly Thinking[] = ["on", "off", "low", "medium", "high"];
const CLOUD_MODELS: readonly CloudModels[] = ["ask", "hide"];
const APPROVAL_MODES: readonly ApprovalMode[] = ["ask", "allowEdits", "readOnly"];

/** How much a model that can think is to think. */
export type Thinking = "on" | "off" | "low" | "medium" | "high";

/** What becomes of models that run elsewhere: asked about before their first use, or not used at all. */
export type CloudModels = "ask" | "hide";

/** All settings of Loom, checked; the ranges are those of core/limits. */
export interface SettingValues {
  /** Where requests go: the workspace's address only after the person has agreed to it. */
  readonly address: ServerAddress;
  readonly namedByWorkspace: NamedAddress | undefined;
  /** Empty when none is chosen. */
  readonly model: string;
  readonly numCtx: number;
  /** False while `numCtx` is only the default. */
  readonly isNumCtxSet: boolean;
  readonly compactionThreshold: number;
  readonly keepMessages: number;
  readonly automaticCompaction: boolean;
  readonly summaryRequest: SummaryRequestSetting;
  readonly thinking: Thinking;
  /** Whether the model is loaded as soon as the cursor is in the message field. */
  readonly preload: boolean;
  /** Minutes; 0 for never. */
  readonly silenceLimit: number;
  readonly cloudModels: CloudModels;
  readonly roundLimit: number;
  /** Seconds. */
  readonly commandTimeLimit: number;
  readonly approvalMode: ApprovalMode;
  /** See `isAllowedBy`. */
  readonly allowedCommands: readonly string[];
  /** See `secretTest`. */
  readonly secretFiles: readonly string[];
}

/** Where values come from: `set` is undefined for a setting that nobody set. */
export interface SettingSource {
  /** For the address only what the person's own settings say. */
  readonly set: (id: string) => unknown;
  readonly workspaceAddress: WorkspaceAddress;
  readonly chooseAddress: ChooseAddress;
  /** Used when the one that was chosen cannot be read. */
  readonly defaultAddress: ServerAddress;
}

type Range = Readonly<Record<"minimum" | "maximum" | "default", number>>;

/** Reads and checks every setting; `bad` names each value for which the default is used. */
export function readSettings(source: SettingSource): { values: SettingValues; bad: readonly BadSetting[] } {
  const bad: BadSetting[] = [];
  const reader = new Reader(source.set, bad);
  const values: SettingValues = {
    ...readAddress(source, bad),
    model: reader.read("model", { kind: "text" }, "", (value) =>
      typeof value === "string" ? value.trim() : undefined,
    ),
    numCtx: reader.wholeNumber("numCtx", NUM_CTX),
    isNumCtxSet: typeof source.set("numCtx") === "number",
    compactionThreshold: reader.number("compaction.threshold", COMPACTION_THRESHOLD),
    keepMessages: reader.wholeNumber("compaction.keep", KEEP_MESSAGES),
    automaticCompaction: reader.yesOrNo("compaction.automatic", true),
    summaryRequest: reader.choice("compaction.request", SUMMARY_REQUESTS, "auto"),
    thinking: reader.choice("thinking", THINKING, "on"),
    preload: reader.yesOrNo("preload", true),
    silenceLimit: reader.wholeNumber("silenceLimit", SILENCE_LIMIT),
    cloudModels: reader.choice("cloudModels", CLOUD_MODELS, "ask"),
    roundLimit: reader.wholeNumber("roundLimit", ROUND_LIMIT),
    commandTimeLimit: reader.wholeNumber("commandTimeLimit", COMMAND_TIME_LIMIT),
    approvalMode: reader.choice("approvals", APPROVAL_MODES, "ask"),
    allowedCommands: reader.texts("allowedCommands", []),
    secretFiles: reader.texts("secretFiles", SECRET_FILES),
  };
  return { values, bad };
}

function readAddress(
  source: SettingSource,
  bad: BadSetting[],
): Pick<SettingValues, "address" | "namedByWorkspace"> {
  const own = readOwnAddress(source, bad);
  const { chooseAddress, workspaceAddress } = source;
  const namedByWorkspace = readNamed(workspaceAddress, own, { chooseAddress, bad });
  if (namedByWorkspace?.answer !== "use") return { address: own, namedByWorkspace };
  const { url, isLoopback } = namedByWorkspace;
  return { address: { url, isLoopback }, namedByWorkspace };
}

function readOwnAddress(source: SettingSource, bad: BadSetting[]): ServerAddress {
  const value = source.set("address") ?? "";
  const chosen = source.chooseAddress(typeof value === "string" ? value : JSON.stringify(value));
  if (!("error" in chosen)) return chosen;
  const { url } = source.defaultAddress;
  bad.push({ id: "address", value, expected: { kind: "address", problem: chosen.error }, usedInstead: url });
  return source.defaultAddress;
}

class Reader {
  constructor(
    private readonly set: (id: string) => unknown,
    private readonly bad: BadSetting[],
  ) {}

  wholeNumber(id: string, { minimum, maximum, default: fallback }: Range): number {
    return this.read(id, { kind: "whole_number", minimum, maximum }, fallback, (value) =>
      Number.isInteger(value) ? inRange(value, minimum, maximum) : undefined,
    );
  }

  number(id: string, { minimum, maximum, default: fallback }: Range): number {
    return this.read(id, { kind: "number", minimum, maximum }, fallback, (value) =>
      inRange(value, minimum, maximum),
    );
  }

  texts(id: string, fallback: readonly string[]): readonly string[] {
    return this.read<readonly string[]>(id, { kind: "texts" }, fallback, (value) => {
      const texts: readonly unknown[] | undefined = Array.isArray(value) ? value : undefined;
      const strings = texts?.filter((text) => typeof text === "string");
      return strings?.length === texts?.length ? strings : undefined;
    });
  }

  yesOrNo(id: string, fallback: boolean): boolean {
    return this.read(id, { kind: "yes_or_no" }, fallback, (value) =>
      typeof value === "boolean" ? value : undefined,
    );
  }

  choice<Choice extends string>(id: string, choices: readonly Choice[], fallback: Choice): Choice {
    return this.read(id, { kind: "choice", choices }, fallback, (value) =>
      choices.find((choice) => choice === value),
    );
  }

  read<Value>(
    id: string,
    expected: Expected,
    fallback: Value,
    parse: (value: unknown) => Value | undefined,
  ): Value {
    const value = this.set(id);
    if (value === undefined || value === null) return fallback;
    const parsed = parse(value);
    if (parsed !== undefined) return parsed;
    this.bad.push({ id, value, expected, usedInstead: String(fallback) });
    return fallback;
  }
}

function inRange(value: unknown, minimum: number, maximum: number): number | undefined {
  return typeof value === "number" && value >= minimum && value <= maximum ? value : undefined;
}
