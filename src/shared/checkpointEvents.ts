/** Files whose content was kept before a turn changed them for the first time. */
export interface FilesKept {
  readonly type: "files_kept";
  /** The message of the person that began the turn. */
  readonly turnId: string;
  readonly files: readonly KeptBefore[];
  /** `expected` before they are changed, `unchanged` when they were not or are as before; absent once they have changed. */
  readonly stage?: "expected" | "unchanged";
  /** How many more have changed that are not named and cannot be restored. */
  readonly more?: number;
  /** True when the workspace has more files than are looked at: what commands changed in the rest is not known. */
  readonly isCut?: boolean;
}

/** How a file was before the turn; `not_kept` says why its content could not be kept. */
export interface KeptBefore {
  readonly path: string;
  readonly was: "file" | "missing" | "not_kept";
  readonly reason?: string;
}

/** The person took the file changes of a turn back. */
export interface TurnRestored {
  readonly type: "turn_restored";
  readonly turnId: string;
  readonly files: readonly RestoredFile[];
  /** Under which the files are kept as they were right before: by it this can be taken back in turn. */
  readonly undoId: string;
}

export interface RestoredFile {
  readonly path: string;
  /** `merged` took out what Loom changed and left what was changed since. */
  readonly how: "restored" | "recreated" | "deleted" | "merged";
}
