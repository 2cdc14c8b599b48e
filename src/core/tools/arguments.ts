import type { JsonValue } from "../../shared/events";
import type { ToolSchema } from "../ports";

/** What a model may write for one argument. */
export interface Field {
  readonly type: "string" | "integer" | "boolean";
  /** Only where the name does not say it all: it costs tokens on every request. */
  readonly description?: string;
  readonly isRequired: boolean;
  /** Other names that models use for it; case, `_` and `-` do not matter. */
  readonly aliases: readonly string[];
  /** Shown in the right form that an error quotes; only for what is required. */
  readonly example?: string;
  /** Taken when the argument is left out, although the model is told that it is required. */
  readonly fallback?: string;
}

export type Fields = Readonly<Record<string, Field>>;

type ValueOf<F extends Field> = F["type"] extends "string"
  ? string
  : F["type"] extends "integer"
    ? number
    : boolean;

/** The arguments of a tool with these fields; optional ones may be undefined. */
export type ArgumentsOf<S extends Fields> = {
  readonly [K in keyof S]: S[K]["isRequired"] extends true ? ValueOf<S[K]> : ValueOf<S[K]> | undefined;
};

type Input = Readonly<Record<string, JsonValue>>;

const WRAPPERS = new Set(["arguments", "args", "input", "parameters", "params", "json"]);

/** The names that models use for a path. */
export const PATH_ALIASES = [
  "file_path",
  "filepath",
  "file",
  "filename",
  "file_name",
  "target_file",
] as const;

/** The schema that the model is told of; the order of keys is fixed, so that the bytes are the same in every request. */
export function toSchema(name: string, description: string, fields: Fields): ToolSchema {
  const entries = Object.entries(fields);
  return {
    name,
    description,
    parameters: {
      type: "object",
      required: entries.filter(([, field]) => field.isRequired).map(([key]) => key),
      properties: Object.fromEntries(
        entries.map(([key, { type, description: about }]) => [
          key,
          about === undefined ? { type } : { type, description: about },
        ]),
      ),
    },
  };
}

/**
 * Reads arguments as the model wrote them: finds other names, takes numbers and booleans out of strings and an object out
 * of a JSON string, ignores what it does not know. What cannot be mended safely gives a sentence with the right form.
 */
export function readArguments<S extends Fields>(
  tool: string,
  fields: S,
  input: Input,
): ArgumentsOf<S> | { readonly error: string } {
  const given = unwrap(fields, input);
  const values: Record<string, string | number | boolean | undefined> = {};
  for (const [name, field] of Object.entries(fields)) {
    const value = toType(field.type, find(given, name, field) ?? field.fallback);
    if (value === undefined && field.isRequired) return refuse(tool, fields, `needs ${name}`);
    if (value === "wrong") return refuse(tool, fields, `needs ${name} as ${article(field.type)}`);
    values[name] = typeof value === "object" ? value.text : value;
  }
  return values as ArgumentsOf<S>;
}

function article(type: Field["type"]): string {
  return type === "integer" ? "a whole number" : type === "boolean" ? "true or false" : "a string";
}

function refuse(tool: string, fields: Fields, problem: string): { readonly error: string } {
  const form = Object.fromEntries(
    Object.entries(fields)
      .filter(([, field]) => field.isRequired)
      .map(([name, field]) => [name, field.example ?? "…"]),
  );
  return { error: `${tool} ${problem}. The right form of the arguments is ${JSON.stringify(form)}.` };
}

/** Models sometimes put the whole object, or its JSON, into one argument. */
function unwrap(fields: Fields, input: Input): Input {
  const [only, ...others] = Object.entries(input);
  if (!only || others.length > 0) return input;
  const [key, value] = only;
  if (!WRAPPERS.has(key.toLowerCase()) || Object.keys(fields).includes(key)) return input;
  const inner = typeof value === "string" ? parseJson(value) : value;
  return isObject(inner) ? unwrap(fields, inner) : input;
}

function parseJson(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return null;
  }
}

function isObject(value: JsonValue): value is Input {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function find(given: Input, name: string, field: Field): JsonValue | undefined {
  if (Object.hasOwn(given, name)) return given[name];
  const names = [name, ...field.aliases].map(plainName);
  for (const wanted of names) {
    const match = Object.keys(given).find((key) => plainName(key) === wanted);
    if (match !== undefined) return given[match];
  }
  return undefined;
}

function plainName(name: string): string {
  return name.toLowerCase().replace(/[_\-\s]/g, "");
}

type Typed = { readonly text: string } | number | boolean | "wrong" | undefined;

function toType(type: Field["type"], value: JsonValue | undefined): Typed {
  if (value === undefined || value === null) return undefined;
  if (Array.isArray(value) && value.length === 1) return toType(type, (value as readonly JsonValue[])[0]);
  if (typeof value === "object") return "wrong";
  if (type === "string") return { text: String(value) };
  return type === "integer" ? toInteger(value) : toBoolean(value);
}

function toInteger(value: string | number | boolean): number | "wrong" | undefined {
  if (typeof value === "string" && value.trim() === "") return undefined;
  const number = typeof value === "boolean" ? NaN : Number(value);
  return Number.isSafeInteger(number) ? number : "wrong";
}

function toBoolean(value: string | number | boolean): boolean | "wrong" | undefined {
  const word = String(value).trim().toLowerCase();
  if (word === "") return undefined;
  if (["true", "yes", "1"].includes(word)) return true;
  return ["false", "no", "0", "none", "null"].includes(word) ? false : "wrong";
}

/** A path as the model meant it: without the quotes, backticks and blanks around one, and with what `plainName` spelled out as it is. */
export function cleanPath(path: string): string {
  const trimmed = path.trim();
  const quoted = /^(["'`])(.*)\1$/s.exec(trimmed);
  return (quoted?.[2] ?? trimmed).replace(/\\u\{(0?[\da-f]{1,5}|10[\da-f]{4})\}/g, (_, code: string) =>
    String.fromCodePoint(parseInt(code, 16)),
  );
}
