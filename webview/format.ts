import type { TokenCount } from "../src/shared/events";

/** Between a number and its unit: no line ends there. */
const GAP = "\u00a0";

const NUMBER = new Intl.NumberFormat("en-US");

/** A whole number with separators, e.g. `3,470`. */
export function number(value: number): string {
  return NUMBER.format(Math.round(value));
}

/** A count of tokens; `~` stands before an estimate. */
export function tokens({ tokens: count, estimated }: TokenCount): string {
  return `${estimated ? "~" : ""}${number(count)}`;
}

/** How long something took (milliseconds): tenths of a second below ten seconds, whole ones above, minutes from one on. */
export function duration(milliseconds: number): string {
  const seconds = Math.max(0, milliseconds) / 1_000;
  if (seconds < 0.05) return `<${GAP}0.1${GAP}s`;
  return seconds < 9.95 ? `${seconds.toFixed(1)}${GAP}s` : elapsed(milliseconds);
}

/** Time that is still running (milliseconds), in whole seconds. */
export function elapsed(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1_000));
  if (seconds < 60) return `${seconds}${GAP}s`;
  return `${Math.floor(seconds / 60)}${GAP}min ${seconds % 60}${GAP}s`;
}

const CLOCK = new Intl.DateTimeFormat(undefined, { dateStyle: "short", timeStyle: "short" });

/** A moment (milliseconds since 1970) as the person writes it. */
export function clock(at: number): string {
  return CLOCK.format(at);
}

/** A share of a whole in whole percent, e.g. `85 %`; above 100 where it is. */
export function percent(part: number, whole: number): string {
  return `${whole > 0 ? Math.round((part / whole) * 100) : 0}${GAP}%`;
}
