import type {
  CompactionEntry,
  PendingApproval,
  Entry,
  SessionView,
  StreamingReply,
} from "../src/shared/view";
import { currentCompaction } from "../src/shared/compactionView";
import { entryText } from "./describe";
import { h } from "./dom";
import { CompactionMarker } from "./entries/compactionMarker";
import type { MarkerContext } from "./entries/compactionSections";
import type { Item } from "./entries/item";
import { AssistantItem, userItem } from "./entries/messages";
import { compactionFailedItem, noticeItem, turnEndItem } from "./entries/notes";
import { restoredItem } from "./entries/restoreNote";
import { ToolCard } from "./entries/toolCard";
import { percent } from "./format";
import { strings } from "./strings";

/** An entry as it was last shown; entries that need nothing on the screen have no item. */
interface Shown {
  readonly entry: Entry;
  readonly item: Item | undefined;
}

/** From this many entries on, those out of sight are not laid out. Their heights are then estimates until they are seen. */
const LONG = 150;

interface Streaming {
  readonly id: string;
  readonly item: AssistantItem;
}

/**
 * The conversation as a list. Entries only ever come at the end or change in place, so the n-th entry of the view is the n-th one
 * shown, and a piece of streaming text touches nothing but the reply that it belongs to.
 */
export class Transcript {
  readonly element = h("ol", { class: "transcript", "aria-label": strings.transcript.conversation });
  private entries: readonly Entry[] = [];
  private shown: Shown[] = [];
  private streaming: Streaming | undefined;
  private tools = new Map<string, ToolCard>();
  private output: SessionView["output"] = {};
  private approvals: readonly PendingApproval[] = [];
  private lastAuthor: "you" | "loom" | undefined;
  private markers = new Map<string, CompactionMarker>();
  private context: MarkerContext = {
    threshold: undefined,
    find: (id) => this.compaction(id),
    goTo: (id) => this.goTo(id),
    textBetween: (from, to) => this.textBetween(from, to),
  };
  private steered: readonly unknown[] = [];

  /** Forgets everything, so that the next update shows a view from scratch. */
  reset(): void {
    this.element.replaceChildren();
    this.entries = [];
    this.shown = [];
    this.streaming = undefined;
    this.tools = new Map();
    this.markers = new Map();
    this.steered = [];
    this.output = {};
    this.approvals = [];
    this.lastAuthor = undefined;
  }

  update(view: SessionView): void {
    const threshold = view.meter === null ? undefined : percent(view.meter.compactAt, view.meter.window);
    if (threshold !== this.context.threshold) this.context = { ...this.context, threshold };
    if (view.entries !== this.entries) this.updateEntries(view);
    this.updateStreaming(view.streaming);
    if (view.output !== this.output) this.updateOutput(view.output);
    if (view.approvals !== this.approvals) this.updateApprovals(view.approvals);
    this.updateMarkers(view);
  }

  /** Brings an entry into view, with the keyboard focus on it; nothing where it is not shown. */
  goTo(entryId: string): void {
    const isShown = ({ entry, item }: Shown) => item !== undefined && isOf(entryId, entry);
    const element = this.shown.find(isShown)?.item?.element;
    if (element === undefined) return;
    element.tabIndex = -1;
    element.focus({ preventScroll: true });
    const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
    element.scrollIntoView({ block: "start", behavior: isStill ? "instant" : "smooth" });
  }

  /** Brings the oldest open question into view, with the keyboard focus on it. */
  focusApproval(): void {
    const [first] = this.approvals;
    if (first !== undefined) this.tools.get(first.callId)?.focusApproval();
  }

  private textBetween(from: string, to: string): string {
    const start = this.entries.findIndex((entry) => isOf(from, entry));
    const end = this.entries.findIndex(({ id }) => id === to);
    const entries = start === -1 ? [] : this.entries.slice(start, end);
    return entries
      .map(entryText)
      .filter((text) => text !== "")
      .join("\n\n");
  }

  private compaction(id: string): CompactionEntry | undefined {
    const entry = this.entries.find((one) => one.id === id);
    return entry?.kind === "compaction" ? entry : undefined;
  }

  private updateMarkers(view: SessionView): void {
    const { entries, phase, steering, meter } = view;
    const isBusy = phase.name !== "idle";
    const steered = [entries, isBusy, steering, meter?.window];
    if (this.markers.size === 0 || steered.every((part, index) => part === this.steered[index])) return;
    this.steered = steered;
    const current = currentCompaction(view)?.id;
    for (const [id, marker] of this.markers) {
      const state = { isBusy, undo: steering?.undo ?? null, window: meter?.window ?? 0 };
      marker.steer({ ...state, isCurrent: id === current });
    }
  }

  private updateEntries({ entries, streaming }: SessionView): void {
    // The session started over.
    if (entries.length < this.shown.length) this.reset();
    for (const [index, entry] of entries.entries()) {
      const shown = this.shown[index];
      if (shown === undefined) this.add(entry, streaming);
      else if (shown.entry !== entry) {
        if (shown.entry.kind === entry.kind) shown.item?.update?.(entry);
        this.shown[index] = { ...shown, entry };
      }
    }
    this.entries = entries;
    this.element.classList.toggle("long", entries.length >= LONG);
  }

  private add(entry: Entry, streaming: StreamingReply | null): void {
    const isStreamEnd = entry.kind === "assistant" && this.streaming?.id !== streaming?.id;
    if (isStreamEnd && this.streaming !== undefined) {
      const { item } = this.streaming;
      this.streaming = undefined;
      item.update(entry);
      this.shown.push({ entry, item });
      return;
    }
    const item = this.itemFor(entry);
    // What happens while a reply streams stands above it.
    if (item !== undefined) this.element.insertBefore(item.element, this.streaming?.item.element ?? null);
    this.shown.push({ entry, item });
  }

  private itemFor(entry: Entry): Item | undefined {
    switch (entry.kind) {
      case "user":
        this.lastAuthor = "you";
        return userItem(entry);
      case "assistant": {
        if (entry.text === "" && entry.thinking === "") return undefined;
        const item = this.answer();
        item.update(entry);
        return item;
      }
      case "tool": {
        const card = new ToolCard(entry);
        this.tools.set(entry.id, card);
        return card;
      }
      case "compaction":
        return this.marker(entry);
      case "compaction_failed":
        return compactionFailedItem(entry);
      case "turn_ended":
        return turnEndItem(entry);
      case "restored":
        return restoredItem(entry);
      case "notice":
        return noticeItem(entry);
    }
  }

  private marker(entry: CompactionEntry): CompactionMarker {
    const marker = new CompactionMarker(entry, this.context);
    this.markers.set(entry.id, marker);
    return marker;
  }

  private answer(): AssistantItem {
    const item = new AssistantItem(this.lastAuthor !== "loom");
    this.lastAuthor = "loom";
    return item;
  }

  private updateStreaming(reply: StreamingReply | null): void {
    if (this.streaming !== undefined && this.streaming.id !== reply?.id) {
      this.streaming.item.element.remove();
      this.streaming = undefined;
    }
    if (reply === null || (reply.text === "" && reply.thinking === "" && this.streaming === undefined))
      return;
    if (this.streaming === undefined) {
      this.streaming = { id: reply.id, item: this.answer() };
      this.element.append(this.streaming.item.element);
    }
    this.streaming.item.stream(reply);
  }

  private updateOutput(output: SessionView["output"]): void {
    for (const [callId, text] of Object.entries(output)) {
      if (this.output[callId] !== text) this.tools.get(callId)?.showOutput(text);
    }
    for (const callId of Object.keys(this.output)) {
      if (!(callId in output)) this.tools.get(callId)?.showOutput(undefined);
    }
    this.output = output;
  }

  private updateApprovals(approvals: readonly PendingApproval[]): void {
    for (const before of this.approvals) {
      if (!approvals.includes(before)) this.tools.get(before.callId)?.showApproval(undefined);
    }
    for (const approval of approvals) {
      if (!this.approvals.includes(approval)) this.tools.get(approval.callId)?.showApproval(approval);
    }
    this.approvals = approvals;
  }
}

/** True for the entry of an event. A reply that only calls tools is shown by its calls, whose ids begin with its own. */
function isOf(eventId: string, { id }: Entry): boolean {
  return id === eventId || id.startsWith(`${eventId}.`);
}
