import { randomUUID } from "node:crypto";
import { open, readFile, rm, stat, utimes } from "node:fs/promises";
import { hostname } from "node:os";

/** How often the holder of a claim shows that it lives, and after how long without a sign it counts as gone, in milliseconds. */
const HEARTBEAT_MS = 15_000;
const GONE_AFTER_MS = 60_000;

interface Holder {
  readonly token: string;
  readonly pid: number;
  readonly host: string;
}

/** The tokens of this process: a file that names its process number but none of these was left by an earlier process. */
const ownTokens = new Set<string>();

/** The right of this window to write a file, held by a lock file beside it until it is released. */
export class SessionClaim {
  readonly #heartbeat: NodeJS.Timeout;

  private constructor(
    private readonly path: string,
    private readonly token: string,
  ) {
    ownTokens.add(token);
    this.#heartbeat = setInterval(() => {
      const now = new Date();
      // A lock file that cannot be touched is noticed by nobody but a second window, and only after a while.
      utimes(path, now, now).catch(() => undefined);
    }, HEARTBEAT_MS);
    this.#heartbeat.unref();
  }

  /** Claims by the lock file at `path`; undefined when another window that lives holds it. */
  static async take(path: string): Promise<SessionClaim | undefined> {
    for (let attempt = 0; attempt < 3; attempt++) {
      const token = randomUUID();
      if (await writeNew(path, { token, pid: process.pid, host: hostname() }))
        return new SessionClaim(path, token);
      if (!(await removeIfLeft(path))) return undefined;
    }
    return undefined;
  }

  /** True when a window that lives holds the lock file at `path`, this one included. */
  static async isHeld(path: string): Promise<boolean> {
    return (await readLock(path))?.isHeld ?? false;
  }

  /** False once another window has taken the claim over, e.g. since this machine slept and gave no signs of life. */
  async isOurs(): Promise<boolean> {
    // One that cannot be read for once says nothing.
    const lock = await readLock(this.path).catch(() => undefined);
    return lock === undefined || lock.token === this.token;
  }

  async release(): Promise<void> {
    if (!ownTokens.delete(this.token)) return;
    clearInterval(this.#heartbeat);
    const lock = await readLock(this.path);
    if (lock?.token === this.token) await rm(this.path, { force: true });
  }
}

async function writeNew(path: string, holder: Holder): Promise<boolean> {
  try {
    const file = await open(path, "wx", 0o600);
    await file.writeFile(JSON.stringify(holder)).finally(() => file.close());
    return true;
  } catch (error) {
    if (isErrorCode(error, "EEXIST")) return false;
    throw error;
  }
}

/** Removes a lock file that its holder left behind; false when it is held. */
async function removeIfLeft(path: string): Promise<boolean> {
  const lock = await readLock(path);
  if (lock?.isHeld) return false;
  // Another window may have come first: only the lock that was looked at may go.
  if ((await readLock(path))?.token === lock?.token) await rm(path, { force: true });
  return true;
}

async function readLock(path: string): Promise<{ token: string | undefined; isHeld: boolean } | undefined> {
  try {
    const [text, { mtimeMs }] = await Promise.all([readFile(path, "utf8"), stat(path)]);
    const holder = parseHolder(text);
    return { token: holder?.token, isHeld: Date.now() - mtimeMs < GONE_AFTER_MS && mayLive(holder) };
  } catch (error) {
    if (isErrorCode(error, "ENOENT")) return undefined;
    throw error;
  }
}

function parseHolder(text: string): Holder | undefined {
  try {
    const { token, pid, host } = JSON.parse(text) as Partial<Record<keyof Holder, unknown>>;
    return typeof token === "string" && typeof pid === "number" && typeof host === "string"
      ? { token, pid, host }
      : undefined;
  } catch {
    // Its holder has made the file but not written it yet.
    return undefined;
  }
}

function mayLive(holder: Holder | undefined): boolean {
  if (holder?.host !== hostname()) return true;
  if (holder.pid === process.pid) return ownTokens.has(holder.token);
  try {
    process.kill(holder.pid, 0);
    return true;
  } catch (error) {
    return !isErrorCode(error, "ESRCH");
  }
}

/** True when `error` is a system error with this code, e.g. `ENOENT`. */
export function isErrorCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
