/** What a setting may hold. */
export type Expected =
  | { readonly kind: "whole_number" | "number"; readonly minimum: number; readonly maximum: number }
  | { readonly kind: "choice"; readonly choices: readonly string[] }
  | { readonly kind: "text" | "yes_or_no" | "texts" }
  /** `problem` is a sentence. */
  | { readonly kind: "address"; readonly problem: string };

/** A value that cannot be used; the default stands in for it. */
export interface BadSetting {
  /** Without the `loom.` in front. */
  readonly id: string;
  readonly value: unknown;
  readonly expected: Expected;
  readonly usedInstead: string;
}
