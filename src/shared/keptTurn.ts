import type { FilesKept } from "./events";
import type { Entry, KeptTurn, TurnFile } from "./sessionView";

/** What is known of a turn's files after an event; null when there are none. */
export function keptAfter(kept: KeptTurn | null, event: FilesKept): KeptTurn | null {
  const { turnId, stage } = event;
  const known = kept?.turnId === turnId ? kept : null;
  const named = new Map(event.files.map((file) => [file.path, file]));
  const files = (known?.files ?? []).flatMap((file): readonly TurnFile[] => {
    const now = named.get(file.path);
    named.delete(file.path);
    if (now === undefined) return [file];
    if (stage === "unchanged") return [];
    return stage === "expected" ? [file] : [now];
  });
  const added = stage === "unchanged" ? [] : [...named.values()];
  const all = [
    ...files,
    ...added.map((file) => (stage === "expected" ? { ...file, isExpected: true } : file)),
  ];
  const more = (known?.more ?? 0) + (event.more ?? 0);
  if (all.length === 0 && more === 0) return null;
  const isCut = known?.isCut ?? event.isCut ?? false;
  return { turnId, files: all, ...(more > 0 && { more }), ...(isCut && { isCut }) };
}

/** What is kept of the newest turn; what becomes known only after its end, e.g. because it was cut off, is shown with that end. */
export function withKept(
  entries: readonly Entry[],
  kept: KeptTurn | null,
): { readonly entries: readonly Entry[]; readonly kept: KeptTurn | null } {
  const index = entries.findLastIndex(({ kind }) => kind === "turn_ended" || kind === "user");
  const entry = entries[index];
  if (entry?.kind !== "turn_ended") return { entries, kept };
  const { kept: _, ...end } = entry;
  return { entries: entries.with(index, kept === null ? end : { ...end, kept }), kept };
}
