import type { AssistantMessage, TurnEnded } from "../../shared/events";
import { adoptSmallerWindow, modelOf, resultBudget, windowOf, type Agent } from "../agent";
import { isRepeating } from "./repetition";
import { askModel } from "./reply";
import { runToolRound } from "./toolRound";

type End = Omit<TurnEnded, "type">;

/** Rounds in a row in which no call could be started, before the turn pauses. */
const INVALID_ROUNDS = 3;

/** How often a reply that was cut in the middle is asked for again in smaller steps. */
const CUT_REPLIES = 2;

/**
 * One turn: asks the model, runs the tools that it calls, and asks again until it stops calling. Never throws for what can
 * happen; the last event that it appends is `turn_ended` with the reason.
 */
export async function runTurn(agent: Agent, signal: AbortSignal): Promise<TurnEnded["reason"]> {
  const end = await runRounds(agent, signal);
  agent.journal.append({ type: "turn_ended", ...end });
  return end.reason;
}

async function runRounds(agent: Agent, signal: AbortSignal): Promise<End> {
  const { roundLimit } = agent.settings();
  const signatures: string[] = [];
  let invalidRounds = 0;
  let cutReplies = 0;
  let hasAskedForSmaller = false;
  for (let round = 0; round < roundLimit; round++) {
    const outcome = await askModel(agent, signal);
    if (outcome.type === "stopped") return { reason: "stopped" };
    if (outcome.type === "failed") {
      if (outcome.failure.kind !== "tool_parse" || hasAskedForSmaller)
        return { reason: "failed", failure: outcome.failure };
      hasAskedForSmaller = true;
      agent.journal.append({ type: "model_note", text: UNREADABLE_NOTE });
      continue;
    }
    const reply = outcome.event;
    await adoptAllocatedWindow(agent, signal);
    if (reply.end === "cut_by_length") {
      const isAnswer = reply.text.trim() !== "" || ++cutReplies >= CUT_REPLIES;
      if (isAnswer) return cutEnd(reply);
      agent.journal.append({ type: "model_note", text: CUT_NOTE });
      continue;
    }
    if (reply.toolCalls.length === 0) return answerEnd(reply);
    const { signature, isAllInvalid } = await runTools(agent, reply, signal);
    if (signal.aborted) return { reason: "stopped" };
    signatures.push(signature);
    invalidRounds = isAllInvalid ? invalidRounds + 1 : 0;
    if (invalidRounds >= INVALID_ROUNDS) {
      return {
        reason: "repeating",
        message: `${modelOf(agent)} keeps calling tools in a form that cannot be run.`,
      };
    }
    if (isRepeating(signatures)) {
      return { reason: "repeating", message: "The model repeats the same calls with the same results." };
    }
  }
  return {
    reason: "round_limit",
    message: `The limit of ${roundLimit} rounds is reached (setting loom.roundLimit).`,
  };
}

const CUT_NOTE =
  "Your reply was cut because it was too long, and nothing of it was run. Go on in smaller steps: shorter edits, one tool call at a time.";

/** What a model is told, once in a turn, when the same call was unreadable twice. */
const UNREADABLE_NOTE =
  "Your last tool call could not be read, so nothing of it was run. Call the tool again in a smaller step: shorter texts, one call at a time.";

function answerEnd(reply: AssistantMessage): End {
  if (reply.text.trim() !== "") return { reason: "done" };
  const what =
    reply.thinking === "" ? "The model sent an empty reply." : "The model only thought and gave no answer.";
  return { reason: "no_answer", message: what };
}

function cutEnd(reply: AssistantMessage): End {
  return reply.text.trim() === ""
    ? { reason: "no_answer", message: "The model used up the room for its reply without giving an answer." }
    : {
        reason: "done",
        message: "The answer was cut: the room for a reply is used up. Send “go on” to continue.",
      };
}

function runTools(agent: Agent, reply: AssistantMessage, signal: AbortSignal) {
  return runToolRound(
    {
      ...agent,
      calls: reply.toolCalls,
      rates: windowOf(agent).rates,
      budget: (callsLeft) => resultBudget(agent, callsLeft),
      describeError: (error) => (error instanceof Error ? error.message : String(error)),
    },
    signal,
  );
}

/** After the first reply in a window the server tells what it really allocated; less than asked is shown and adopted. */
async function adoptAllocatedWindow(agent: Agent, signal: AbortSignal): Promise<void> {
  const model = modelOf(agent);
  const key = JSON.stringify([model, windowOf(agent).numCtx]);
  if (agent.checkedWindows.has(key)) return;
  const allocated = await agent.chatModel.allocatedNumCtx(model, signal);
  if (!signal.aborted) agent.checkedWindows.add(key);
  if (allocated !== undefined) adoptSmallerWindow(agent, allocated);
}
