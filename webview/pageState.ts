import { NO_DRAFT, type Draft } from "../src/shared/protocol";
import { savedState, saveState } from "./hostApi";

/** The draft, and where one was in it. */
interface DraftPlace extends Draft {
  readonly selectionStart: number;
  readonly selectionEnd: number;
  readonly scrollTop: number;
}

/** Where the reader was in the transcript of a session; `null` while the newest is followed. */
export interface ReadingPlace {
  readonly sessionId: string;
  readonly scrollTop: number | null;
}

/** The only things that the page itself must remember; everything else comes from the host. */
export interface PageState {
  readonly draft: DraftPlace;
  readonly place: ReadingPlace;
}

const NOTHING: PageState = {
  draft: { ...NO_DRAFT, selectionStart: 0, selectionEnd: 0, scrollTop: 0 },
  place: { sessionId: "", scrollTop: null },
};

let current: PageState | undefined;

/** What an earlier document of this view kept; parts that cannot be read are empty. */
export function pageState(): PageState {
  current ??= parsePageState(savedState());
  return current;
}

/** Replaces the named parts of the state and saves it. */
export function rememberState(part: Partial<PageState>): void {
  current = { ...pageState(), ...part };
  saveState(current);
}

function parsePageState(value: unknown): PageState {
  const draft = field(value, "draft");
  const place = field(value, "place");
  const text = field(draft, "text");
  const sessionId = field(place, "sessionId");
  return {
    draft:
      typeof text === "string"
        ? {
            text,
            at: numberIn(draft, "at") ?? 0,
            selectionStart: numberIn(draft, "selectionStart") ?? text.length,
            selectionEnd: numberIn(draft, "selectionEnd") ?? text.length,
            scrollTop: numberIn(draft, "scrollTop") ?? 0,
          }
        : NOTHING.draft,
    place:
      typeof sessionId === "string"
        ? { sessionId, scrollTop: numberIn(place, "scrollTop") ?? null }
        : NOTHING.place,
  };
}

function field(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  return Object.entries(value).find(([key]) => key === name)?.[1] as unknown;
}

function numberIn(value: unknown, name: string): number | undefined {
  const found = field(value, name);
  return typeof found === "number" && Number.isFinite(found) && found >= 0 ? found : undefined;
}
