import type { Compacted, KeptFacts, KeptFile } from "../../src/shared/events";
import type { CompactionEntry } from "../../src/shared/view";
import { copyButton } from "../copyButton";
import { compactionTitle } from "../describe";
import { h, present, setText, type Child } from "../dom";
import { icon } from "../icons";
import { fileLink } from "../links";
import { renderMarkdown } from "../markdown";
import { strings } from "../strings";
import { visibleText } from "../visibleText";
import { folded, plainItem, type Item } from "./item";

/** The place where the conversation was compacted: figures at once, summary and what was kept when unfolded. */
export class CompactionMarker implements Item<CompactionEntry> {
  readonly element: HTMLLIElement;
  private readonly title = h("span", { class: "marker-title" });

  /** `threshold` is the share of the window at which compaction is automatic, e.g. `80 %`. */
  constructor(
    entry: CompactionEntry,
    private readonly threshold: string | undefined,
  ) {
    const head = [icon("compact"), this.title, icon("chevron", "fold")];
    const marker = folded(head, "marker", () => body(entry.event));
    this.element = plainItem({ class: "entry compaction", "aria-label": strings.compaction.item }, marker);
    this.update(entry);
  }

  readonly update = ({ event, after }: CompactionEntry): void => {
    setText(this.title, compactionTitle(event, after, this.threshold));
  };
}

function body(event: Compacted): Child[] {
  const { compaction } = strings;
  const { kept } = event;
  const by =
    event.form === "by_code"
      ? compaction.madeByCode
      : compaction.madeBy(event.model, event.form, event.parts);
  const expected = event.predictedMs === undefined ? undefined : compaction.expected(event.predictedMs);
  const verbatim = event.messagesKept > 0 ? compaction.kept(event.messagesKept) : compaction.keptNothing;
  const focus = event.focus === undefined || event.focus === "" ? undefined : compaction.focus(event.focus);
  return [
    section(compaction.summary, event.summary, [
      h("div", { class: "markdown", dir: "auto" }, renderMarkdown(event.summary)),
    ]),
    words(kept),
    pins(kept),
    files(kept),
    commands(kept),
    h(
      "p",
      { class: "quiet", dir: "auto" },
      [focus, by, expected, verbatim].filter((text) => text !== undefined).join(" "),
    ),
  ];
}

function words({ words: said, wordsCut, request }: KeptFacts): HTMLElement | undefined {
  const { yourWords, request: newest } = strings.compaction;
  if (said.length === 0 && request === undefined && wordsCut === 0) return undefined;
  const copied = [...said, ...(request === undefined ? [] : [request])].join("\n\n");
  return section(yourWords, copied, [
    list(said.map((text) => h("li", { dir: "auto" }, text))),
    ...(request === undefined
      ? []
      : [h("p", { class: "quiet" }, newest), h("blockquote", { class: "said", dir: "auto" }, request)]),
    cut(wordsCut, strings.compaction.wordsCut),
  ]);
}

function pins({ pins: kept = [], pinsCut = 0 }: KeptFacts): HTMLElement | undefined {
  if (kept.length === 0 && pinsCut === 0) return undefined;
  return section(strings.compaction.pins, kept.join("\n\n"), [
    list(kept.map((text) => h("li", { dir: "auto" }, text))),
    cut(pinsCut, strings.compaction.pinsCut),
  ]);
}

function fileState({ changed, stale }: KeptFile): string {
  const { changed: changedByLoom, read, stale: since } = strings.compaction;
  const own = changed ? changedByLoom : read;
  return stale === undefined ? own : `${own}, ${since[stale]}`;
}

function files({ files: kept, filesCut }: KeptFacts): HTMLElement | undefined {
  if (kept.length === 0 && filesCut === 0) return undefined;
  const { files: title } = strings.compaction;
  return section(title, kept.map(({ path }) => path).join("\n"), [
    list(
      kept.map((file) =>
        h("li", {}, fileLink(file.path), h("span", { class: "quiet" }, ` ${fileState(file)}`)),
      ),
    ),
    cut(filesCut, strings.compaction.filesCut),
  ]);
}

function commands({ commands: kept, commandsCut }: KeptFacts): HTMLElement | undefined {
  if (kept.length === 0 && commandsCut === 0) return undefined;
  const { commands: title, exitCode } = strings.compaction;
  return section(title, kept.map(({ command }) => command).join("\n"), [
    list(
      kept.map(({ command, exitCode: code }) =>
        h(
          "li",
          {},
          h("code", { dir: "ltr" }, visibleText(command)),
          h("span", { class: "quiet" }, ` ${exitCode(code)}`),
        ),
      ),
    ),
    cut(commandsCut, strings.compaction.commandsCut),
  ]);
}

function section(title: string, copied: string, children: readonly Child[]): HTMLElement {
  const heading = h("h3", {}, title);
  if (copied !== "") heading.append(copyButton(strings.compaction.copy(title), () => copied));
  return h("div", { class: "kept" }, heading, ...present(children));
}

function list(items: readonly HTMLLIElement[]): HTMLElement | undefined {
  return items.length === 0 ? undefined : h("ul", {}, ...items);
}

function cut(count: number, sentence: (count: number) => string): HTMLElement | undefined {
  return count === 0 ? undefined : h("p", { class: "quiet" }, sentence(count));
}
