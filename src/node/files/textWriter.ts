import { link, lstat, mkdir, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import type { FileChange, NotWritten, WrittenFile } from "../../core/ports";
import { replaceInRaw, toLineFeeds, wholeReplacement } from "./lineEnds";
import { realPathOf } from "./realPath";
import { encodeText, unwritable } from "./textEncoding";
import { describeError, hashText, readStored } from "./textFile";
import type { StoredText } from "./textFile";
import { temporaryBeside } from "./wholeFile";

/** What a write came to. */
export type Written = WrittenFile | NotWritten;

const CHANGED: NotWritten = {
  error: "it is not as it was when it was read. Read it again.",
  isChanged: true,
};

/**
 * Writes a change to disk in one step: at any moment the file is the old or the new one. Encoding, mark, line ends, mode and
 * every byte outside of the replaced text stay. Refuses when the file is not what the change was made from.
 */
export async function writeTextFile(change: FileChange): Promise<Written> {
  try {
    const { absolute } = change.path;
    if ((await realPathOf(absolute)).absolute !== absolute)
      return { error: "its path leads elsewhere by now." };
    return change.before === null
      ? await makeFile(absolute, change.after)
      : await changeFile(absolute, change);
  } catch (error) {
    const isThere = error instanceof Error && "code" in error && error.code === "EEXIST";
    if (!isThere) return { error: `${describeError(error)}.` };
    // A folder cannot be made where a file is, and asking anew would not change that.
    if (!(await exists(change.path.absolute))) return { error: "a part of its path is a file." };
    return { error: `${describeError(error)}.`, isChanged: true };
  }
}

async function makeFile(absolute: string, text: string): Promise<Written> {
  if (/\p{Surrogate}/u.test(text)) return { error: "the new text holds half of a character." };
  await mkdir(dirname(absolute), { recursive: true });
  await viaTemporary(absolute, { bytes: Buffer.from(text, "utf8") }, async (temporary) => {
    // A link, unlike a rename, never replaces a file that came to be meanwhile.
    await link(temporary, absolute).catch(async (error: unknown) => {
      if (await exists(absolute)) throw error;
      await rename(temporary, absolute);
    });
  });
  return { text, hash: hashText(text) };
}

async function changeFile(absolute: string, change: FileChange): Promise<Written> {
  const stored = await readStored(absolute);
  if ("reason" in stored) return { error: `${stored.description}.` };
  if ((stored.mode & 0o222) === 0) return { error: "it is read-only." };
  const before = toLineFeeds(stored.raw);
  if (before !== change.before) return CHANGED;
  const replacements = change.replacements ?? [wholeReplacement(before, change.after)];
  const foreign = replacements.flatMap(({ text }) => unwritable(text, stored));
  if (foreign.length > 0) return { error: refusal(foreign, stored) };
  const raw = replaceInRaw(stored.raw, replacements);
  if (raw === undefined)
    return { error: "its line ends are mixed, and this change would merge two of them." };
  const bytes = encodeText({ raw, encoding: stored.encoding });
  if (bytes === undefined) return { error: refusal([], stored) };
  await viaTemporary(absolute, { bytes, like: stored }, (temporary) => rename(temporary, absolute));
  const text = toLineFeeds(raw);
  return { text, hash: hashText(text) };
}

function refusal(characters: readonly string[], { encoding }: StoredText): string {
  if (encoding !== "windows-1252") return "the new text holds half of a character.";
  return `it is not UTF-8, and in its unknown encoding these characters of the new text could become others: ${characters.join(" ")}. Use ASCII, or ask the person to convert the file to UTF-8.`;
}

interface Content {
  readonly bytes: Buffer;
  /** The file whose mode and owner the new one takes. */
  readonly like?: StoredText;
}

/** Writes beside the target and lets `place` put it there; the temporary file is gone afterwards in every case. */
async function viaTemporary(
  absolute: string,
  { bytes, like }: Content,
  place: (temporary: string) => Promise<void>,
): Promise<void> {
  const temporary = temporaryBeside(absolute);
  try {
    const file = await open(temporary, "wx");
    try {
      await file.writeFile(bytes);
      // The owner first, since a change of owner takes away some bits of the mode.
      await file.chown(like?.owner.user ?? -1, like?.owner.group ?? -1).catch(() => undefined);
      if (like) await file.chmod(like.mode & 0o7777);
      await file.sync();
    } finally {
      await file.close();
    }
    await place(temporary);
  } finally {
    await rm(temporary, { force: true });
  }
}

async function exists(absolute: string): Promise<boolean> {
  return lstat(absolute).then(
    () => true,
    () => false,
  );
}
