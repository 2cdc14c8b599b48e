import { readFile } from "node:fs/promises";

/** True while a process runs; one that has ended and was not collected by its parent yet counts as gone. */
export async function isAlive(id: number): Promise<boolean> {
  try {
    process.kill(id, 0);
  } catch {
    return false;
  }
  const status = await readFile(`/proc/${id}/stat`, "utf8").catch(() => "");
  return !/\) [ZX] /.test(status);
}
