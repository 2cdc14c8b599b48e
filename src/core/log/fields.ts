/** Whether a value from a file may be what is said to be there. */
export type Check = (value: unknown) => boolean;

export const text: Check = (value) => typeof value === "string";
export const count: Check = (value) => typeof value === "number" && Number.isFinite(value);
export const flag: Check = (value) => typeof value === "boolean";
export const list: Check = (value) => Array.isArray(value);
export const object: Check = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

export function oneOf(...words: string[]): Check {
  return (value) => typeof value === "string" && words.includes(value);
}

export function optional(check: Check): Check {
  return (value) => value === undefined || check(value);
}

export function listOf(fields: Readonly<Record<string, Check>>): Check {
  return (value) => Array.isArray(value) && value.every((item) => hasFields(item, fields));
}

/** Whether a value is an object whose fields pass their checks; it may have others. */
export function hasFields(value: unknown, fields: Readonly<Record<string, Check>>): boolean {
  if (typeof value !== "object" || value === null) return false;
  const entries = new Map<string, unknown>(Object.entries(value));
  return Object.entries(fields).every(([name, check]) => check(entries.get(name)));
}
