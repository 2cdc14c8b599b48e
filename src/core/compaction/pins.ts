import type { KeptFacts, LogEvent } from "../../shared/events";
import type { Pin } from "../../shared/view";
import { windowOf, type Agent, type CommandOutcome } from "../agent";
import { SHARES } from "../limits";
import { estimateText, type Rates } from "../window/estimate";
import { pinTokens } from "../window/window";
import { newestThatFit, TOKENS_PER_ITEM } from "./kept";

/** What is pinned now, oldest first, from the log alone. */
export function pinsOf(events: readonly LogEvent[]): readonly Pin[] {
  const pins = new Map<string, Pin>();
  for (const event of events) {
    if (event.type === "pinned") pins.set(event.pinId, { id: event.pinId, text: event.text });
    if (event.type === "unpinned") pins.delete(event.pinId);
  }
  return [...pins.values()];
}

/** The pins that slot 1 carries: all of them, unless the window has shrunk since they were pinned; then the newest that fit. */
export function keepPins(
  events: readonly LogEvent[],
  numCtx: number,
  rates: Rates,
): Required<Pick<KeptFacts, "pins" | "pinsCut">> {
  const pins = pinsOf(events).map(({ text }) => text);
  const kept = newestThatFit(pins, (text) => text, numCtx * SHARES.pinsCarried, rates);
  return { pins: kept, pinsCut: pins.length - kept.length };
}

/** Pins a text; refused beyond a tenth of the window. The context holds it from the next compaction on. */
export function pin(agent: Agent, text: string): CommandOutcome {
  const trimmed = text.trim();
  const { pins } = agent.journal.view;
  if (trimmed === "") return { ok: false, message: "There is no text to pin." };
  if (pins.some((one) => one.text === trimmed)) return { ok: false, message: "This is pinned already." };
  const { numCtx, rates } = windowOf(agent);
  const most = Math.floor(numCtx * SHARES.pins);
  const tokens = pinTokens([...pins.map((one) => one.text), trimmed], rates);
  if (tokens > most) {
    const alone = estimateText(trimmed, rates) + 2 * TOKENS_PER_ITEM;
    const which = pins.length === 0 ? "It would take" : `With this one of about ${alone} the pins would take`;
    return {
      ok: false,
      message: `${which} about ${tokens} tokens; at most ${most} fit, a tenth of the context window of ${numCtx}. Pin less, or unpin something first.`,
    };
  }
  agent.journal.append({ type: "pinned", pinId: agent.newId(), text: trimmed });
  return { ok: true };
}

/** Takes a pin back; what a compaction has already put into the context stays there until the next one. */
export function unpin(agent: Agent, pinId: string): CommandOutcome {
  if (!agent.journal.view.pins.some(({ id }) => id === pinId)) {
    return { ok: false, message: "There is no such pin." };
  }
  agent.journal.append({ type: "unpinned", pinId });
  return { ok: true };
}
