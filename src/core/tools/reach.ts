import type { ApprovalQuestion } from "../../shared/live";
import type { IsSecret } from "../approvals/secrets";
import type { ResolvedPath, Workspace } from "../ports";
import { cleanPath } from "./arguments";
import { cancelled, denied, failed, noFolder } from "./outcomes";
import { plainName } from "./plainName";
import type { ToolContext, ToolRun } from "./tool";

/** A path that the tool may use: inside the workspace, or outside with the person's consent. */
export type ReachedPath = Exclude<ResolvedPath, { readonly place: "no_folder" }>;

/** What a tool wants of a path. */
export interface Reach {
  readonly path: string;
  readonly access: "read" | "write";
}

/** What a tool needs in order to reach a path. */
export interface ReachPorts {
  readonly workspace: Workspace;
  readonly isSecret?: IsSecret;
}

/**
 * Resolves a path and asks about it when its real target lies outside or looks like a secret; nothing of it is read before the
 * answer.
 */
export async function reach(
  { workspace, isSecret }: ReachPorts,
  wanted: Reach,
  context: ToolContext,
  signal: AbortSignal,
): Promise<{ readonly path: ReachedPath } | { readonly end: ToolRun }> {
  const path = cleanPath(wanted.path);
  if (path.includes("\0")) return { end: failed("The path holds a NUL character.", "bad path") };
  const resolved = await workspace.resolve(path === "" ? "." : path);
  if (resolved.place === "no_folder") return { end: noFolder() };
  const { access } = wanted;
  const done = access === "read" ? "read" : "changed";
  if (resolved.place === "outside") {
    const question = { kind: "outside", path: resolved.absolute, access } as const;
    const what = `${plainName(resolved.absolute)} is outside of the workspace; nothing there was ${done}.`;
    const end = await refusedBy(question, what, context, signal);
    if (end) return { end };
  }
  // A link with a harmless name may lead to a secret, and the other way round.
  const looksSecret = isSecret !== undefined && (isSecret(resolved.absolute) || isSecret(path));
  if (looksSecret && resolved.kind !== "folder") {
    const question = { kind: "secret", path: resolved.shown, access } as const;
    const what = `${plainName(resolved.shown)} looks like a file with secrets; it was not ${done}.`;
    const end = await refusedBy(question, what, context, signal);
    if (end) return { end };
  }
  return { path: resolved };
}

/** Asks, and ends the call where the answer is no. */
async function refusedBy(
  question: ApprovalQuestion,
  what: string,
  context: ToolContext,
  signal: AbortSignal,
): Promise<ToolRun | undefined> {
  const decision = await context.ask(question, signal);
  if (signal.aborted) return cancelled();
  return decision.answer === "deny" ? denied(what, decision.reason) : undefined;
}

/** Says that a path does not exist and which ones look like it. */
export async function notFound(workspace: Workspace, path: ReachedPath): Promise<ToolRun> {
  const similar = await workspace.similarNames(path.absolute);
  const hint =
    similar.length > 0
      ? `Similar: ${similar.map(plainName).join(", ")}.`
      : "list_files shows which files there are.";
  return failed(`${plainName(path.shown)} does not exist. ${hint}`, "not found");
}

/** Says why something that is not a regular file cannot be read or edited; undefined when it can. */
export function notAFile(path: ReachedPath): ToolRun | undefined {
  const shown = plainName(path.shown);
  if (path.kind === "folder") {
    return failed(`${shown} is a folder. list_files shows what is in it.`, "is a folder");
  }
  if (path.kind === "other") {
    return failed(
      `${shown} is not a regular file (a device, a pipe, or not accessible).`,
      "not a regular file",
    );
  }
  return undefined;
}
