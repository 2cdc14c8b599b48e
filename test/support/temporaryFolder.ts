import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";

/** Makes a folder with these files that is gone after the test; its path is real. */
export async function temporaryFolder(
  test: TestContext,
  files: Readonly<Record<string, string | Uint8Array>> = {},
): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "loom-test-")));
  test.after(() => rm(folder, { recursive: true, force: true }));
  await writeFiles(folder, files);
  return folder;
}

/** Writes files below a folder, with the folders that they need. */
export async function writeFiles(
  folder: string,
  files: Readonly<Record<string, string | Uint8Array>>,
): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
}
