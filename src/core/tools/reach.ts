import type { ResolvedPath, Workspace } from "../ports";
import { cleanPath } from "./arguments";
import { cancelled, denied, failed, noFolder } from "./outcomes";
import type { ToolContext, ToolRun } from "./tool";

/** A path that the tool may use: inside the workspace, or outside with the person's consent. */
export type ReachedPath = Exclude<ResolvedPath, { readonly place: "no_folder" }>;

/** What a tool wants of a path. */
export interface Reach {
  readonly path: string;
  readonly access: "read" | "write";
}

/** Resolves a path and asks about it when its real target lies outside; nothing there is read before the answer. */
export async function reach(
  workspace: Workspace,
  wanted: Reach,
  context: ToolContext,
  signal: AbortSignal,
): Promise<{ readonly path: ReachedPath } | { readonly end: ToolRun }> {
  const path = cleanPath(wanted.path);
  if (path.includes("\0")) return { end: failed("The path holds a NUL character.", "bad path") };
  const resolved = await workspace.resolve(path === "" ? "." : path);
  if (resolved.place === "no_folder") return { end: noFolder() };
  if (resolved.place === "inside") return { path: resolved };
  const decision = await context.ask(
    { kind: "outside", path: resolved.absolute, access: wanted.access },
    signal,
  );
  if (signal.aborted) return { end: cancelled() };
  if (decision.answer !== "deny") return { path: resolved };
  const what = `${resolved.absolute} is outside of the workspace; nothing there was ${wanted.access === "read" ? "read" : "changed"}.`;
  return { end: denied(what, decision.reason) };
}

/** Says that a path does not exist and which ones look like it. */
export async function notFound(workspace: Workspace, path: ReachedPath): Promise<ToolRun> {
  const similar = await workspace.similarNames(path.absolute);
  const hint =
    similar.length > 0 ? `Similar: ${similar.join(", ")}.` : "list_files shows which files there are.";
  return failed(`${path.shown} does not exist. ${hint}`, "not found");
}

/** Says why something that is not a regular file cannot be read or edited; undefined when it can. */
export function notAFile(path: ReachedPath): ToolRun | undefined {
  if (path.kind === "folder") {
    return failed(`${path.shown} is a folder. list_files shows what is in it.`, "is a folder");
  }
  if (path.kind === "other") {
    return failed(
      `${path.shown} is not a regular file (a device, a pipe, or not accessible).`,
      "not a regular file",
    );
  }
  return undefined;
}
