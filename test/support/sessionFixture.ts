import type { HashOf } from "../../src/core/log/files";
import type { ChatModel } from "../../src/core/ports";
import { Session, type LogStore, type SessionSettings } from "../../src/core/session";
import type { ToolRun, AnyTool } from "../../src/core/tools/tool";
import type { Checkpoints } from "../../src/core/turn/checkpoints";
import type { JsonValue, LogEvent } from "../../src/shared/events";

export const SETTINGS: SessionSettings = {
  model: "test-model",
  numCtx: 4096,
  compactionThreshold: 0.8,
  keepMessages: 6,
  automaticCompaction: true,
  // Tests of the other form say so.
  summaryRequest: "isolated",
  roundLimit: 25,
  approvalMode: "ask",
};

/** A tool whose behaviour a test gives as a function. */
export function toolOf(
  name: string,
  run: (
    input: Readonly<Record<string, JsonValue>>,
    ...rest: Parameters<ReturnType<typeof prepared>>
  ) => Promise<ToolRun>,
): AnyTool {
  return {
    schema: {
      name,
      description: `${name} for tests`,
      parameters: { type: "object", required: [], properties: {} },
    },
    prepare: (input) => prepared((...rest) => run(input, ...rest)),
  };
}

function prepared(run: Exclude<ReturnType<AnyTool["prepare"]>, { error: string }>) {
  return run;
}

/** A tool that answers with the text that its argument `text` gives. */
export const echoTool = toolOf("echo", (input) =>
  Promise.resolve({
    outcome: "ok",
    content: typeof input["text"] === "string" ? input["text"] : "",
    summary: "echoed",
  }),
);

export interface Fixture {
  readonly session: Session;
  readonly stored: LogEvent[];
  /** Resolves when the session is idle and nothing waits. */
  readonly idle: () => Promise<void>;
}

/** A session on a scripted model with a clock that ticks one millisecond a look. */
export function startSession(
  chatModel: ChatModel,
  options: {
    readonly settings?: Partial<SessionSettings>;
    readonly tools?: readonly AnyTool[];
    readonly events?: readonly LogEvent[];
    readonly settingsNow?: () => SessionSettings;
    readonly hashOf?: HashOf;
    readonly checkpoints?: Checkpoints;
    /** Where events are stored beside the list that the fixture gives. */
    readonly append?: LogStore["append"];
    /** The day that the system prompt names; another one at each look when absent. */
    readonly date?: string;
  } = {},
): Fixture {
  const stored: LogEvent[] = [];
  let clock = 1_000;
  let ids = highestId(options.events ?? []);
  const settings = { ...SETTINGS, ...options.settings };
  const session = new Session(
    {
      chatModel,
      tools: options.tools ?? [echoTool],
      describeWorkspace: () =>
        Promise.resolve({
          folders: [{ name: "ws", path: "/ws" }],
          operatingSystem: "Linux",
          shell: "bash",
          date: options.date ?? `2026-01-${String(1 + (clock % 28)).padStart(2, "0")}`,
        }),
      ...(options.hashOf === undefined ? {} : { hashOf: options.hashOf }),
      ...(options.checkpoints && { checkpoints: options.checkpoints }),
      settings: options.settingsNow ?? (() => settings),
      store: {
        async append(event) {
          await options.append?.(event);
          stored.push(event);
        },
      },
      now: () => clock++,
      newId: () => `e${++ids}`,
      log: () => undefined,
    },
    options.events ?? [],
  );
  return { session, stored, idle: () => whenIdle(session) };
}

/** Ids go on where those of the log end, so that none is given twice. */
function highestId(events: readonly LogEvent[]): number {
  const ids = events.flatMap((event) => [event.id, event.type === "pinned" ? event.pinId : ""]);
  return Math.max(events.length, ...ids.map((id) => Number(/^e(\d+)$/.exec(id)?.[1] ?? 0)));
}

function whenIdle(session: Session): Promise<void> {
  return new Promise((resolve) => {
    const isIdle = () =>
      !session.isBusy && session.view.phase.name === "idle" && session.view.queue.length === 0;
    if (isIdle()) return resolve();
    const stop = session.onEvent(() => {
      // A message that waits starts only after the event that says the last turn has ended.
      setImmediate(() => {
        if (!isIdle()) return;
        stop();
        resolve();
      });
    });
  });
}
