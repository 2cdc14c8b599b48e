import type { SessionEvent } from "../src/shared/live";
import type { ModelStatus, ToPage } from "../src/shared/protocol";
import { applyEvent, EMPTY_VIEW, type SessionView } from "../src/shared/view";
import { announce, liveRegion } from "./announcer";
import { announcement } from "./describe";
import { Composer } from "./dock/composer";
import { ContextMeter } from "./dock/contextMeter";
import { PhaseLine } from "./dock/phaseLine";
import { QueueList } from "./dock/queueList";
import { focusIfHere, h } from "./dom";
import { post, runCommand, steer } from "./hostApi";
import { pageState, rememberState } from "./pageState";
import { contextPanel } from "./panels/contextPanel";
import { helpPanel } from "./panels/helpPanel";
import { pinsPanel } from "./panels/pinsPanel";
import { Popover } from "./panels/popover";
import { Scrolling } from "./scrolling";
import { EmptyState, RehearsalNote, StatusBanner } from "./status/statusNotes";
import { strings } from "./strings";
import { button } from "./toolkit";
import { Transcript } from "./transcript";

/** After these the figures of an open context sheet are old. */
const CONTEXT_CHANGES: ReadonlySet<string> = new Set([
  "result_dropped",
  "result_restored",
  "compacted",
  "compaction_undone",
  "summary_replaced",
  "summary_chosen",
]);

const PIN_CHANGES: ReadonlySet<string> = new Set(["pinned", "unpinned", "steering_changed"]);

/** The panel: a projection of what the host tells. It keeps nothing of its own but the draft and the reader's place. */
export class Page {
  private view: SessionView = EMPTY_VIEW;
  private status: ModelStatus = { state: "checking", address: "" };
  private hasFolder = true;
  /** What decides about empty state and banner, as it was last shown. */
  private shownStatus = "";
  private isDrawing = false;
  /** As they were when the compaction that runs began. */
  private entriesBefore: SessionView["entries"] | undefined;

  private readonly transcript = new Transcript();
  private readonly meter = new ContextMeter(() => this.showPins());
  private readonly phaseLine = new PhaseLine(() => this.transcript.focusApproval());
  private readonly composer: Composer = new Composer({
    onMessage: (text) => this.send(text),
    onHelp: () => this.popover.open(strings.help.title, ...helpPanel()),
    onPins: () => this.showPins(),
    onUnpin: (number) => this.unpin(number),
  });
  private readonly queue = new QueueList(
    ({ id }) => this.withdraw(id),
    ({ id }) => {
      this.discarded.add(id);
      this.withdraw(id);
    },
  );
  /** Waiting messages that are withdrawn for good, and do not come back into the field. */
  private readonly discarded = new Set<string>();
  private readonly popover: Popover = new Popover(() => this.composer.field);
  private readonly empty = new EmptyState((text) => this.composer.suggest(text));
  private readonly banner = new StatusBanner();
  private readonly rehearsal = new RehearsalNote();
  private readonly scrolling: Scrolling;

  constructor(root: HTMLElement) {
    const title = h("h1", { class: "visually-hidden" }, strings.transcript.loom);
    const content = h("div", { class: "content" }, title, this.empty.element, this.transcript.element);
    const scroller = h(
      "main",
      { class: "scroller", tabindex: "0", "aria-label": strings.transcript.conversation },
      content,
    );
    const jump = button({
      label: strings.transcript.jumpToNewest,
      icon: "down",
      className: "jump",
      onPress: () => {
        this.scrolling.toEnd();
        this.composer.focus();
      },
    });
    const dock = h(
      "footer",
      { class: "dock" },
      this.popover.element,
      this.phaseLine.element,
      this.queue.element,
      this.banner.element,
      this.rehearsal.element,
      this.meter.element,
      this.composer.element,
    );
    root.append(h("div", { class: "stage" }, scroller, jump), dock, liveRegion);
    this.scrolling = new Scrolling(scroller, content, jump, (scrollTop) =>
      rememberState({ place: { sessionId: this.view.sessionId, scrollTop } }),
    );
    this.composer.restore();
    this.draw();
  }

  /** Takes in one message from the host. */
  receive(message: ToPage): void {
    switch (message.type) {
      case "snapshot":
        this.start(message);
        break;
      case "events":
        // Events of a session that was left are still on their way when the next one's snapshot arrives.
        if (message.sessionId === this.view.sessionId) this.apply(message.events);
        break;
      case "status":
        this.status = message.status;
        this.drawSoon();
        break;
      case "context":
        this.showContext(message);
        break;
      case "say":
        this.composer.say(message.message);
        break;
      case "focus_composer":
        this.composer.focus();
        break;
      case "send_refused":
        this.composer.giveBack(message.text, message.message);
        break;
    }
  }

  private start({ view, status, hasFolder, draft }: Extract<ToPage, { type: "snapshot" }>): void {
    if (view.sessionId !== this.view.sessionId) this.popover.close();
    this.composer.adopt(draft);
    this.view = view;
    this.status = status;
    this.hasFolder = hasFolder;
    this.transcript.reset();
    this.draw();
    const { sessionId, scrollTop } = pageState().place;
    if (sessionId === view.sessionId && scrollTop !== null) this.scrolling.toPlace(scrollTop);
    else this.scrolling.toEnd();
  }

  private apply(events: readonly SessionEvent[]): void {
    const withdrawn: string[] = [];
    for (const event of events) {
      if (event.type === "message_withdrawn" && !this.discarded.delete(event.queueId)) {
        withdrawn.push(...this.view.queue.filter(({ id }) => id === event.queueId).map(({ text }) => text));
      }
      const before = this.view;
      this.view = applyEvent(before, event);
      announce(announcement(event, this.view, before));
      this.watchCompaction(before);
    }
    if (withdrawn.length > 0) this.composer.giveBack(withdrawn.join("\n"), "");
    this.refreshPopover(events);
    this.drawSoon();
  }

  /** Says that a compaction has ended when the transcript has nothing to show for it, because it was stopped. */
  private watchCompaction(before: SessionView): void {
    const wasCompacting = before.phase.name === "compacting";
    const isCompacting = this.view.phase.name === "compacting";
    if (isCompacting && !wasCompacting) this.entriesBefore = before.entries;
    if (wasCompacting && !isCompacting && this.entriesBefore === this.view.entries) {
      announce(strings.steering.announced.unchanged);
    }
  }

  /** Keeps what is open beside the conversation true. */
  private refreshPopover(events: readonly SessionEvent[]): void {
    const has = (types: ReadonlySet<string>) => events.some(({ type }) => types.has(type));
    if (this.popover.shows(strings.context.title) && has(CONTEXT_CHANGES)) runCommand("showContext");
    if (this.popover.shows(strings.steering.pins) && has(PIN_CHANGES)) this.showPins();
  }

  private showContext({ breakdown, details }: Extract<ToPage, { type: "context" }>): void {
    const goTo = (id: string) => {
      this.popover.close();
      this.transcript.goTo(id);
    };
    this.popover.open(strings.context.title, ...contextPanel(breakdown, details, goTo));
  }

  private showPins(): void {
    this.popover.open(strings.steering.pins, ...pinsPanel(this.view));
  }

  private unpin(number: number): void {
    const pin = this.view.pins[number - 1];
    if (pin === undefined) this.composer.say(strings.steering.noSuchPin(number));
    else steer({ do: "unpin", pinId: pin.id });
  }

  private withdraw(id: string): void {
    post({ type: "withdraw", id });
    this.composer.focus();
  }

  private send(text: string): void {
    post({ type: "send", id: newId(), text });
    this.scrolling.toEnd();
  }

  /** Draws once per frame of the screen, however many events arrive within it. */
  private drawSoon(): void {
    if (this.isDrawing) return;
    this.isDrawing = true;
    requestAnimationFrame(() => {
      this.isDrawing = false;
      this.draw();
    });
  }

  private draw(): void {
    const focused = document.activeElement;
    this.drawStatus();
    this.transcript.update(this.view);
    this.phaseLine.update(this.view);
    this.queue.update(this.view.queue);
    this.meter.update(this.view);
    this.composer.update(this.view.phase);
    // A button that goes away with its question must not leave the keyboard nowhere.
    const isLost = focused !== null && focused !== document.body && !focused.checkVisibility();
    if (isLost) focusIfHere(this.composer.field);
  }

  private drawStatus(): void {
    const { status, hasFolder, view } = this;
    const isEmpty = view.streaming === null && !view.entries.some(({ kind }) => kind === "user");
    const shown = { status, hasFolder, isEmpty };
    const key = JSON.stringify(shown);
    if (key === this.shownStatus) return;
    this.shownStatus = key;
    this.empty.update(shown);
    this.banner.update(shown);
    this.rehearsal.update(shown);
    this.composer.updateStatus(status);
  }
}

/** Unique among the messages of this view, in this document and in the next ones. */
function newId(): string {
  const random = crypto.getRandomValues(new Uint32Array(2));
  return [Date.now(), ...random].map((part) => part.toString(36)).join("-");
}
