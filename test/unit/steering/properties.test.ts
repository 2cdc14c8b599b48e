import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "fast-check";
import { formatStoredLine, parseStoredLine } from "../../../src/core/log/storedEvent";
import type { ChatRequest } from "../../../src/core/ports";
import type { Session } from "../../../src/core/session";
import { projectContext } from "../../../src/core/window/context";
import type { ContextMessage } from "../../../src/core/window/messages";
import { renderSummaryMessage } from "../../../src/core/window/summaryMessage";
import type { LogEvent } from "../../../src/shared/events";
import { applyEvent, EMPTY_VIEW } from "../../../src/shared/view";
import { LoadedModel } from "../../support/loadedModel";
import { pairingFault } from "../../support/conversations";
import { callOf, countCharacters, replyOf } from "../../support/scriptedModel";
import { startSession, type Fixture } from "../../support/sessionFixture";

/** What a person, or the editor, does next; the number chooses among what is there. */
type Action =
  | { readonly do: "message"; readonly text: string; readonly calls: number }
  | {
      readonly do: "compact" | "undo" | "edit" | "regenerate" | "choose" | "unpin" | "drop" | "restore";
      readonly which: number;
    }
  | { readonly do: "pin"; readonly text: string }
  | { readonly do: "postpone" | "reload" };

const anyAction: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("message" as const),
      text: fc.lorem({ maxCount: 120 }),
      calls: fc.nat(3),
    }),
  },
  {
    weight: 10,
    arbitrary: fc.record({
      do: fc.constantFrom(
        "compact",
        "compact",
        "undo",
        "undo",
        "edit",
        "regenerate",
        "choose",
        "unpin",
        "drop",
        "restore",
      ),
      which: fc.nat(7),
    }),
  },
  fc.record({ do: fc.constant("pin" as const), text: fc.lorem({ maxCount: 8 }) }),
  fc.record({ do: fc.constantFrom("postpone", "reload", "reload") }),
);

/** Answers anything: reads with tools first where the message asks for that, and summarises in a line. */
class AnyModel extends LoadedModel {
  readonly requests: ChatRequest[] = [];
  calls = 0;

  chat(request: ChatRequest) {
    this.requests.push(request);
    const count = countCharacters(request);
    if (request.messages.at(-1)?.content.startsWith("Summarise the conversation")) {
      const summary = { text: `- summary ${this.requests.length} of what was said`, toolCalls: [] };
      return Promise.resolve({ type: "reply" as const, reply: replyOf(summary, count) });
    }
    const toolCalls = Array.from({ length: this.calls }, (_, index) =>
      callOf("echo", { text: `result ${index}: ${"a line of the file ".repeat(20)}` }),
    );
    this.calls = 0;
    const text = toolCalls.length > 0 ? "" : `Answer ${this.requests.length}. ${"So it is. ".repeat(12)}`;
    return Promise.resolve({ type: "reply" as const, reply: replyOf({ text, toolCalls }, count) });
  }
}

const SETTINGS = { keepMessages: 2, numCtx: 4096 };

/** What a session is computed from after a restart. */
function stored(session: Session): LogEvent[] {
  return session.events.map((event) => {
    const read = parseStoredLine(formatStoredLine(event));
    assert.ok(read !== undefined && read.type !== "unknown", `${event.type} cannot be read back`);
    return read;
  });
}

/**
 * What the model is sent, told in another way than the projection does it: from the last compaction that was not undone, its tail
 * as it was at that time, and what came later.
 */
function reference(events: readonly LogEvent[]): readonly ContextMessage[] {
  const undone = new Set(
    events.flatMap((event) => (event.type === "compaction_undone" ? [event.compactionId] : [])),
  );
  const kept = events.filter((event) => event.type !== "compaction_undone" && !undone.has(event.id));
  const index = kept.findLastIndex(({ type }) => type === "compacted");
  const compaction = kept[index];
  const plain = kept.filter(({ type }) => !/^(summary_|result_(dropped|restored)|compacted$)/.test(type));
  const dropped = droppedIn(kept);
  const whole = projectContext(plain).messages.map((message) =>
    dropped.has(message.source) && message.role === "tool" ? { ...message, content: "dropped" } : message,
  );
  if (compaction?.type !== "compacted") return whole;
  const start = whole.findIndex(({ source }) => source === compaction.tailFrom);
  const later = kept.slice(index).map(({ id }) => id);
  const from = start === -1 ? whole.findIndex(({ source }) => later.includes(source)) : start;
  const shortened = new Map(compaction.shortened.map((one) => [one.eventId, one.content]));
  const tail = from === -1 ? [] : whole.slice(from);
  return [
    { role: "system", source: compaction.id, content: compaction.systemPrompt },
    {
      role: "user",
      source: compaction.id,
      content: renderSummaryMessage(summaryOf(compaction.id, compaction.summary, kept), compaction.kept),
    },
    ...tail.map((message) => {
      const content = shortened.get(message.source);
      return content === undefined || message.content === "dropped" ? message : { ...message, content };
    }),
  ];
}

function droppedIn(events: readonly LogEvent[]): ReadonlySet<string> {
  const dropped = new Set<string>();
  for (const event of events) {
    if (event.type === "result_dropped") dropped.add(event.resultId);
    if (event.type === "result_restored") dropped.delete(event.resultId);
  }
  return dropped;
}

function summaryOf(id: string, first: string, events: readonly LogEvent[]): string {
  const all = new Map([[id, first]]);
  let current = id;
  for (const event of events) {
    if (event.type === "summary_replaced" && event.compactionId === id) {
      all.set(event.id, event.summary);
      current = event.id;
    }
    if (event.type === "summary_chosen" && event.compactionId === id) current = event.versionId;
  }
  return all.get(current) ?? "";
}

function check({ session }: Fixture): void {
  const events = stored(session);
  const context = projectContext(events);
  const marked = context.messages.map((message) =>
    message.role === "tool" && context.dropped.has(message.source)
      ? { ...message, content: "dropped" }
      : message,
  );
  assert.deepEqual(marked, reference(events));
  assert.equal(pairingFault(context.messages), undefined);
  const { anchor } = context;
  assert.ok(anchor === undefined || anchor.index < context.messages.length);
  const view = events.reduce(applyEvent, EMPTY_VIEW);
  assert.deepEqual(view.entries, session.view.entries);
  assert.deepEqual(
    [view.pins, view.queue, view.isPostponed],
    [session.view.pins, session.view.queue, session.view.isPostponed],
  );
}

async function act(fixture: Fixture, model: AnyModel, action: Action): Promise<Fixture> {
  const { session, idle } = fixture;
  const { steering } = session;
  const markers = session.view.entries.flatMap((entry) => (entry.kind === "compaction" ? [entry] : []));
  const results = session.events.filter(({ type }) => type === "tool_result");
  const pick = <One>(list: readonly One[], which: number) => list[which % Math.max(1, list.length)];
  switch (action.do) {
    case "message":
      model.calls = action.calls;
      session.send(`m${session.events.length}`, action.text);
      await idle();
      break;
    case "compact":
      await session.compactNow(action.which % 2 === 0 ? undefined : "the plan");
      break;
    case "undo":
      steering.undo(action.which < 5 ? undefined : pick(markers, action.which)?.id);
      break;
    case "edit":
      steering.editSummary(pick(markers.slice(-2), action.which)?.id ?? "", `- edited ${action.which}`);
      break;
    case "regenerate":
      await steering.regenerate(undefined, "keep the SQL");
      break;
    case "choose": {
      const marker = markers.at(-1);
      steering.chooseSummary(marker?.id ?? "", pick(marker?.versions ?? [], action.which)?.id ?? "");
      break;
    }
    case "pin":
      session.pin(action.text);
      break;
    case "unpin":
      session.unpin(pick(session.view.pins, action.which)?.id ?? "");
      break;
    case "drop":
      steering.dropResult(pick(results, action.which)?.id ?? "");
      break;
    case "restore":
      steering.restoreResult(pick(results, action.which)?.id ?? "");
      break;
    case "postpone":
      steering.postpone();
      break;
    case "reload":
      return reload(fixture, model);
  }
  return fixture;
}

/** A restart: the same meter, the same next request. */
async function reload({ session }: Fixture, model: AnyModel): Promise<Fixture> {
  const again = startSession(model, { settings: SETTINGS, events: stored(session) });
  assert.equal(again.session.events.length, session.events.length, "a whole log needs no repair");
  assert.deepEqual(again.session.view.meter, session.view.meter);
  assert.deepEqual(again.session.view.steering, session.view.steering);
  // Before the first request there is no system prompt yet, and its date is that of its making.
  if (!session.events.some(({ type }) => type === "prompt_built")) return again;
  const bodies = [session, again.session].map((one) => one.steering.nextRequest(AbortSignal.timeout(5_000)));
  const [before, after] = await Promise.all(bodies);
  assert.equal(JSON.stringify(after), JSON.stringify(before));
  return again;
}

describe("any sequence of messages, compactions, undos, edits, pins, drops and reloads", () => {
  test("leaves a log that replays to the same context, view, meter and next request", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyAction, { minLength: 4, maxLength: 30 }), async (actions) => {
        const model = new AnyModel();
        let fixture = startSession(model, { settings: SETTINGS });
        for (const action of actions) {
          fixture = await act(fixture, model, action);
          check(fixture);
        }
        await reload(fixture, model);
      }),
      { numRuns: 80 },
    );
  });
});
