import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

/** The environment variable by which the processes of a tree are told whose parents have ended. */
export const TREE_MARK = "LOOM_PROCESS_TREE";

interface Listed {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
}

/**
 * The process groups in the tree below a process, its own first: commands and terminals of an editor have groups of their own. On Linux
 * also those that carry the mark of the tree and whose parents have ended; on Windows only its own, which ends as a tree there.
 */
export function groupsBelow(pid: number, mark: string | undefined): readonly number[] {
  if (process.platform === "win32") return [pid];
  const listed = process.platform === "linux" ? listedByProc() : listedByPs();
  const tree = new Set([pid]);
  const groups = new Set([pid]);
  const hasMark = ({ pid: id }: Listed): boolean => mark !== undefined && isMarked(id, mark);
  for (let size = 0; size < tree.size;) {
    size = tree.size;
    for (const entry of listed) {
      if (tree.has(entry.pid) || !(tree.has(entry.parent) || hasMark(entry))) continue;
      tree.add(entry.pid);
      groups.add(entry.group);
    }
  }
  // A child that did not get a group of its own is in that of this process.
  groups.delete(listed.find((entry) => entry.pid === process.pid)?.group ?? 0);
  return [...groups];
}

function listedByProc(): readonly Listed[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const stat = textOf(`/proc/${name}/stat`);
      // The name before the last parenthesis may hold anything.
      const [state, parent, group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return state === "" || state === "Z"
        ? []
        : [{ pid: Number(name), parent: Number(parent), group: Number(group) }];
    });
}

function listedByPs(): readonly Listed[] {
  const { stdout } = spawnSync("ps", ["-A", "-o", "pid=,ppid=,pgid="], { encoding: "utf8" });
  return [...(stdout ?? "").matchAll(/^\s*(\d+)\s+(\d+)\s+(\d+)/gm)].map(([, pid, parent, group]) => ({
    pid: Number(pid),
    parent: Number(parent),
    group: Number(group),
  }));
}

function isMarked(pid: number, mark: string): boolean {
  return process.platform === "linux" && textOf(`/proc/${pid}/environ`).includes(`${TREE_MARK}=${mark}\0`);
}

/** The process that started npm's shell, when this process runs in one: dash stays between them, and does not end with npm. */
export function npmAbove(): number | undefined {
  if (process.platform !== "linux" || process.env["npm_lifecycle_event"] === undefined) return undefined;
  if (!/^\S*sh\0-c\0/.test(textOf(`/proc/${process.ppid}/cmdline`))) return undefined;
  const above = listedByProc().find(({ pid }) => pid === process.ppid)?.parent ?? 0;
  return textOf(`/proc/${above}/cmdline`).startsWith("npm") ? above : undefined;
}

/** Empty when it is gone or another user's. */
function textOf(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return "";
  }
}
