import type { KeptFacts, KeptFile } from "../../shared/events";

/** The sentence that begins slot 1 of a compacted context; design §2.4 gives it word for word. */
export const SUMMARY_SENTENCE =
  "[Context summary — earlier messages were compacted to save space. File contents mentioned below may be stale; re-read files before editing.]";

/** Slot 1 of a compacted context: the bracketed sentence, the summary, and what code keeps word for word. */
export function renderSummaryMessage(summary: string, kept: KeptFacts): string {
  return [SUMMARY_SENTENCE, summary, ...renderKeptSections(kept)].join("\n\n");
}

/** The sections after the summary; a section without entries is left out. */
export function renderKeptSections(kept: KeptFacts): string[] {
  const files = kept.files.map(describeFile);
  const commands = kept.commands.map(
    ({ command, exitCode }) => `${command} → exit code ${exitCode ?? "none"}`,
  );
  return [
    ...section("What the user typed, word for word, oldest first:", kept.words, kept.wordsCut),
    ...section("Pinned by the user, word for word:", kept.pins ?? [], kept.pinsCut ?? 0),
    ...section("Files read or changed:", files, kept.filesCut),
    ...section("Commands run:", commands, kept.commandsCut),
    ...(kept.request === undefined ? [] : [`The user's current request, word for word:\n${kept.request}`]),
  ];
}

function describeFile({ path, changed, stale }: KeptFile): string {
  const since = { changed: " (changed since it was read)", deleted: " (deleted since)" } as const;
  // "changed" alone is what the agent itself did.
  return `${path}${changed ? " (changed by you)" : ""}${stale === undefined ? "" : since[stale]}`;
}

function section(title: string, items: readonly string[], cut: number): string[] {
  if (items.length === 0 && cut === 0) return [];
  const lines = items.map((item) => `- ${item.replaceAll("\n", "\n  ")}`);
  if (cut > 0) lines.unshift(`(${cut} older ones shortened or left out)`);
  return [[title, ...lines].join("\n")];
}
