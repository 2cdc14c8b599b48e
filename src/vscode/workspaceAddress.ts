import type { BadSetting } from "./badSetting";
import type { ChooseAddress, ServerAddress } from "./serverAddress";

/** The longest address that is asked about: it is shown whole, so that its end cannot hide. */
const MOST_CHARACTERS = 200;

/** What the person said to an address that a workspace names. */
export type AddressAnswer = "use" | "refuse";

/** An address, other than the person's own, that the workspace's settings name; without an answer nobody has said yet. */
export interface NamedAddress extends ServerAddress {
  readonly answer: AddressAnswer | undefined;
}

/** What a workspace's settings say of the address, and what the person said to that. */
export interface WorkspaceAddress {
  /** Undefined where they do not set it, or are not to be listened to. */
  readonly value: unknown;
  readonly answerTo: (url: string) => AddressAnswer | undefined;
}

/** The address that the workspace names, unless it is the person's `own` one; a value that cannot be used is put into `bad`. */
export function readNamed(
  { value, answerTo }: WorkspaceAddress,
  own: ServerAddress,
  { chooseAddress, bad }: { readonly chooseAddress: ChooseAddress; readonly bad: BadSetting[] },
): NamedAddress | undefined {
  if (value === undefined || value === null || value === "") return undefined;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  if (text.trim() === "") return undefined;
  const chosen = text.length > MOST_CHARACTERS ? { error: TOO_LONG } : chooseAddress(text);
  // The characters of a path and of a host's name may take several times the room when they are spelled as a request has them.
  const named = "url" in chosen && chosen.url.length > MOST_CHARACTERS ? { error: TOO_LONG } : chosen;
  if ("error" in named) {
    const expected = { kind: "address", problem: named.error } as const;
    bad.push({ id: "address", value, expected, usedInstead: own.url });
    return undefined;
  }
  return named.url === own.url ? undefined : { ...named, answer: answerTo(named.url) };
}

const TOO_LONG = `The setting loom.address of this workspace is longer than ${MOST_CHARACTERS} characters.`;
