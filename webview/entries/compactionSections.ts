import { currentVersion } from "../../src/shared/compactionView";
import type { KeptFacts, KeptFile } from "../../src/shared/events";
import type { CompactionEntry } from "../../src/shared/view";
import { copyButton } from "../copyButton";
import { h, present, type Child } from "../dom";
import { clock } from "../format";
import { fileLink } from "../markdown/links";
import { renderMarkdown } from "../markdown/markdown";
import { strings } from "../strings";
import { visibleCommand } from "../visibleText";

/** What there is to read in a marker: the summary that is in force, what code keeps beside it, and how it came about. */
export function compactionSections(entry: CompactionEntry, context: MarkerContext): Child[] {
  const { kept } = entry.event;
  const summary = currentVersion(entry)?.summary ?? "";
  return [
    section(strings.compaction.summary, summary, [
      h("div", { class: "markdown", dir: "auto" }, renderMarkdown(summary)),
    ]),
    words(kept),
    pins(kept),
    files(kept),
    commands(kept),
    verbatim(entry, context),
    facts(entry, context),
  ];
}

/** What a marker shows of the transcript around it. */
export interface MarkerContext {
  /** The share of the window at which compaction is automatic, e.g. `80 %`, where it is known. */
  readonly threshold: string | undefined;
  /** The compaction with this id. */
  readonly find: (id: string) => CompactionEntry | undefined;
  readonly goTo: (entryId: string) => void;
  /** What stands in the transcript from the entry `from` up to the marker `to`, as text. */
  readonly textBetween: (from: string, to: string) => string;
}

function verbatim({ id, event }: CompactionEntry, { goTo, textBetween }: MarkerContext): HTMLElement {
  const { messagesKept, shortened, tailFrom } = event;
  const { verbatim: title, verbatimText, verbatimNothing, shortened: cutText } = strings.steering;
  const text = messagesKept === 0 ? verbatimNothing : verbatimText(messagesKept);
  const jump =
    tailFrom === undefined ? undefined : linkTo(strings.steering.firstOfThem, () => goTo(tailFrom));
  const copied = tailFrom === undefined ? "" : textBetween(tailFrom, id);
  return section(title, copied, [
    h("p", {}, text, shortened.length === 0 ? undefined : ` ${cutText(shortened.length)}`),
    jump === undefined ? undefined : h("p", {}, jump),
  ]);
}

function facts(entry: CompactionEntry, { threshold, find, goTo }: MarkerContext): HTMLElement {
  const { steering, compaction } = strings;
  const { event, at, after, chain } = entry;
  const version = currentVersion(entry);
  const form = version?.form ?? event.form;
  const parts = version?.origin === "regenerated" ? 1 : event.parts;
  const links = chain.flatMap((id, index) => {
    const earlier = find(id);
    return earlier === undefined
      ? []
      : [
          h(
            "li",
            {},
            linkTo(steering.chainLink(index, clock(earlier.at)), () => goTo(id)),
          ),
        ];
  });
  const rows: readonly (readonly [string, Child])[] = [
    [steering.why, steering.whyText(event.trigger, threshold)],
    [steering.when, clock(at)],
    [steering.messages, steering.messagesText(event.messagesSummarised, event.messagesKept)],
    [steering.tokens, compaction.sizes(event.before, after)],
    [steering.took, compaction.took(version?.durationMs ?? event.durationMs)],
    [steering.request, steering.requestText(form, parts)],
    [steering.model, form === "by_code" ? undefined : (version?.model ?? event.model)],
    [steering.focus, event.focus],
    [steering.chain, links.length === 0 ? undefined : h("ol", { class: "chain" }, ...links)],
  ];
  const shown = rows.filter(([, value]) => value !== undefined && value !== null && value !== "");
  const text = shown.map(([name, value]) => `${name}: ${typeof value === "string" ? value : links.length}`);
  return section(steering.facts, text.join("\n"), [
    h(
      "dl",
      { class: "facts" },
      ...shown.flatMap(([name, value]) => [h("dt", {}, name), h("dd", { dir: "auto" }, value)]),
    ),
  ]);
}

function linkTo(text: string, onPress: () => void): HTMLElement {
  const element = h("button", { class: "link", type: "button" }, text);
  element.addEventListener("click", onPress);
  return element;
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
          h("code", { dir: "ltr" }, visibleCommand(command)),
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
