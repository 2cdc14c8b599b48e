import { lstat, readlink, realpath, stat } from "node:fs/promises";
import { dirname, isAbsolute, join, normalize, parse, sep } from "node:path";

/** What a path leads to with all links followed, the dangling ones too; for a missing file, where it would come to be. */
export interface RealPath {
  readonly absolute: string;
  readonly kind: "file" | "folder" | "other" | "missing";
}

/** More links in one path than this are a circle; systems give up at the same number. */
const MOST_LINKS = 40;

/** Follows a path as the system would, link by link, so that no link can hide where it leads. */
export async function realPathOf(absolute: string): Promise<RealPath> {
  let { existing, missing } = await followLinks(absolute);
  // `..` behind something that does not exist: what it stands for may hold links again.
  for (let round = 0; round < 5 && missing.includes(".."); round += 1) {
    ({ existing, missing } = await followLinks(normalize(join(existing, ...missing))));
  }
  const spelled = await realpath(existing).catch(() => existing);
  if (missing.length > 0) return { absolute: join(spelled, ...missing), kind: "missing" };
  return { absolute: spelled, kind: await kindOf(spelled) };
}

/** Whether a path is a folder or lies in it; both are real and absolute. */
export function isInside(folder: string, path: string, separator: string = sep): boolean {
  const prefix = folder.endsWith(separator) ? folder : folder + separator;
  return path === folder || path.startsWith(prefix);
}

async function kindOf(absolute: string): Promise<RealPath["kind"]> {
  try {
    const stats = await stat(absolute);
    return stats.isFile() ? "file" : stats.isDirectory() ? "folder" : "other";
  } catch {
    return "other";
  }
}

interface Followed {
  readonly existing: string;
  /** The parts that do not exist. */
  readonly missing: readonly string[];
}

async function followLinks(absolute: string): Promise<Followed> {
  let current = parse(absolute).root;
  let pending = partsOf(absolute);
  let links = 0;
  for (let name = pending.shift(); name !== undefined; name = pending.shift()) {
    if (name === "..") {
      current = dirname(current);
      continue;
    }
    const next = join(current, name);
    const stats = await lstat(next).catch(() => undefined);
    if (!stats) return { existing: current, missing: [name, ...pending] };
    if (!stats.isSymbolicLink()) {
      current = next;
      continue;
    }
    links += 1;
    if (links > MOST_LINKS) return { existing: next, missing: [] };
    const target = await readlink(next);
    if (isAbsolute(target)) current = parse(target).root;
    pending = [...partsOf(target), ...pending];
  }
  return { existing: current, missing: [] };
}

function partsOf(path: string): string[] {
  const separators = sep === "\\" ? /[\\/]+/ : /\/+/;
  return path
    .slice(parse(path).root.length)
    .split(separators)
    .filter((part) => part !== "" && part !== ".");
}
