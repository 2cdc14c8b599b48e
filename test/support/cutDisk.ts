import fsPromises, { type FileHandle } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";

/** What stands for the end of a process: from its n-th act on the disk on, nothing more is done and nothing comes back. */
export interface CutDisk {
  /** Resolves when the n-th act was reached and all before it are done. */
  readonly isCut: Promise<void>;
  /** False while there were fewer acts. */
  happened(): boolean;
  /** An act that is not one of this process's own file functions. */
  act<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Lets the disk be used again, by others. */
  mend(): void;
}

type Anything = (...values: unknown[]) => Promise<unknown>;

const NEVER = new Promise<never>(() => undefined);
const WRITING = ["mkdir", "rename", "link", "rm"] as const;
/** How much of a content is written that is cut in its middle, in bytes. */
const PART = 1_000;

const disk = fsPromises as unknown as Record<string, Anything>;
const real = { ...disk };

function mend(): void {
  Object.assign(disk, real, { open: openUnsynced });
  syncBuiltinESMExports();
}

/** The end of a process loses nothing that was written: a test that waited for the disk itself would only be slow. */
async function openUnsynced(...values: readonly unknown[]): Promise<FileHandle> {
  const file = (await real["open"]?.(...values)) as FileHandle;
  file.sync = file.datasync = () => Promise.resolve();
  return file;
}

mend();

/** Cuts what this process writes at its n-th act: before it, or in the middle of a content. Only one at a time. */
export function cutDiskAt(wanted: number): CutDisk {
  let count = 0;
  let tell = (): void => undefined;
  const reached = new Promise<void>((resolve) => (tell = resolve));
  const pending = new Set<Promise<unknown>>();
  const act = <Result>(work: () => Promise<Result>, part?: () => Promise<unknown>): Promise<Result> => {
    count += 1;
    if (count > wanted) return NEVER;
    const doing = count === wanted ? (part?.() ?? Promise.resolve()) : work();
    const done = doing.catch(() => undefined).finally(() => pending.delete(done));
    pending.add(done);
    if (count < wanted) return doing as Promise<Result>;
    tell();
    return NEVER;
  };
  for (const name of WRITING) disk[name] = (...values) => act(() => real[name]?.(...values) ?? NEVER);
  disk["open"] = async (...values) => {
    const isWriting = values[1] === "wx" || values[1] === "a";
    return isWriting ? watched(await act(() => openUnsynced(...values)), act) : openUnsynced(...values);
  };
  syncBuiltinESMExports();
  return {
    isCut: reached.then(async () => void (await Promise.all(pending))),
    happened: () => count >= wanted,
    act,
    mend,
  };
}

type Act = <Result>(work: () => Promise<Result>, part?: () => Promise<unknown>) => Promise<Result>;

function watched(file: FileHandle, act: Act): FileHandle {
  for (const name of ["writeFile", "appendFile"] as const) {
    const write = file[name].bind(file);
    const bytesOf = (data: unknown) => Buffer.from(data as Uint8Array);
    file[name] = (data) =>
      act(
        () => write(bytesOf(data)),
        () => write(bytesOf(data).subarray(0, PART)),
      );
  }
  for (const name of ["sync", "datasync"] as const) {
    const flush = file[name].bind(file);
    file[name] = () => act(flush);
  }
  return file;
}
